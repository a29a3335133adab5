/** Erasures and the mailer at once: nobody gets an e-mail that was asked for before they asked to be forgotten, and who comes after is somebody new. */
import { mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ok } from '../support/answers.js';
import { someReport } from '../bounces/some-reports.js';
import { audience } from '../support/audience.js';
import { openSmtp, type Behaviour, type SmtpStandIn } from '../support/smtp.js';
import { eventually, startService, type Answer, type Service, type ServiceOptions } from '../support/service.js';
import { newClock } from './erasing/service-clock.js';
import { onServers } from '../support/stores.js';

const nobody = 'smtp://127.0.0.1:1';
const running: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of running.splice(0).reverse()) await close();
});

async function started(options: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  running.push(() => service.close());
  return service;
}
async function smtp(...behaviours: readonly Behaviour[]): Promise<SmtpStandIn> {
  const server = await openSmtp(behaviours);
  running.push(() => server.close());
  return server;
}

const send = (service: Service, to_email: string): Promise<Answer> =>
  ok(
    service.post('/v1/email/send', {
      from_email: 'a@example.com',
      to_email,
      subject: 'Hi',
      mail_template: '<p>Hi</p>',
    }),
  );
const erase = (service: Service, email: string): Promise<Answer> => service.post('/v1/privacy/erasures', { email });
const inState = (service: Service, { headers }: Answer, state: string): Promise<true> =>
  eventually(async () => ((await service.get(String(headers.location))).field('state') === state ? true : undefined), {
    what: state,
  });
const completed = (service: Service, { headers }: Answer): Promise<Record<string, unknown>> =>
  eventually(async () => {
    const { data } = (await service.get(String(headers.location))).body as { data?: Record<string, unknown> };
    return data?.['status'] === 'completed' ? data : undefined;
  });

test('after kill -9 no e-mail goes to people whose erasure was accepted, contacts or not', async () => {
  const service = await started({ env: { SMTP_URL: nobody } });
  const list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
  const people = Array.from({ length: 12 }, (_, at) => `person${at}@example.com`);
  for (const [at, email] of people.entries())
    if (at % 2 === 0) await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
  const sent = await Promise.all([...people, 'other@example.com'].map((email) => send(service, email)));
  // The others wait until the relay can be reached.
  await eventually(async () => (await service.get('/v1/email?state=deferred')).items().length > 0 || undefined);
  const erasures = await Promise.all(people.map((email) => erase(service, email)));
  expect(erasures.map(({ status }) => status)).toEqual(people.map(() => 202));
  await service.kill('SIGKILL');
  const server = await smtp('accept');
  await service.start({ SMTP_URL: server.url });
  for (const one of erasures) expect(await completed(service, one)).toMatchObject({ emails: 1 });
  await inState(service, sent.at(-1)!, 'sent');
  expect(server.messages.map(({ to }) => to)).toEqual([['other@example.com']]);
});

test('who is written right after the 202 is somebody new, and stays', async () => {
  const service = await started({});
  const list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
  for (let round = 0; round < 8; round += 1) {
    const emails = Array.from({ length: 4 }, (_, at) => `round${round}-${at}@example.com`);
    const save = async (email: string): Promise<string> =>
      (await ok(service.post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Subscribed' }))).field(
        'contact_id',
      );
    const before = await Promise.all(emails.map(save));
    const erasures = await Promise.all(emails.map((email) => erase(service, email)));
    const after = await Promise.all(emails.map(save));
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    for (const one of erasures) expect(await completed(service, one)).toMatchObject({ contacts: 1 });
    for (const id of after) expect((await service.get(`/v1/contacts/${list}/${id}`)).status).toBe(200);
  }
});

test('a register that cannot be written is 503, and nothing is asked for; once it can, the erasure is accepted', async () => {
  const service = await started({});
  const register = path.join(service.dataDir, 'register.ndjson');
  mkdirSync(register);
  const requestId = 'register-in-the-way';
  const refused = await service.post(
    '/v1/privacy/erasures',
    { email: 'ada@example.com' },
    { 'x-request-id': requestId },
  );
  expect(refused).toMatchObject({ status: 503, body: { type: 'unavailable' } });
  expect(await service.events(requestId)).toEqual([]);
  rmdirSync(register);
  expect((await erase(service, 'ada@example.com')).status).toBe(202);
});

test.skipIf(onServers)('what an erasure waits for is named: by readiness, by the log and by the command', async () => {
  const server = await smtp('hang after dot');
  const service = await started({ env: { SMTP_URL: server.url } });
  const sent = await send(service, 'ada@example.com');
  await eventually(() => Promise.resolve(server.messages.length > 0 || undefined));
  const id = (await erase(service, 'ada@example.com')).field('erasure_id');
  const why = [{ erasure_id: id, reason: 'email_being_sent' }];
  await eventually(async () => {
    const { data } = (await service.get('/health/ready')).body as { data: { erasures?: { waiting: number } } };
    return data.erasures?.waiting === 1 ? expect(data.erasures).toEqual({ waiting: 1, why }) === undefined : undefined;
  });
  const email_id = String(sent.headers.location).split('/').at(-1);
  const said = 'an erasure waits for an e-mail that is being sent';
  await eventually(() => Promise.resolve(service.output().includes(said) || undefined), { what: said });
  const { out } = await audience(['--data-dir', service.dataDir, 'privacy', 'status', '--json'], { env: {} });
  expect(JSON.parse(out)).toMatchObject({
    erasures: [{ erasure_id: id, completed: null, waits_for_emails: [{ email_id }] }],
  });
});

test.skipIf(onServers)('a second erasure counts its own e-mails, whatever the clock says', async () => {
  const clock = newClock(Date.parse('2026-03-01T12:00:00.000Z'));
  running.push(() => clock.close());
  const service = await started({ env: clock.env });
  await inState(service, await send(service, 'ada@example.com'), 'sent');
  expect(await completed(service, await erase(service, 'ada@example.com'))).toMatchObject({ emails: 1 });
  clock.pass(-3_600_000);
  await inState(service, await send(service, 'ada@example.com'), 'sent');
  await inState(service, await send(service, 'ada@example.com'), 'sent');
  expect(await completed(service, await erase(service, 'ada@example.com'))).toMatchObject({ emails: 2 });
});

test.skipIf(onServers)(
  'a complaint about an e-mail that an erasure waits for stops mail, and keeps no address',
  async () => {
    const server = await smtp('hang after dot', 'accept');
    const service = await started({ env: { SMTP_URL: server.url, MAIL_RETURN_PATH: 'bounce@mail.example.com' } });
    await ok(service.post('/v1/suppressions', { email: 'ada@example.com', reason: 'unsubscribe' }));
    await send(service, 'ada@example.com');
    await eventually(() => Promise.resolve(server.messages.length > 0 || undefined));
    const erasure = await erase(service, 'ada@example.com');
    const said = 'an erasure waits for an e-mail that is being sent';
    await eventually(() => Promise.resolve(service.output().includes(said) || undefined), { what: said });
    const taken = await service.request('POST', '/v1/email/reports', {
      raw: someReport('abuse').replaceAll(
        /bounce\+eml_\w{26}\.\w{16}@mail\.example\.com/g,
        server.messages[0]?.from ?? '',
      ),
      headers: { 'content-type': 'message/rfc822', 'x-envelope-to': 'complaints@example.com' },
    });
    expect(taken.field('outcome')).toBe('complained');
    await server.close();
    await completed(service, erasure);
    const found = await ok(service.post('/v1/suppressions/search', { email: 'ada@example.com' }));
    const { data } = found.body as { data: { active: object[]; history: object[] } };
    expect(data.active).toMatchObject([{ reason: 'unsubscribe' }, { reason: 'complaint' }]);
    expect(JSON.stringify(data.history)).not.toContain('ada@example.com');
    expect((await ok(service.get('/v1/suppressions'))).items()).toMatchObject([{ email: null }]);
  },
);
