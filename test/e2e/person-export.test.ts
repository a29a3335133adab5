/** What a person is told of what is stored about them: over HTTP, and by the command line through the service and without it. */
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusal, someAddress, someRequestId, unique } from '../support/answers.js';
import { audience, notRecorded } from '../support/audience.js';
import { eventually, freshFolder, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { onServers } from '../support/stores.js';

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await sharedService();
  folder = freshFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly known: boolean;
  readonly not_searched: readonly string[];
  readonly contact: Readonly<Record<string, unknown>> | null;
  readonly history: readonly {
    readonly event: Readonly<Record<string, unknown>>;
    readonly changes: readonly unknown[];
  }[];
  readonly emails: readonly Readonly<Record<string, unknown>>[];
  readonly readings: readonly Readonly<Record<string, unknown>>[];
}

const pathOf = (email: string): string => `/v1/privacy/export?email=${encodeURIComponent(email)}`;
const told = async (email: string): Promise<Told> =>
  ((await service.get(pathOf(email), { accept: 'application/json' })).body as { data: Told }).data;

/** Somebody with a past in several scripts, and two e-mails. */
async function somebody() {
  const email = someAddress('Ada');
  const name = unique('<i>نشرة</i> 新闻');
  const list = await service.make('/v1/lists/create', { list_name: name }, 'list_id');
  const statement = 'نعم،\nأوافق <script>alert(1)</script>';
  const consent = { source: 'form', statement, ip: '203.0.113.7' };
  const saved = { email, status: 'Subscribed', firstName: 'Ada', city: 'London', consent };
  await service.make(`/v1/contacts/${list}/create`, saved, 'contact_id');
  await service.post(`/v1/contacts/${list}/upsertcontact`, {
    ...{ email, status: 'Subscribed', firstName: 'Áda', city: '', tag_name: ['金'] },
  });
  await service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status: 'Unsubscribed' });
  const mail = { from_email: 'Shop <shop@example.com>', to_email: email.toUpperCase() };
  const plain = { ...mail, subject: 'Hello & welcome', mail_template: '<p>Good <b>day</b></p>' };
  const made = { ...mail, subject: 'For {{name}}', mail_template: '<p>Dear {{name}}</p>', variables: { name: 'R&D' } };
  for (const body of [plain, made]) {
    const sent = await service.post('/v1/email/send', body);
    const isSent = async () => (await service.get(String(sent.headers.location))).field('state') === 'sent';
    await eventually(async () => (await isSent()) || undefined, { what: 'an e-mail that is sent' });
  }
  return { email, name, list, statement, plain, made };
}

test('everything about somebody, as JSON and as a page', async () => {
  const { email, name, list, statement, plain, made } = await somebody();
  const request = someRequestId();
  const asked = await service.get(pathOf(email), { accept: '*/*', 'x-request-id': request });
  expect(asked.headers['content-type']).toBe('application/json; charset=utf-8');
  const { data } = asked.body as { data: Told };
  expect(data).toMatchObject({
    ...{ email, known: true, asked_by: 'test', erasures: [] },
    contact: {
      profile: { email, firstName: 'Áda', city: null },
      subscriptions: [{ list_id: list, list_name: name, status: 'Unsubscribed', tags: [{ tag_name: '金' }] }],
    },
  });
  expect(data.history.map(({ event }) => event['type'])).toEqual([
    ...['ContactCreated', 'ContactSubscribed', 'ContactProfileChanged', 'TagsAttached', 'ContactUnsubscribed'],
  ]);
  expect(data.history[0]?.changes).toContainEqual({ field: 'firstName', before: null, after: 'Ada' });
  expect(data.history[1]?.event).toMatchObject({ consent: { source: 'form', statement } });
  expect(data.history[2]?.changes).toEqual([
    { field: 'firstName', before: 'Ada', after: 'Áda' },
    { field: 'city', before: 'London', after: null },
  ]);
  const [first, second] = data.emails;
  const { from_email: from, to_email: to } = plain;
  expect(first).toMatchObject({ erased: false, requested: { from, to, subject: plain.subject } });
  expect(first).toMatchObject({ requested: { body: plain.mail_template } });
  expect(first).not.toHaveProperty('sent_as');
  expect(second).toMatchObject({
    requested: { subject: made.subject, body: made.mail_template, variables: made.variables },
    sent_as: { subject: 'For R&D', body: '<p>Dear R&amp;D</p>' },
    steps: [
      { type: 'EmailRequested', by: 'test' },
      { type: 'EmailDispatchStarted' },
      { type: 'EmailSent', by: 'mailer' },
    ],
  });
  expect(data.readings).toMatchObject([{ what: 'privacy_export', actor: 'test', request_id: request }]);

  const page = await service.get(pathOf(email), { accept: 'text/html' });
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none';.*style-src 'sha256-/);
  for (const fact of [
    email,
    'Áda',
    'London',
    '金',
    'أوافق',
    '新闻',
    'Hello &amp; welcome',
    'Good day',
    'Dear R&amp;D',
    request,
  ])
    expect(page.text).toContain(fact);
  expect(page.text).not.toMatch(/<script|<i>نشرة/);
  expect((await told(email.toUpperCase())).readings).toHaveLength(3);
});

test('who was erased is told of it, with what is kept, and who came back of the new life', async () => {
  const { email, list } = await somebody();
  const asked = await service.post('/v1/privacy/erasures', { email, reason: 'requested' });
  const isErased = async () => (await service.get(String(asked.headers.location))).field('status') === 'completed';
  await eventually(async () => (await isErased()) || undefined, { what: 'the erasure' });
  const erasure = { requested_by: 'test', reason: 'requested', emails: 2, contact_id: expect.stringMatching(/^con_/) };
  const data = await told(email);
  expect(data).toMatchObject({ known: true, contact: { existed: false, profile: null }, erasures: [erasure] });
  expect(data.history.flatMap(({ changes }) => changes)).toEqual([]);
  expect(data.emails).toMatchObject([
    { erased: true, requested: null },
    { erased: true, requested: null },
  ]);
  expect(JSON.stringify({ ...data, email: '' })).not.toMatch(/Ada|London|203\.0\.113|Good|R&D/);
  const page = await service.get(pathOf(email), { accept: 'text/html' });
  expect(page.text).toMatch(/Erased on .* by <code>test<\/code> \(requested\)\./);
  await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed', firstName: 'Grace' }, 'contact_id');
  const again = await told(email);
  expect(again).toMatchObject({ contact: { profile: { firstName: 'Grace' } }, erasures: [erasure] });
  expect(again.history.flatMap(({ changes }) => changes)).toContainEqual({
    ...{ field: 'firstName', before: null, after: 'Grace' },
  });
});

test('who only ever received an e-mail', async () => {
  const to_email = someAddress();
  await service.post('/v1/email/send', {
    ...{ from_email: 'shop@example.com', to_email, subject: 'One', mail_template: '<p>1</p>' },
  });
  expect(await told(to_email)).toMatchObject({ known: true, contact: null, history: [], emails: [{ erased: false }] });
});

test('of who only ever was a sender it is said that this was not searched', async () => {
  const from_email = someAddress();
  const sent = { from_email, to_email: someAddress(), subject: 'One', mail_template: '<p>1</p>' };
  expect((await service.post('/v1/email/send', sent)).status).toBe(200);
  const { known, not_searched } = await told(from_email);
  expect({ known, sender: not_searched[0] }).toEqual({
    known: false,
    sender: expect.stringContaining('as that of a sender'),
  });
  const page = (await service.get(pathOf(from_email), { accept: 'text/html' })).text;
  expect(page).toContain(not_searched[0]);
  expect(page).not.toMatch(/nothing (is stored|ever was)/i);
});

test('an address that nothing is known of is answered, and a malformed one refused', async () => {
  const stranger = someAddress();
  expect(await told(stranger)).toMatchObject({ known: false, contact: null, history: [], emails: [], erasures: [] });
  expect((await service.get(pathOf(stranger), { accept: 'text/html' })).text).toContain('Nothing was found');
  const refused = { 'x-request-id': someRequestId() };
  expect((await service.get(pathOf('ada@'), refused)).body).toEqual(refusal('email must be a valid email address', {}));
  expect((await service.get('/v1/privacy/export', refused)).status).toBe(400);
  expect((await service.get(`${pathOf(stranger)}&list_id=1`, refused)).status).toBe(400);
  expect(await service.events(refused['x-request-id'])).toEqual([]);
});

test('it needs the scope', async () => {
  const key = await service.post('/v1/keys', {
    name: 'Auditor',
    scopes: ['audit:read', 'contacts:read', 'email:read'],
  });
  const authorization = `Bearer ${key.field('secret')}`;
  expect((await service.get(pathOf(someAddress()), { authorization })).status).toBe(403);
});

test.skipIf(onServers)('on the command line: through the service, and from the files', async () => {
  const { email } = await somebody();
  const to = (name: string): string => path.join(folder, name);
  const run = (dataDir: string, address: string, out: string) =>
    audience(['--data-dir', dataDir, 'privacy', 'export', address, '--out', out], {
      env: { AUDIENCE_KEY: service.key },
    });
  const through = await run(service.dataDir, email, to('a'));
  expect(through).toMatchObject({ code: 0, out: '' });
  expect(through.err).not.toContain(notRecorded);
  const copy = to('copy');
  mkdirSync(copy);
  for (const name of ['events.db', 'events.db-wal', 'views.db', 'views.db-wal', 'secret'])
    cpSync(path.join(service.dataDir, name), path.join(copy, name));
  const fromFiles = await run(copy, email, to('b'));
  expect(fromFiles).toMatchObject({ code: 0, out: '' });
  expect(fromFiles.err).toContain(notRecorded);
  const read = (name: string): Told => JSON.parse(readFileSync(path.join(to(name), 'export.json'), 'utf8')) as Told;
  const [a, b] = [read('a'), read('b')];
  expect(b.history).toEqual(a.history);
  expect(b.emails).toEqual(a.emails);
  expect(b.emails).toHaveLength(2);
  for (const name of ['a', 'b']) {
    const page = path.join(to(name), 'export.html');
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readFileSync(page, 'utf8')).toContain('Dear R&amp;D');
    expect(statSync(path.join(to(name), 'export.json')).mode & 0o777).toBe(0o600);
  }
  expect((await run(copy, email, to('b'))).err).toContain('is there already');
  expect((await run(copy, email, path.join(to('b'), 'export.json'))).err).toContain('cannot be made a folder');
  expect(await run(copy, 'ada@', to('c'))).toMatchObject({ code: 2 });
  expect((await run(copy, someAddress(), to('d'))).err).toContain(
    'Nothing was found about this address; both say what was not searched.',
  );
  writeFileSync(to('file'), '');
  expect(await run(copy, email, to('file'))).toMatchObject({ code: 1 });
});
