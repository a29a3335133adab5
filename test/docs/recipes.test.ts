/** docs/architecture.md, "Which file to open": the files that a recipe names are those that know of such a thing, and they stay few. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { contactSchemas } from '../../src/events/contact.js';
import { codes, document, section } from '../support/markdown.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('src', name))
  .map((name) => ({ name, code: codeOf(readFileSync(path.join(root, name), 'utf8')) }));

/** Without comments. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

const filesWith = (pattern: RegExp): readonly string[] =>
  sources.flatMap(({ name, code }) => (pattern.test(code) ? [name] : [])).sort();

const recipes = section(document('docs/architecture.md'), '## Which file to open').split(/^- /m);

function filesOf(title: string): readonly string[] {
  const recipe = recipes.find((one) => one.startsWith(`**${title}`)) ?? '';
  return codes(recipe)
    .filter((code) => /^src\/.*\.ts$/.test(code))
    .sort();
}

describe('a new field of a contact', () => {
  const files = filesOf('A new field of a contact');

  test('four files', () => {
    expect(files.length).toBeLessThanOrEqual(4);
  });

  // The view names no field; it gets a new version.
  test.for(['city', 'country', 'zipcode'])('the recipe has all files that know %s', (field) => {
    expect([...filesWith(new RegExp(`\\b${field}\\b`)), 'src/projections/contacts.ts'].sort()).toEqual(files);
  });
});

test('a field of a consent: its event, its form in a request and its form in answers know it', () => {
  const files = ['src/api/resources/contacts/consent.ts', 'src/audit/answers.ts', 'src/events/contact.ts'];
  // The report and the command line give some of them words of their own; the rest they show under its name.
  const inWords = ['src/cli/shared/in-words.ts', 'src/report/report-page.ts'];
  expect(filesWith(/\blegal_basis\b/).filter((file) => !inWords.includes(file))).toEqual(files);
  expect(filesOf('A new field of a consent')).toEqual(files);
});

describe('a new event of a contact', () => {
  const files = filesOf('A new event of a contact');

  test('the recipe has all files that know a typical one', () => {
    expect(filesWith(/\bContactProfileChanged\b/)).toEqual(files);
    expect(files.length).toBeLessThanOrEqual(8);
  });

  test('one with a consent needs some of them', () => {
    const consent = filesWith(/\bConsentRecorded\b/);
    expect(consent.filter((file) => !files.includes(file))).toEqual([]);
  });

  // The views and exports that count subscriptions know these two; what follows contacts from beginning to end the others.
  const limits = { ContactSubscribed: 10, ContactUnsubscribed: 15, ContactCreated: 16, ContactErased: 16 };

  test.for(Object.keys(contactSchemas))('few files know %s', (type) => {
    const known = filesWith(new RegExp(`\\b${type}\\b`));
    const allowed = Object.entries(limits).find(([name]) => name === type)?.[1] ?? 8;
    expect(known.length, known.join('\n')).toBeLessThanOrEqual(allowed);
  });
});

test('a subscriber: ten files at most know of retention, and the recipe names where to begin', () => {
  const known = filesWith(/retention|retainEmails|RETAIN_EMAILS|kept_since|EndedBefore/i);
  const named = filesOf('A subscriber').filter(
    (file) => !/\/(?:subscriber|run-subscriber|readiness|http|wake)\.ts$/.test(file),
  );
  expect(named.filter((file) => !known.includes(file))).toEqual([]);
  expect(known.length, known.join('\n')).toBeLessThanOrEqual(10);
});

test.for(['connection_refused', 'server_refused'])(
  'an SMTP reason: the recipe has all files that know %s',
  (reason) => {
    const known = filesWith(new RegExp(`'${reason}'|^ +${reason}:`, 'm')).filter((file) =>
      file.startsWith('src/mailer/'),
    );
    expect(known).toEqual(filesOf('Another SMTP reason'));
    expect(known.length).toBeLessThanOrEqual(3);
  },
);

test('a view: beside its own file and its queries only the list of views knows memberships', () => {
  const known = filesWith(/\/memberships\.js'/);
  expect(known).toContain('src/projections/views.ts');
  expect(known.length, known.join('\n')).toBeLessThanOrEqual(3);
});

test('a view with personal data: what treats it differently goes by the list of views', () => {
  expect(filesOf('A view with personal data')).toEqual(['src/projections/views.ts']);
  const known = filesWith(/\bpersonalProjections\b/);
  expect(known.length, known.join('\n')).toBeLessThanOrEqual(2);
});

test('an endpoint: the recipe has all files that know the removal of tags, five at most', () => {
  const known = filesWith(/\bremoveTags\b|'RemoveTags'/);
  expect(known).toEqual(filesOf('A new endpoint'));
  expect(known.length).toBeLessThanOrEqual(5);
});

describe('a resource', () => {
  const table = 'src/api/resources/table.ts';
  // What two of them want to be told is named where it comes from, too.
  const folders = readdirSync(path.join(root, 'src/api/resources'), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name)
    .filter((name) => name !== 'projections' && name !== 'service');

  test.for(folders)('beside its own folder only the table knows %s', (name) => {
    const known = filesWith(new RegExp(`/${name}/(?:endpoints|handlers)\\.js'`));
    expect(known.filter((file) => !file.startsWith(`src/api/resources/${name}/`))).toEqual([table]);
  });

  test('one that writes takes five files', () => {
    const named = filesOf('A new resource');
    expect(named).toContain(table);
    const writing = filesOf('A new endpoint').filter((file) => file.startsWith('src/commands/'));
    expect(named.length + writing.length).toBeLessThanOrEqual(5);
  });
});

describe('another event store', () => {
  const files = filesOf('Another event store');

  test('the recipe has all files that name EventStoreDB, seventeen at most', () => {
    const named = filesWith(/eventstoredb\b|EventStoreDB|EVENTSTORE_|\besdb\b/);
    expect(named.filter((file) => !file.startsWith('src/eventstore/'))).toEqual(files);
    expect(files.length).toBeLessThanOrEqual(17);
  });

  test('few others ask whether the log is embedded', () => {
    const others = filesWith(/\bkind [!=]== 'embedded'/).filter((file) => !files.includes(file));
    expect(others.length, others.join('\n')).toBeLessThanOrEqual(14);
  });
});
