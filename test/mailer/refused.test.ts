/** E-mails that are refused after they were asked for: they are cancelled, and none goes out later than the answer that allowed it holds. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listDecider } from '../../src/commands/catalogue.js';
import { contactDecider } from '../../src/commands/contact.js';
import { createRecipientCheck } from '../../src/commands/recipients.js';
import { suppressionDecider } from '../../src/commands/suppressions.js';
import { contactStream, listsStream, suppressionStream } from '../../src/events/streams.js';
import type { SuppressionReason } from '../../src/events/suppressions.js';
import type { EventStore } from '../../src/eventstore/event-store.js';
import { attemptEmail } from '../../src/mailer/attempt.js';
import { createMayGoOut } from '../../src/mailer/load.js';
import { soleRun } from '../../src/mailer/runs.js';
import type { Transport } from '../../src/mailer/transport.js';
import { usually } from '../support/amount.js';
import { realTime } from '../support/real-time.js';
import { startSmtp } from '../support/smtp.js';
import { handlerOf, handlerOn, openPostOffice, quickTimings, smtpTransport, someProof, typesOf } from './mailing.js';

const list = { list_id: 'lst_01ARZ3NDEKTSV4RRFFQ69G5FAV', list_name: 'News' };
const context = { correlationId: 'corr', causationId: 'corr', requestId: 'req-1', actor: 'test' };
const someKey = (): string => randomBytes(16).toString('hex');
const unsubscribeUrl = () => 'https://mail.example.com/u/token';
const instantly: Transport = {
  async send(_, { beforeHandOver, mayHandOver }) {
    if (!(await beforeHandOver?.())) return { status: 'withdrawn' };
    return mayHandOver()
      ? { status: 'sent', reason: 'accepted' }
      : { status: 'deferred', reason: 'timeout', stage: 'data' };
  },
  probe: () => Promise.resolve({ status: 'ready' }),
  limit: () => undefined,
  close: () => undefined,
};

/** What one process can ask of the log and write to it. */
function processOn(store: EventStore) {
  const lists = handlerOf(store, listDecider);
  const contacts = handlerOf(store, contactDecider);
  const suppressions = handlerOf(store, suppressionDecider);
  const setStatus = async (key: string, status: 'Subscribed' | 'Unsubscribed'): Promise<unknown> =>
    contacts.execute({
      stream: contactStream(key),
      command: {
        ...{ type: 'Upsert', contactId: `con_${key}`, email: `${key}@example.com`, profile: {} },
        ...{ list, tags: [], status },
      },
      context,
    });
  return {
    mayGoOut: createMayGoOut({
      isToBeErased: () => Promise.resolve(false),
      checkRecipient: createRecipientCheck({ lists, contacts, suppressions }),
    }),
    createList: () =>
      lists.execute({
        stream: listsStream,
        command: { type: 'Create', id: list.list_id, name: list.list_name },
        context,
      }),
    deleteList: () => lists.execute({ stream: listsStream, command: { type: 'Delete', id: list.list_id }, context }),
    subscribe: (key: string) => setStatus(key, 'Subscribed'),
    unsubscribe: (key: string) => setStatus(key, 'Unsubscribed'),
    suppress: (key: string, scope: string, reason: SuppressionReason) =>
      suppressions.execute({
        stream: suppressionStream(key),
        command: { type: 'Suppress', entries: [{ scope, reason }], person: { email: `${key}@example.com` } },
        context,
      }),
  };
}

async function openListOffice() {
  const office = await openPostOffice();
  const own = processOn(office.store);
  await own.createList();
  const reader = async (key = someKey()): Promise<string> => {
    await own.subscribe(key);
    return key;
  };
  return { ...office, ...own, reader };
}

type Office = Awaited<ReturnType<typeof openListOffice>>;

test.each<[string, (office: Office, key: string) => Promise<unknown>, string]>([
  ['a refusal of the list', ({ suppress }, key) => suppress(key, list.list_id, 'unsubscribe'), 'suppressed'],
  ['a refusal of all mail', ({ suppress }, key) => suppress(key, 'all', 'unsubscribe'), 'suppressed'],
  ['the status', ({ unsubscribe }, key) => unsubscribe(key), 'unsubscribed'],
  ['the end of the list', ({ deleteList }) => deleteList(), 'list_deleted'],
])('%s cancels what was asked for before, without an attempt', async (_, refuse, reason) => {
  const office = await openListOffice();
  const key = await office.reader();
  const { stream, email_id } = await office.request({}, key, list);
  await refuse(office, key);
  const { mayGoOut } = office;
  const { reports } = office.startMailer({ transport: instantly, mayGoOut, unsubscribeUrl });
  const found = await office.until(stream, 'EmailCancelled');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailCancelled']);
  expect(found[1]).toMatchObject({
    data: { email_id, reason },
    metadata: { actor: 'mailer', $causationId: found[0]?.id },
  });
  await vi.waitUntil(() => reports.length > 0);
  expect(reports).toEqual([{ type: 'recorded', email_id, attempt: 0, outcome: 'cancelled', reason }]);
});

test('mail to nobody in a list stops for what concerns all mail, and for no newsletter', async () => {
  const office = await openListOffice();
  const { mayGoOut, suppress } = office;
  const reasons = ['hard_bounce', 'repeated_bounces', 'complaint', 'manual', 'unsubscribe'] as const;
  const keys = reasons.map(() => someKey());
  for (const [at, reason] of reasons.entries()) await suppress(keys[at] ?? '', 'all', reason);
  const free = someKey();
  await suppress(free, list.list_id, 'manual');
  const requested = await Promise.all([...keys, free].map((key) => office.request({}, key)));
  office.startMailer({ transport: instantly, mayGoOut });
  const ends = requested.map(async ({ stream }) => {
    const found = await office.untilEvents(stream, (events) => isOver.test(events.at(-1)?.type ?? ''));
    return found.at(-1)?.type;
  });
  const cancelled = 'EmailCancelled';
  expect(await Promise.all(ends)).toEqual([...Array(4).fill(cancelled), 'EmailSent', 'EmailSent']);
});

test('a mailer without PUBLIC_URL leaves mail to lists, looks at each once, and sends the rest', async () => {
  const office = await openListOffice();
  const { mayGoOut, store } = office;
  const key = await office.reader();
  const left: { stream: string }[] = [];
  for (let at = 0; at < 20; at += 1) left.push(await office.request({}, key, list));
  const looks = new Map<string, number>();
  const reader: typeof store = {
    ...store,
    readStream(stream, options) {
      looks.set(stream, (looks.get(stream) ?? 0) + 1);
      return store.readStream(stream, options);
    },
  };
  const { reports } = office.startMailer({ reader, transport: instantly, mayGoOut });
  for (let at = 0; at < 10; at += 1) {
    const { stream } = await office.request({}, someKey());
    await office.until(stream, 'EmailSent');
    await realTime(2 * quickTimings.stale);
  }
  expect(left.map(({ stream }) => looks.get(stream))).toEqual(left.map(() => 1));
  expect(reports.filter(({ type }) => type === 'fault')).toHaveLength(1);
  office.startMailer({ transport: instantly, mayGoOut, unsubscribeUrl });
  for (const { stream } of left) await office.until(stream, 'EmailSent');
});

test('a released e-mail is asked about again, and another subscriber still gets theirs', async () => {
  const office = await openListOffice();
  const { mayGoOut, suppress } = office;
  const key = await office.reader();
  const { stream } = await office.request({}, key, list);
  await office.execute(stream, { type: 'HoldEmail', reason: 'x' });
  await suppress(key, list.list_id, 'unsubscribe');
  await office.execute(stream, { type: 'ReleaseEmail', next_attempt_at: new Date().toISOString() });
  const other = await office.request({}, await office.reader(), list);
  office.startMailer({ transport: instantly, mayGoOut, unsubscribeUrl });
  const found = await office.until(stream, 'EmailCancelled');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailHeld', 'EmailReleased', 'EmailCancelled']);
  await office.until(other.stream, 'EmailSent');
});

test('refused while it is on its way: withdrawn before the final dot', async () => {
  const office = await openListOffice();
  const key = await office.reader();
  const { mayGoOut, unsubscribe } = office;
  const transport: Transport = {
    ...instantly,
    async send(mail, limits) {
      await unsubscribe(key);
      return await instantly.send(mail, limits);
    },
  };
  const timings = { ...quickTimings, askAgain: 0 };
  office.startMailer({ transport, mayGoOut, unsubscribeUrl, timings });
  const { stream } = await office.request({}, key, list);
  const found = await office.until(stream, 'EmailCancelled');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailDispatchStarted', 'EmailDeferred', 'EmailCancelled']);
  expect(found.at(-1)?.data).toMatchObject({ reason: 'unsubscribed' });
});

test('an answer that took too long allows no final dot', async () => {
  const office = await openListOffice();
  let ahead = 0;
  const { stream } = await office.request({}, await office.reader(), list);
  let asked = 0;
  office.startMailer({
    transport: instantly,
    unsubscribeUrl,
    monotonic: () => performance.now() + ahead,
    mayGoOut: async (email) => {
      const answer = await office.mayGoOut(email);
      // At first the store takes six seconds to answer, and again when it is asked anew.
      if ((asked += 1) <= 2) ahead += 6_000;
      return answer;
    },
  });
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found).slice(1)).toEqual([
    'EmailDispatchStarted',
    'EmailDeferred',
    'EmailDispatchStarted',
    'EmailSent',
  ]);
  expect(asked).toBe(3);
});

test('a mailer that can make no link sends no mail to a list, and says so; the e-mail waits', async () => {
  const office = await openListOffice();
  const { mayGoOut } = office;
  const { stream } = await office.request({}, await office.reader(), list);
  const { mailer, reports } = office.startMailer({ transport: instantly, mayGoOut });
  await vi.waitUntil(() => reports.some(({ type }) => type === 'fault'));
  expect(reports[0]).toMatchObject({
    type: 'fault',
    error: { message: expect.stringContaining('PUBLIC_URL') as unknown },
  });
  await mailer.close();
  expect(typesOf(await office.events(stream))).toEqual(['EmailRequested']);
  office.startMailer({ transport: instantly, mayGoOut, unsubscribeUrl });
  await office.until(stream, 'EmailSent');
});

/** The answers hold for a hundredth of the time that they hold in service, so that many final dots fall on each side of it. */
const short = { ...quickTimings, askAgain: 30, permission: 50 };
const isOver = /^Email(?:Sent|Cancelled)$/;
const never = new AbortController().signal;
const patientRelay = { mayClaim: () => true, works: () => undefined, ended: () => false, close: () => undefined };

test.each([
  ['one process', true],
  ['processes that share the log', false],
])('races of refusal and final dot, in %s: none later than the answer holds', async (_, soleWriter) => {
  const office = await openListOffice();
  const smtp = await startSmtp(['accept']);
  const store = { ...office.store, soleWriter };
  const [mailing, refusing] = soleWriter ? [office, office] : [processOn(store), processOn(store)];
  const relay = smtpTransport(smtp.url);
  onTestFinished(() => relay.close());
  const dots = new Map<string, number>();
  const transport: Transport = {
    ...relay,
    send: async (mail, limits) =>
      await relay.send(mail, {
        ...limits,
        // As at a relay that is slow before the end of the message, and in a process that stands still then.
        async beforeHandOver() {
          await realTime(Math.random() * 80);
          const may = (await limits.beforeHandOver?.()) ?? true;
          if (Math.random() < 0.3) await realTime(Math.random() * 80);
          return may;
        },
        mayHandOver() {
          const may = limits.mayHandOver();
          if (may) dots.set(mail.email_id, performance.now());
          return may;
        },
      }),
  };
  const attemptOptions = {
    ...{ reader: store, transport, mayGoOut: mailing.mayGoOut, unsubscribeUrl, soleWriter },
    handler: soleWriter ? office.handler : handlerOn(store),
    runs: soleRun('run'),
    clock: Date.now,
    trustedNow: Date.now,
    monotonic: () => performance.now(),
    random: () => 0,
    inDoubtPolicy: 'resend',
    proofOf: someProof,
    timings: short,
    report: () => undefined,
  } as const;

  async function attemptUntilOver(stream: string): Promise<string> {
    for (;;) {
      await attemptEmail(attemptOptions, stream, { sending: never, recording: never, trial: patientRelay });
      const last = (await office.events(stream)).at(-1)?.type ?? '';
      if (isOver.test(last)) return last;
    }
  }

  const counts = { EmailSent: 0, EmailCancelled: 0, latest: 0 };
  const round = async (): Promise<void> => {
    const key = await office.reader();
    const { stream, email_id } = await office.request({}, key, list);
    const end = attemptUntilOver(stream);
    // Some refuse once they have got it.
    await (Math.random() < 0.1 ? end : realTime(Math.random() * 100));
    const ways = [
      () => refusing.suppress(key, list.list_id, 'unsubscribe'),
      () => refusing.suppress(key, 'all', 'complaint'),
      () => refusing.unsubscribe(key),
    ];
    await ways[Math.floor(Math.random() * ways.length)]?.();
    const refused = performance.now();
    counts[(await end) === 'EmailSent' ? 'EmailSent' : 'EmailCancelled'] += 1;
    counts.latest = Math.max(counts.latest, (dots.get(email_id) ?? 0) - refused);
  };
  const rounds = usually(50, 5_000);
  const atOnce = usually(10, 30);
  // Chance decides each round, so more rounds follow if one of the two ends was not met yet.
  const isMissing = (): boolean => Math.min(counts.EmailSent, counts.EmailCancelled) === 0;
  for (let done = 0; done < rounds || (isMissing() && done < 10 * rounds); done += atOnce)
    await Promise.all(Array.from({ length: atOnce }, round));

  expect(counts.latest).toBeLessThanOrEqual(short.permission);
  // Each end was met.
  expect(Math.min(counts.EmailSent, counts.EmailCancelled)).toBeGreaterThan(0);
  expect([dots.size, smtp.messages.length]).toEqual([counts.EmailSent, counts.EmailSent]);
});
