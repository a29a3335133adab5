/** Retention: which e-mails lose what they said, in which steps, and how much time is left to others. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import { deriveStreamKeys, emailStream } from '../../src/events/streams.js';
import { eraseEnded, openRetention, retainedSince, type EndedEmail } from '../../src/privacy/retention.js';
import { openLog } from '../support/event-log.js';

const keys = deriveStreamKeys('a secret of the tests, long enough for a key');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const message = {
  ...{ from_email: 'us@example.org', to_email: 'ada@example.org' },
  ...{ subject: 'Hello', mail_template: '<p>a secret word</p>', salt: 'AAAAAAAAAAAAAAAAAAAAAA' },
};
/** After all that a test writes. */
const later = '9999-01-01T00:00:00.000Z';

async function open() {
  const { store } = await openLog();
  const { emails } = await openCommands({
    store,
    keys,
    onUnreadable: () => undefined,
    clock: Date.now,
    newUuid: randomUUID,
  });
  const files: string[] = [];
  const pauses: number[] = [];
  const stopping = new AbortController();
  const given = { now: 0, ended: [] as EndedEmail[] };

  async function request(number: number, isCancelled = true): Promise<EndedEmail> {
    const email_id = `eml_${number}`;
    const email = { email_id, stream: emailStream(email_id) };
    const command = { type: 'RequestEmail', email_id, recipient_key: 'r'.repeat(32), message } as const;
    await emails.execute({ stream: email.stream, command, context });
    if (isCancelled)
      await emails.execute({ stream: email.stream, command: { type: 'CancelEmail', reason: 'test' }, context });
    given.ended.push(email);
    return email;
  }

  const options = {
    ...{ store, emails },
    async *endedBefore() {
      yield given.ended;
    },
    removeFiles(ids: readonly string[]) {
      files.push(...ids);
      return Promise.resolve();
    },
    monotonic: () => (given.now += 5),
    pause(milliseconds: number) {
      pauses.push(milliseconds);
      return Promise.resolve();
    },
    signal: stopping.signal,
  };
  const textOf = async ({ stream }: EndedEmail): Promise<string> => {
    let text = '';
    for await (const events of store.readStream(stream)) text += events.map(({ data }) => data).join('\n');
    return text;
  };
  return { options, request, textOf, emails, store, files, pauses, stopping };
}

it('reckons days back from a time, and not beyond 1970', () => {
  const now = Date.UTC(2026, 2, 31);
  expect(retainedSince(30, now)).toBe('2026-03-01T00:00:00.000Z');
  expect(retainedSince(36_500, now)).toBe('1970-01-01T00:00:00.000Z');
});

it('takes away what an ended e-mail said and its file, and does so once', async () => {
  const { options, request, textOf, files } = await open();
  const email = await request(1);
  expect(await textOf(email)).toContain('a secret word');
  expect(await eraseEnded(options, later)).toBe(1);
  const text = await textOf(email);
  expect(text).not.toContain('a secret word');
  expect(text).toContain('"reason":"retention"');
  expect(await eraseEnded(options, later)).toBe(0);
  expect(files).toEqual(['eml_1']);
});

it('believes the log and not the view: an e-mail that waits, or ended after the time, stays', async () => {
  const { options, request, textOf, files } = await open();
  const waiting = await request(1, false);
  const ended = await request(2);
  expect(await eraseEnded(options, '2000-01-01T00:00:00.000Z')).toBe(0);
  expect(await textOf(ended)).toContain('a secret word');
  expect(await eraseEnded(options, later)).toBe(1);
  expect(await textOf(waiting)).toContain('a secret word');
  expect(files).toEqual(['eml_2']);
});

it('one that fails keeps no other from it, and its fault is thrown at the end', async () => {
  const { options, request, textOf } = await open();
  const [first, second] = [await request(1), await request(2)];
  const removeFiles = ([id = '']: readonly string[]): Promise<void> =>
    id === 'eml_1' ? Promise.reject(new Error('the folder cannot be written')) : Promise.resolve();
  await expect(eraseEnded({ ...options, removeFiles }, later)).rejects.toThrow('the folder cannot be written');
  expect(await textOf(second)).toContain('"reason":"retention"');
  // The next round finds it again.
  expect(await textOf(first)).not.toContain('"reason":"retention"');
  expect(await eraseEnded(options, later)).toBe(1);
});

it('leaves nine times as long to others as a batch took, and begins none when it is to stop', async () => {
  const { options, request, pauses, stopping } = await open();
  for (let number = 1; number <= 21; number += 1) await request(number);
  let now = 0;
  const monotonic = (): number => (now += 40);
  const pause = (milliseconds: number): Promise<void> => {
    stopping.abort();
    return options.pause(milliseconds);
  };
  expect(await eraseEnded({ ...options, monotonic, pause }, later)).toBe(20);
  expect(pauses).toEqual([9 * 40]);
});

it('waits while the clock is not trusted, and then uses the trusted time', async () => {
  const { store, emails } = await open();
  const asked: string[] = [];
  let trusted: number | undefined;
  let looks = 0;
  const stopping = new AbortController();
  const subscriber = await openRetention({
    ...{ store, commands: { emails }, folder: { outbox: 'none' }, logger: { info: () => undefined } },
    config: { roles: new Set(['projector'] as const), retainEmails: 30 },
    openLease: async () => undefined,
    monotonic: () => performance.now(),
    trustedNow() {
      looks += 1;
      if (looks === 3) trusted = Date.UTC(2026, 2, 31);
      return trusted;
    },
    views: {
      hasEmails: () => true,
      worklist: {
        async *emailsEndedBefore(time: string) {
          asked.push(time);
          yield [];
        },
      },
    },
  });
  await subscriber?.handle('turn', stopping.signal, stopping.signal);
  expect(looks).toBe(3);
  expect(asked).toEqual(['2026-03-01T00:00:00.000Z']);
});
