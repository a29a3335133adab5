/** What was sent with an `Idempotency-Key` cannot be guessed once it is erased: not from the log by who has the secret, and not from the answer to a repeat. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { profileFields } from '../../src/events/contact.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { ok } from '../support/answers.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const secret = 'a secret that the attacker knows, too';
const keys = deriveStreamKeys(secret);
let service: Service;
let list: string;
beforeAll(async () => {
  service = await startService({ env: { SECRET: secret } });
  list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
});
afterAll(() => service.close());

const ada: Readonly<Record<string, string>> = {
  email: 'ada@privat.example',
  status: 'Subscribed',
  dateOfBirth: '1985-12-10',
};
const mail = {
  from_email: 'clinic@example.com',
  to_email: ada['email'] ?? '',
  subject: 'Your result',
  mail_template: '<p>negative</p>',
};
const create = (contact = ada, key = 'ada-1'): Promise<Answer> =>
  service.post(`/v1/contacts/${list}/create`, contact, { 'idempotency-key': key });
const send = (body: object = mail, key = 'result-1'): Promise<Answer> =>
  service.post('/v1/email/send', body, { 'idempotency-key': key });
const erased = async (email: string): Promise<void> => {
  const { headers } = await service.post('/v1/privacy/erasures', { email });
  const isOver = async () => (await service.get(headers.location ?? '')).field('status') === 'completed' || undefined;
  await eventually(isOver, { what: 'the end of the erasure' });
};

/** Of all that a guesser tries, what the log confirms: hashes of the right guess, bare and under everything that may be a salt. */
async function confirmed(): Promise<readonly string[]> {
  const log = JSON.stringify(await service.events());
  const found = new Set(log.match(/\b[0-9a-f]{32}\b/g));
  const { from_email, to_email, subject, mail_template } = mail;
  const guesses = {
    birth: ['contact', list, ada['email'], 'Subscribed', profileFields.map((field) => ada[field]), undefined],
    body: [from_email, to_email, subject, mail_template, {}],
    'body, as of schema 1': [from_email, to_email, subject, mail_template],
  };
  return Object.entries(guesses).flatMap(([name, guess]) =>
    [undefined, ...found].some((salt) => found.has(keys.requestHash(guess, salt))) ? [name] : [],
  );
}

// EventStoreDB holds what was erased until a scavenge (docs/privacy.md).
test.skipIf(onServers)(
  'date of birth and body are confirmed by the log while they are in it, and not once they are erased',
  async () => {
    const first = await ok(create());
    await ok(send());
    expect((await create()).headers['idempotent-replayed']).toBe('true');
    expect((await send()).headers['idempotent-replayed']).toBe('true');
    expect((await create({ ...ada, dateOfBirth: '1985-12-11' })).status).toBe(422);
    expect((await send({ ...mail, mail_template: '<p>positive</p>' })).status).toBe(422);
    expect(await confirmed()).toEqual(['birth', 'body']);

    await erased(mail.to_email);
    expect(await confirmed()).toEqual([]);
    for (const mail_template of [mail.mail_template, '<p>positive</p>'])
      expect((await send({ ...mail, mail_template })).body).toMatchObject({ type: 'idempotency_conflict' });
    const back = await ok(create());
    expect(back.headers).not.toHaveProperty('idempotent-replayed');
    expect(back.field('contact_id')).not.toBe(first.field('contact_id'));
  },
);

test('after a restart the answers are the same', async () => {
  const birth = (day: string) => ({ ...ada, email: 'grace@privat.example', dateOfBirth: `1906-12-${day}` });
  const body = { ...mail, to_email: 'grace@privat.example' };
  const first = await ok(create(birth('09'), 'grace-1'));
  await ok(send(body, 'result-2'));
  await erased('grace@privat.example');
  await service.kill('SIGTERM');
  await service.start();
  expect((await send(body, 'result-2')).status).toBe(422);
  expect((await send({ ...body, subject: 'Another' }, 'result-2')).status).toBe(422);
  const back = await ok(create(birth('10'), 'grace-1'));
  expect(back.field('contact_id')).not.toBe(first.field('contact_id'));
});

test('without a key nothing is kept to compare a repeat with', async () => {
  await ok(service.post('/v1/email/send', { ...mail, to_email: 'eve@privat.example' }, { 'x-request-id': 'keyless' }));
  const [requested] = await service.events('keyless');
  expect(requested?.type).toBe('EmailRequested');
  expect(requested?.data).not.toHaveProperty('request_hash');
  expect(requested?.metadata).not.toHaveProperty('idempotency');
  expect(requested?.metadata).toMatchObject({ schema: 2 });
});
