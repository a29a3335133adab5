/** `audience export` and `audience import` as their users run them: exit codes, what is said, what is left, and how much memory it takes. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSeal } from '../../src/integrity/seal.js';
import type { CommandLine } from '../../src/cli/shared/command-line.js';
import { registerExport } from '../../src/cli/export/export.js';
import { registerImport } from '../../src/cli/copy/import.js';
import { createProgram, runProgram } from '../../src/cli/program.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { embeddedIn, storesOf } from '../../src/stores/stores.js';
import { audience, audienceProcess, startAudience } from '../support/audience.js';
import { exampleEvents, examples, toAppend } from '../support/examples.js';
import { exported, imported } from '../support/exporting.js';
import { anEvent, initialised, logId, newFolder, openFolder, secretOfLog } from '../support/migrating.js';
import { eventually } from '../support/service.js';

let folder = '';
const events = 10_001;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'exports-'));
  const store = await openFolder(folder);
  await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
  const text = 'x'.repeat(5_000);
  for (let stream = 0; stream < 100; stream += 1) {
    const some = Array.from({ length: 100 }, (_, n) => anEvent(JSON.stringify({ n, text })));
    await store.append(`s-${stream}`, some, { expectedRevision: 'no_stream' });
  }
  await store.close();
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('a round trip', { timeout: 120_000 }, () => {
  test('through the program, in a heap that could not hold the log', async () => {
    const own = newFolder();
    const file = path.join(own, 'events.ndjson');
    // What a process had at most stands in the files of the system as long as it lives.
    const hook = path.join(own, 'peak.mjs');
    writeFileSync(
      hook,
      `import { readFileSync, writeFileSync } from 'node:fs';
       process.on('exit', () => writeFileSync(process.env.PEAK, /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));`,
    );
    const peakOf = (name: string): number => Number(readFileSync(path.join(own, name), 'utf8')) / 1024;
    const env = (name: string) => ({
      NODE_OPTIONS: `--max-old-space-size=52 --import ${hook}`,
      PEAK: path.join(own, name),
    });
    const first = await audienceProcess(['--data-dir', folder, '--json', 'export', 'events', '--out', file], {
      env: env('export'),
    });
    expect(first.code).toBe(0);
    const report = json(first.out);
    expect(report).toMatchObject({ outcome: 'exported', what: 'events', format: 'ndjson', file, at: null });
    expect(report).toMatchObject({ records: events, events, bytes: statSync(file).size });
    const to = path.join(own, 'copy');
    expect(report).toMatchObject({ count: events, root: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
    const second = await audienceProcess(['import', 'events', file, '--data-dir', to, '--json'], {
      env: { ...env('import'), SECRET: secretOfLog },
    });
    expect(second.code).toBe(0);
    expect(json(second.out)).toMatchObject({ outcome: 'identical', events, imported: events, checksum: 'right' });
    expect(json(second.out)['root']).toBe(report['root']);
    expect(statSync(path.join(to, 'events.db')).mode & 0o777).toBe(0o600);
    expect(peakOf('export')).toBeLessThan(200);
    expect(peakOf('import')).toBeLessThan(200);
  });

  test('an import that is told to stop says that it goes on, and does', async () => {
    const reader = openSqliteEventReader({ file: path.join(folder, 'events.db') });
    const { file } = await exported(reader, { what: 'events' });
    await reader.close();
    const to = path.join(newFolder(), 'copy');
    const run = startAudience(['--data-dir', to, 'import', 'events', file], { env: { SECRET: secretOfLog } });
    await eventually(async () => (existsSync(path.join(to, 'events.db')) ? true : undefined), { within: 60_000 });
    run.child.kill('SIGTERM');
    const { code, err } = await run.ended;
    expect(code).toBe(143);
    expect(err).toContain('The same command again goes on');
    const rest = await imported(file, to);
    expect(rest.alreadyThere + rest.copied).toBe(events);
  });

  test('an export that is told to stop leaves nothing', async () => {
    const own = newFolder();
    const run = startAudience(['--data-dir', folder, 'export', 'events', '--out', path.join(own, 'events.csv')]);
    await eventually(async () => (readdirSync(own).length > 0 ? true : undefined), { within: 60_000 });
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(readdirSync(own)).toEqual([]);
  });
});

test('to standard output, with the report beside it', async () => {
  const { code, out, err } = await audience(['--data-dir', folder, 'export', 'lists', '--format', 'csv', '--out', '-']);
  expect(code).toBe(0);
  expect(out).toBe('list_id,list_name,created_at,state,deleted_at,subscribed,unsubscribed\r\n');
  expect(err).toContain('Exported 0 lists');
});

/** A log with one list, and one contact in it that was created so. */
async function folderWithContact(created: ReturnType<typeof toAppend>): Promise<string> {
  const own = newFolder();
  const store = await openFolder(own);
  const { listCreated, subscribed } = exampleEvents;
  await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
  await store.append('lists', [toAppend(listCreated)], { expectedRevision: 'no_stream' });
  await store.append(examples.contactStream, [created, toAppend(subscribed)], { expectedRevision: 'no_stream' });
  await store.close();
  return own;
}

test('a contact of whom nothing is left but digests is left out', async () => {
  const own = await folderWithContact(toAppend(exampleEvents.contactCreated));
  const run = () => audience(['--data-dir', own, 'export', 'contacts', '--format', 'ndjson', '--out', '-']);
  expect((await run()).out).toContain(examples.contact_id);
  const again = await openFolder(own);
  await again.redact(examples.contactStream, 1n);
  await again.close();
  expect(await run()).toMatchObject({ code: 0, out: '' });
});

test('a contact whose creation cannot be read is left out with a warning, and asked for told with one', async () => {
  const data = JSON.stringify({ ...exampleEvents.contactCreated.data, person: 7 });
  const own = await folderWithContact({ ...toAppend(exampleEvents.contactCreated), data });
  const run = (...words: string[]) => audience(['--data-dir', own, ...words]);
  const plain = await run('export', 'contacts', '--format', 'ndjson', '--out', '-');
  expect(plain).toMatchObject({ code: 0, out: '' });
  expect(plain.err).toContain('Warning: an event cannot be read: what it changed is not in the answer.\n');
  expect(plain.err).toMatch(
    / {2}\S+ {2}ContactCreated, position 0*3\. This version of the service cannot read this event: /,
  );
  expect(json((await run('--json', 'export', 'contacts', '--out', '-')).err)).toMatchObject({
    records: 0,
    unreadable: 1,
    unreadable_events: [{ type: 'ContactCreated', contact_id: examples.contact_id }],
  });
  const at = await run('audit', 'at', examples.contact_id, '--time', '2100-01-01');
  expect(at.out).toContain('It is not known whether this contact existed at 2100-01-01T23:59:59.999Z.\n');
  expect(at.out).toMatch(/Subscribed in the list "Newsletter"[^]*Warning: an event cannot be read/);
  const before = await run('audit', 'at', examples.contact_id, '--time', '2000-01-01');
  expect(before.out).toMatch(
    /this contact did not exist\.\n {4}unreadable \S+ {2}ContactCreated, .* changed this first\.\n/,
  );
  const list = await run('audit', 'list', examples.list.list_id, '--time', '2100-01-01', '--format', 'csv');
  expect(list.out).toMatch(/\r\ncon_01,,Subscribed,[^]*\r\ncon_01,,unreadable,/);
  expect(list.err).toContain('Warning: an event cannot be read');
});

describe('without a process of its own', () => {
  async function ran(words: readonly string[]) {
    const said = { out: '', err: '' };
    let exitCode = 0;
    const line = {
      stdout: { isTTY: false, columns: undefined, write: async (text: string) => void (said.out += text) },
      stderr: { write: (text: string) => (said.err += text) },
      env: {},
      signal: new AbortController().signal,
      monotonic: () => 0,
      json: false,
      place: () => ({ log: storesOf(embeddedIn({ eventsFile: 'none', viewsFile: 'none' })) }),
      exitWith: (code: number) => (exitCode = code),
    } as unknown as CommandLine;
    const program = createProgram({ line, version: '1', onOptions: () => undefined });
    registerExport(program, line);
    registerImport(program, line);
    const code = await runProgram({ program, line, words, explain: String, exitCode: () => exitCode });
    return { code, ...said };
  }

  test('a file that is there already is kept: exit code 1', async () => {
    const file = path.join(newFolder(), 'lists.ndjson');
    writeFileSync(file, 'mine');
    const { code, out, err } = await ran(['export', 'lists', '--out', file]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('--force');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('a seal or a key that cannot be read is exit code 2, one that was altered 1, as of audit verify', async () => {
    const folder = newFolder();
    const state = { log_id: logId, seq: 1, restores: 0, count: 1, root: 'a'.repeat(64), final: false };
    const seal = createSeal(state, generateKeyPairSync('ed25519').privateKey, 0);
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const [good, forged] = [seal, { ...seal, count: 2 }].map((one, at) => file(`${at}.json`, JSON.stringify(one)));
    const letter = file('letter.json', 'a letter');
    const sealed = (...words: readonly (string | undefined)[]) =>
      ran(['import', 'events', 'none.ndjson', '--seal', ...words.map(String)]);
    for (const answer of [
      await sealed(path.join(folder, 'none.json')),
      await sealed(letter),
      await sealed(good, '--public-key', letter),
    ]) {
      expect(answer).toMatchObject({ code: 2, out: '' });
      expect(answer.err).toMatch(/^.* cannot be read: .*\n$/);
    }
    expect(await sealed(forged)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The seal .* proves nothing: .*\n$/) as unknown,
    });
    // The seal is right: it is the file that is not there.
    expect(await sealed(good)).toMatchObject({ code: 1, err: expect.stringContaining('there is no file') as unknown });
  });

  test.each([
    [['export', 'events'], '--out'],
    [['export', 'persons', '--out', 'x'], 'events, contacts, lists, growth'],
    [['export', 'events', '--out', '-', '--format', 'parquet'], 'parquet needs a file'],
    [['export', 'events', '--out', 'x', '--at', 'tuesday'], 'must be an ISO 8601 date'],
    [['export', 'events', '--out', 'x', '--time', 'tuesday'], 'must be an ISO 8601 date'],
    [['import', 'contacts', 'x'], '--list'],
    [['import', 'events', 'x', '--public-key', 'y'], '--public-key goes with --seal'],
  ])('%j is a mistake: exit code 2', async (words, reason) => {
    const { code, out, err } = await ran(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(reason);
  });
});
