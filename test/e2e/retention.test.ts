/** What e-mails said goes after its time, from the log and the outbox, and everything else stays as it was. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCommandHandler } from '../../src/commands/handle.js';
import { emailDecider } from '../../src/commands/email.js';
import type { EmailEvent } from '../../src/events/email.js';
import { deriveStreamKeys, emailStream } from '../../src/events/streams.js';
import type { EventStore } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { eraseEnded, retainedSince } from '../../src/privacy/retention.js';
import { audience } from '../support/audience.js';
import { exampleEvents as e, exampleSalt, toAppend } from '../support/examples.js';
import { eventually, freshFolder, startService } from '../support/service.js';
import { onServers } from '../support/stores.js';

const secret = 'the secret of a log with old e-mails';
const keys = deriveStreamKeys(secret);
const logId = '5b0c8f7e-1d2a-4c3b-9e8f-7a6b5c4d3e2f';
const ago = (days: number): string => retainedSince(days, Date.now());
const idOf = (number: number): string => `eml_01JQ8ZK3V5W7X9YABC0000000${number}`;
const keyOf = (number: number): string => `key-${number}`;
const streamOf = (number: number): string => emailStream(keys.emailKey({ idempotencyKey: keyOf(number) }));

let dataDir: string;
beforeEach(async () => {
  dataDir = freshFolder();
  const store = await openOwn();
  const log = { log_id: logId, secret_fingerprint: keys.fingerprint(logId) };
  const begun = toAppend({ type: 'ServiceInitialised', data: log });
  await store.append('service', [begun], { expectedRevision: 'no_stream' });
  mkdirSync(path.join(dataDir, 'outbox'));
  for (const [number, days, events] of [
    [1, 40, [e.dispatchStarted, e.emailSent]],
    [2, 40, [e.dispatchStarted, e.emailFailed]],
    [3, 40, [e.emailCancelled]],
    [4, 40, [e.emailHeld]],
    [5, 29, [e.dispatchStarted, e.emailSent]],
  ] as const) {
    writeFileSync(path.join(dataDir, 'outbox', `${idOf(number)}.eml`), saidBy(number));
    await append(store, { number, days, events });
  }
  await store.close();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const openOwn = () => openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: () => 0 });

const saidBy = (number: number): string => `unmistakable-${number}`;

const mailOf = (number: number) => ({
  from_email: 'a@example.com',
  to_email: 'ada@example.com',
  subject: saidBy(number),
  mail_template: `<p>${saidBy(number)}</p>`,
});

interface Past {
  readonly number: number;
  readonly days: number;
  readonly events: readonly EmailEvent[];
}

async function append(store: Pick<EventStore, 'append'>, { number, days, events }: Past): Promise<void> {
  const email_id = idOf(number);
  const message = { salt: exampleSalt, ...mailOf(number) };
  const recipient_key = keys.contactKey('ada@example.com');
  const request: EmailEvent = {
    type: 'EmailRequested',
    data: {
      email_id,
      recipient_key,
      request_hash: keys.requestHash([...Object.values(mailOf(number)), {}], exampleSalt),
      message,
    },
  };
  const appended = [request, ...events].map(({ type, data }) => {
    const event = { type, data: { ...data, email_id } } as EmailEvent;
    return toAppend(event, { at: ago(days), schema: 1 });
  });
  await store.append(streamOf(number), appended, { expectedRevision: 'no_stream' });
}

/** Whose text is in some file. */
const kept = (): number[] => {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) => path.join(dataDir, name));
  // The service removes some of them meanwhile.
  const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const bytes = files.flatMap((file) => {
    try {
      return isFile(file) ? [readFileSync(file)] : [];
    } catch {
      return [];
    }
  });
  return [1, 2, 3, 4, 5].filter((number) => bytes.some((some) => some.includes(saidBy(number))));
};

// The past is written into the file of the log.
test.skipIf(onServers)('a service with RETAIN_EMAILS erases what is due, and nothing else', async () => {
  const on = (...words: readonly string[]) =>
    audience(['--data-dir', dataDir, ...words], { env: { SECRET: secret, RETAIN_EMAILS: '30' } });
  expect(kept()).toEqual([1, 2, 3, 4, 5]);
  const env = { SECRET: secret, SMTP_URL: 'smtp://127.0.0.1:1', RETAIN_EMAILS: '30' };
  const service = await startService({ dataDir, env });
  // The newest event is weeks old, so the clock may be wrong, and nothing is erased until an operator confirms the clock.
  expect(kept()).toEqual([1, 2, 3, 4, 5]);
  expect((await service.post('/v1/clock/confirm')).status).toBe(200);
  await eventually(async () => kept().length === 2 || undefined, { what: 'e-mails that are erased' });
  expect(kept()).toEqual([4, 5]);
  await eventually(
    async () =>
      (JSON.parse((await on('privacy', 'retention', '--json')).out) as { due: number }).due === 0 || undefined,
    { what: 'nothing that is due' },
  );
  expect(JSON.parse((await on('privacy', 'retention', '--json')).out)).toMatchObject({ days: 30, erased: 3 });
  expect((await on('privacy', 'retention', '--dry-run', '--days', '20')).out).toMatch(/^Due: 1 e-mail .* 20 days ago/);
  expect((await on('privacy', 'retention', '--dry-run', '--days', '50')).out).toMatch(/^Due: 0 e-mails .* 50 days ago/);
  const erased = (await service.events()).filter(({ type }) => type === 'EmailErased');
  expect(erased.map(({ data }) => data)).toHaveLength(3);
  for (const { data } of erased) expect(data).toMatchObject({ reason: 'retention' });
  const told = await service.get('/v1/privacy/export?email=ada@example.com', { accept: 'application/json' });
  const { emails } = (told.body as { data: { emails: readonly { erased: boolean }[] } }).data;
  expect(emails.map((one) => one.erased)).toEqual([true, true, true, false, false]);
  expect((await service.get(`/v1/email/${idOf(1)}`)).field('state')).toBe('sent');
  const repeat = async (number: number, change = {}) =>
    (await service.post('/v1/email/send', { ...mailOf(number), ...change }, { 'idempotency-key': keyOf(number) }))
      .status;
  expect(await Promise.all([repeat(5), repeat(5, { subject: 'x' })])).toEqual([200, 422]);
  expect(await Promise.all([repeat(1), repeat(1, { subject: 'x' })])).toEqual([422, 422]);
  await service.close();
  expect(await on('audit', 'verify')).toMatchObject({ code: 0 });
});

test('what a crash left half erased is finished by the next pass', async () => {
  const store = await openOwn();
  const open = () =>
    createCommandHandler({
      ...{ store, decider: emailDecider, cacheSize: 10, random: () => 0.5 },
      sources: { now: Date.now, newEventId: () => crypto.randomUUID(), newSalt: () => exampleSalt },
      sleep: async () => undefined,
    });
  const handler = open();
  const listed = [1, 2, 3, 4, 5].map((number) => ({ email_id: idOf(number), stream: streamOf(number) }));
  const options = {
    store,
    emails: handler,
    async *endedBefore() {
      yield listed;
    },
    removeFiles: async () => undefined,
    monotonic: () => 0,
    pause: async () => undefined,
    signal: new AbortController().signal,
  };
  const noted = { ...handler, execute: () => Promise.reject(new Error('killed')) };
  try {
    await expect(eraseEnded({ ...options, emails: noted }, ago(30))).rejects.toThrow('killed');
    const restarted = { ...options, emails: open() };
    expect(await eraseEnded(restarted, ago(30))).toBe(3);
    expect(await eraseEnded(restarted, ago(30))).toBe(0);
    const { state } = await open().fresh(streamOf(1));
    expect(state).toMatchObject({ status: 'sent', erased_through: 2 });
  } finally {
    await store.close();
  }
});
