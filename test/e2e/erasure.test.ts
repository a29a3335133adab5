/** Erasing a person, over HTTP, from a service that also holds others: nothing is left of the one, and nothing changes for the others. */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ok, untimed } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { onServers } from '../support/stores.js';
import { eventually, freshFolder, runToExit, startService, type Answer, type Service } from '../support/service.js';

const nobody = { SMTP_URL: 'smtp://127.0.0.1:1' };
const person = {
  email: 'Zelda.Quastenflosser@privat.example',
  firstName: 'Zeldarine',
  lastName: 'Quästenflösser',
  phone: '+49 30 901820 77',
  address: 'Irrgartenweg 1717',
};
const statement = 'Ja, ich will den Drosselbrief';
const subject = 'Ihre Drossel-Bestellung';
const template = '<p>Hallo Zeldarine, Ihre Bestellung 88-7731 ist da.</p>';
const needles = [
  ...Object.values(person),
  'zelda.quastenflosser@privat.example',
  'Zelda.Quastenflosser',
  'Drosselbrief',
  'Drossel-Bestellung',
  '88-7731',
].flatMap((text) => [
  text,
  Buffer.from(text).toString('base64').slice(0, -4),
  text.replaceAll('ä', '=C3=A4'),
  // As it is searched.
  text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, ''),
]);

let service: Service;
let lists: readonly string[] = [];
/** Where the e-mail to somebody else is. */
let toOther = '';
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Every file with something of the person in it. */
function traces(folder = service.dataDir): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const file = path.join(folder, name);
    const bytes = statSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0);
    return needles.filter((needle) => bytes.includes(needle)).map((needle) => `${name}: ${needle}`);
  });
}

const send = async (to: string, own = { subject, mail_template: template }): Promise<string> =>
  String(
    (
      await ok(
        service.post('/v1/email/send', {
          from_email: 'ledger@example.com',
          to_email: to,
          ...own,
        }),
      )
    ).headers.location,
  );
const stateOf = async (location: string): Promise<string> => (await ok(service.get(location))).field('state');
/** After a restart on servers it is a while until the views go on: until then reads of what was just written are answered 503. */
const inState = (location: string, state: string): Promise<true> =>
  eventually(
    async () => {
      const answer = await service.get(location);
      if (answer.status === 503) return undefined;
      expect(answer.status).toBe(200);
      return answer.field('state') === state ? true : undefined;
    },
    { what: state },
  );
const completed = (location: string): Promise<Record<string, unknown>> =>
  eventually(async () => {
    const { data } = (await ok(service.get(location))).body as { data: Record<string, unknown> };
    return data['status'] === 'completed' ? data : undefined;
  });
const erased = (answer: Answer): Promise<Record<string, unknown>> => completed(String(answer.headers.location));
const cli = (...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', service.dataDir, ...words], { env: { AUDIENCE_KEY: service.key } });

/** What is answered of others. */
async function ofOthers(): Promise<readonly string[]> {
  const paths = [
    '/v1/contacts?email=other@privat.example',
    '/v1/audit/contacts/other@privat.example/history',
    '/v1/audit/contacts/other@privat.example/at?time=2099-01-01',
  ];
  return await Promise.all(paths.map(async (one) => untimed((await ok(service.get(one))).text)));
}

const total = async (listId = ''): Promise<unknown> =>
  (
    (await ok(service.get(`/v1/analytics/lists/${listId}/growth`))).body as { data: { rows: { total: number }[] } }
  ).data.rows.at(-1)?.total;

test('nothing is left of who is erased, and nothing changes for others', async () => {
  const listOf = async (name: string): Promise<string> => {
    const group = await service.make('/v1/groups/create', { group_name: name }, 'group_id');
    return await service.make('/v1/lists/create', { list_name: name, group_id: group }, 'list_id');
  };
  lists = [await listOf('First'), await listOf('Second')];
  const consent = { source: 'form', statement, ip: '203.0.113.7' };
  const [first, second] = lists;
  const created = await ok(service.post(`/v1/contacts/${first}/create`, { ...person, status: 'Subscribed', consent }));
  await ok(service.post(`/v1/contacts/${first}/create`, { email: 'other@privat.example', status: 'Subscribed' }));
  const saved = { ...person, city: 'Irrgarten', status: 'Subscribed', tag_name: ['VIP', 'Early'], consent };
  await ok(service.post(`/v1/contacts/${second}/upsertcontact`, saved));
  const sent = await send(person.email.toLowerCase());
  await inState(sent, 'sent');
  // From now on nobody takes e-mail.
  await service.kill('SIGTERM');
  await service.start(nobody);
  const deferred = await send(person.email);
  toOther = await send('other@privat.example', { subject: 'Hello', mail_template: '<p>Hello</p>' });
  await inState(deferred, 'deferred');
  const sealed = onServers ? undefined : await cli('audit', 'seal', '--out', path.join(service.dataDir, 'before.json'));
  expect(sealed?.code ?? 0).toBe(0);
  expect(traces()).not.toEqual([]);
  const others = await ofOthers();
  expect(await total(first)).toBe(2);

  const requestId = 'dsgvo-17';
  const [answer, again] = await Promise.all([
    service.post('/v1/privacy/erasures', { email: person.email, reason: 'requested' }, { 'x-request-id': requestId }),
    service.post('/v1/privacy/erasures', { email: person.email.toUpperCase() }),
  ]);
  expect([answer.status, again.status]).toEqual([202, 202]);
  expect(answer.headers.location).toBe(again.headers.location);
  expect(await erased(answer)).toMatchObject({ status: 'completed', contacts: 1, emails: 2 });
  if (!onServers) expect(traces()).toEqual([]);

  expect(await ofOthers()).toEqual(others);
  expect(['deferred', 'sent', 'in_doubt', 'requested']).toContain(await stateOf(toOther));
  expect(await stateOf(deferred)).toBe('cancelled');
  expect(await stateOf(sent)).toBe('sent');
  expect((await service.get(`/v1/contacts?email=${person.email}`)).status).toBe(404);
  expect((await service.get(`/v1/contacts/${created.field('contact_id')}`)).status).toBe(404);
  expect(await total(first)).toBe(1);
  const ofRequest = await service.events(requestId);
  const [contactErased] = ofRequest.filter(({ type }) => type === 'ContactErased');
  expect(contactErased?.metadata).toMatchObject({ actor: 'test' });
  const back = await ok(service.post(`/v1/contacts/${first}/create`, { email: person.email, status: 'Subscribed' }));
  expect(back.field('contact_id')).not.toBe(created.field('contact_id'));
  expect(await total(first)).toBe(2);
  const nobodyKnown = await service.post('/v1/privacy/erasures', { email: 'unheard-of@privat.example' });
  expect(await erased(nobodyKnown)).toMatchObject({ contacts: 0, emails: 0 });
  expect(await erased(await service.post('/v1/privacy/erasures', { email: person.email }))).toMatchObject({
    contacts: 1,
    emails: 0,
  });
  if (!onServers) expect(traces()).toEqual([]);
});

test('an auditor is told of the erasure, and of nothing that cannot be read', async () => {
  const { email } = person;
  const history = await ok(service.get(`/v1/audit/contacts/${email}/history`));
  expect(history.text).toContain('The person was erased');
  expect(history.text).not.toMatch(/"unreadable":(true|\[\{)/);
  const page = await service.get(`/v1/audit/contacts/${encodeURIComponent(email)}/report`, { accept: 'text/html' });
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/cannot be read/);
  expect(page.text).toMatch(/erased/);
  // Auditors have ids on paper: that of an erased contact is found, and no other life.
  const [first] = history.items().map(({ contact_id }) => String(contact_id));
  const byId = await ok(service.get(`/v1/audit/contacts/${first}/history`));
  expect(byId.text).toContain('The person was erased');
  expect(new Set(byId.items().map(({ contact_id }) => contact_id))).toEqual(new Set([first]));
  expect((await service.post('/v1/privacy/erasures', { email, reason: '' })).status).toBe(400);
  if (onServers) return;
  const after = await cli('audit', 'at', email);
  expect(after.out).toMatch(/^At \S+, this contact did not exist\. It was erased at \S+Z by test\.\n/);
  const { at } = z.object({ at: z.string() }).parse(history.items()[0]);
  const before = await cli('audit', 'at', email, '--time', at);
  expect(before.out).toMatch(/^Somebody who was erased \(con_\w{26}\) at /);
  const misspelt = await cli('privacy', 'erase', email, '--reason', 'Article 17', '--dry-run');
  expect(misspelt).toMatchObject({ code: 2, out: '' });
  expect(misspelt.err).toMatch(/^--reason must be 1 to 40 of a-z, 0-9 and _\n/);
  const nobody = await cli('audit', 'access', '--contact', email, '--actor', 'Auditor');
  expect(nobody.out).toMatch(/^No such read was recorded\. A key that was created is named by its id/);
});

test.skipIf(onServers)('exports and imports carry redacted events as they are', async () => {
  const [folder, file] = [freshFolder(), path.join(service.dataDir, 'events.ndjson')];
  expect(await cli('export', 'events', '--out', file)).toMatchObject({ code: 0 });
  cpSync(path.join(service.dataDir, 'secret'), path.join(folder, 'secret'));
  const imported = await audience(['--data-dir', folder, 'import', 'events', file]);
  expect(imported.code, imported.err).toBe(0);
  const verified = await audience(['--data-dir', folder, 'audit', 'verify', '--json']);
  const { root, redacted, findings } = JSON.parse(verified.out) as Record<string, unknown>;
  const own = JSON.parse((await cli('audit', 'verify', '--json')).out) as Record<string, unknown>;
  expect({ root, redacted, findings }).toEqual({ root: own['root'], redacted: own['redacted'], findings: [] });
  for (const form of ['csv', 'parquet']) {
    const contacts = path.join(service.dataDir, `contacts.${form}`);
    expect(await cli('export', 'contacts', '--out', contacts)).toMatchObject({ code: 0 });
  }
  expect(traces()).toEqual([]);
  rmSync(folder, { recursive: true });
});

test.skipIf(onServers)(
  'a log that was put back by hand shows nobody again whose erasure the operator applies',
  async () => {
    const email = 'berta.vogelweid@privat.example';
    const copies = freshFolder();
    const at = (name: string, folder = service.dataDir): string => path.join(folder, name);
    const idsIn = (file: string): string[] => (readFileSync(file, 'utf8').match(/ers_\w+/g) ?? []).sort();
    const sealDir = { SEAL_DIR: copies };
    await ok(service.post(`/v1/contacts/${lists[0]}/create`, { email, status: 'Subscribed' }));
    await service.kill('SIGTERM');
    cpSync(at('events.db'), at('backup.db'));
    await service.start(sealDir);
    const dry = await cli('privacy', 'erase', email, '--dry-run', '--json');
    expect(JSON.parse(dry.out)).toEqual({ contact: true, events: 1, emails: 0, open: 0, files: 0 });
    const done = await cli('privacy', 'erase', email, '--reason', 'requested');
    expect(done.out).toMatch(/^ers_\w{26} is completed: the contact and 0 e-mails\.\n$/);
    const id = done.out.slice(0, 30);
    expect((await cli('privacy', 'status')).out).toContain(id);
    await service.kill('SIGTERM');
    const register = at('register.ndjson');
    expect(statSync(register).mode & 0o777).toBe(0o600);
    const kept = (file: string): string[] => readFileSync(file, 'utf8').split('\n').sort();
    expect(kept(register)).toEqual(kept(at('register.ndjson', copies)));
    expect(readFileSync(register, 'utf8')).toContain(id);

    for (const name of ['views.db', 'register.ndjson']) rmSync(at(name));
    // A seal would tell that the log is an older copy.
    rmSync(at('seals'), { recursive: true });
    for (const name of readdirSync(copies).filter((one) => one.startsWith('seal-'))) rmSync(at(name, copies));
    cpSync(at('backup.db'), at('events.db'));
    // As a crash leaves it.
    writeFileSync(register, '{"log_id":');
    const asked = await cli('privacy', 'reapply');
    expect(asked.out).toContain('The log has all that the register has.');
    rmSync(register);
    expect((await cli('privacy', 'reapply')).out).toContain(`There is no register: ${register}.`);
    const reapply = async (...words: readonly string[]): Promise<unknown> => {
      const all = ['--data-dir', service.dataDir, 'privacy', 'reapply', '--json', ...words];
      return JSON.parse((await audience(all, { env: sealDir })).out);
    };
    // Nothing tells whether the person has come back since, so an operator decides.
    const line = { type: 'ErasureRequested', data: { erasure_id: id } };
    expect(await reapply()).toMatchObject({ applied: [], reported: [line] });
    expect(await reapply('--erasure', id)).toMatchObject({ applied: [line], reported: [] });
    const unknown = await cli('privacy', 'reapply', '--erasure', 'ers_x');
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringContaining('The register has no erasure ers_x') as string,
    });
    await service.start(sealDir);
    expect((await service.get(`/v1/contacts?email=${email}`)).status).toBe(404);
    await completed(`/v1/privacy/erasures/${id}`);
    rmSync(at('backup.db'));
    expect(readFileSync(at('events.db')).includes(email)).toBe(false);
    expect(idsIn(register)).toEqual(idsIn(at('register.ndjson', copies)));
    await service.kill('SIGTERM');
    writeFileSync(register, readFileSync(register, 'utf8').replaceAll(/"mac":"./g, '"mac":"x'));
    const unreadable = await runToExit(service.dataDir, {});
    expect(unreadable).toMatchObject({ code: 1 });
    expect(unreadable.output).toMatch(
      /register\.ndjson has lines of this log, but none that was written with its secret/,
    );
    rmSync(copies, { recursive: true });
    rmSync(register);
    await service.start();
  },
);

// The last: erasures that come after a rebuild wait until the old views are dropped, ten seconds.
test.skipIf(onServers)('the log, its seal and its rebuilt views hold afterwards', async () => {
  const verified = await cli('audit', 'verify', '--json', '--seal', path.join(service.dataDir, 'before.json'));
  expect(verified.code).toBe(0);
  const { seals, ...rest } = JSON.parse(verified.out) as { readonly seals: readonly { readonly state: string }[] };
  expect(rest).toMatchObject({ intact: true, findings: [] });
  expect(new Set(seals.map(({ state }) => state))).toEqual(new Set(['holds']));
  const rebuilt = await cli('projections', 'rebuild', 'all');
  expect(rebuilt.code).toBe(0);
  expect(traces()).toEqual([]);
  await service.kill('SIGTERM');
  await service.start();
  await inState(toOther, 'sent');
  expect(traces()).toEqual([]);
});
