/** The mailer between crashes, rivals, faults of the store, and its own end. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { StoreUnavailableError } from '../../src/eventstore/event-store.js';
import { holdOverdue } from '../../src/mailer/worklist.js';
import type { DueEmail, MailerReport } from '../../src/mailer/job.js';
import { soleRun, type RunEnd, type Runs } from '../../src/mailer/runs.js';
import { doubtDelay, longestPause, mailerTimings } from '../../src/mailer/timings.js';
import type { SendOutcome, Transport } from '../../src/mailer/transport.js';
import { handlerOn, openPostOffice, quickTimings, smtpTransport, typesOf, type EmailHandler } from './mailing.js';
import { startSmtp } from '../support/smtp.js';

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
const messageId = (bytes: Buffer | undefined): string | undefined =>
  /^Message-ID: (.*)$/im.exec(String(bytes))?.[1]?.trim();

/** A claim of a run that is no more. */
const claimOf = (run_id: string, deadline: number) =>
  ({ type: 'StartDispatch', run_id, now: iso(Date.now()), deadline: iso(deadline) }) as const;

test('two mailers race for each e-mail: one attempt, one message', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const transport = smtpTransport(smtp.url);
  // Handlers of their own, as in two processes.
  for (let rival = 0; rival < 3; rival += 1)
    office.startMailer({ transport, soleWriter: false, handler: handlerOn({ ...office.store, soleWriter: false }) });
  const requested = await Promise.all(Array.from({ length: 12 }, () => office.request()));

  for (const { stream } of requested)
    expect(typesOf(await office.until(stream, 'EmailSent'))).toEqual([
      'EmailRequested',
      'EmailDispatchStarted',
      'EmailSent',
    ]);
  expect(smtp.messages.length).toBe(12);
});

test('an attempt that a dead run left behind is in doubt at once for a sole writer, and resent under the same Message-ID', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { stream, email_id } = await office.request();
  await office.execute(stream, claimOf('dead', Date.now() + 60_000));
  // The pause after a lost reply does not count where the sender is known to be dead.
  const timings = { ...quickTimings, attempt: 120_000, reply: 600, inDoubt: 300_000 };
  office.startMailer({ transport: smtpTransport(smtp.url), timings });
  const found = await office.until(stream, 'EmailSent');

  expect(typesOf(found).slice(2)).toEqual(['EmailInDoubt', 'EmailDispatchStarted', 'EmailSent']);
  expect(found[2]?.data).toMatchObject({ attempt: 1, reason: 'run_ended' });
  expect(found[2]?.metadata.$causationId).toBe(found[1]?.id);
  expect(smtp.messages.map(({ bytes }) => messageId(bytes))).toEqual([`<${email_id}@example.org>`]);
});

test('where other processes may live, an attempt is judged after its deadline and not before', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { stream } = await office.request();
  const deadline = Date.now() + 400;
  await office.execute(stream, claimOf('other', deadline));
  office.startMailer({ transport: smtpTransport(smtp.url), soleWriter: false });
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found).slice(2)).toEqual(['EmailInDoubt', 'EmailDispatchStarted', 'EmailSent']);
  expect(found[2]?.data).toMatchObject({ reason: 'deadline_passed' });
  expect(Date.parse(found[2]?.metadata.at ?? '')).toBeGreaterThan(deadline);
});

test('MAIL_IN_DOUBT=hold: what is in doubt is not sent again until it is released', async () => {
  const smtp = await startSmtp(['close after dot', 'accept']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url), inDoubtPolicy: 'hold' });
  const { stream } = await office.request();
  const held = await office.until(stream, 'EmailInDoubt');
  expect(held.at(-1)?.data).toMatchObject({ next_attempt_at: null });
  // What is due is sent in the order in which it is due.
  await office.until((await office.request()).stream, 'EmailSent');
  expect(smtp.attempts()).toBe(2);

  await office.execute(stream, { type: 'ReleaseEmail', next_attempt_at: iso(Date.now()) });
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found).slice(-4)).toEqual(['EmailInDoubt', 'EmailReleased', 'EmailDispatchStarted', 'EmailSent']);
});

test('a lost reply is not followed by a second copy for five minutes, and then for twice as long', async () => {
  const smtp = await startSmtp(['close after dot']);
  const office = await openPostOffice();
  const { inDoubt } = mailerTimings;
  expect(inDoubt).toBe(300_000);
  office.startMailer({ transport: smtpTransport(smtp.url), timings: { ...quickTimings, inDoubt } });
  const { stream } = await office.request();
  const doubt = (await office.until(stream, 'EmailInDoubt')).at(-1);
  const { next_attempt_at: next } = z.object({ next_attempt_at: z.string() }).parse(doubt?.data);
  const pause = Date.parse(next) - Date.parse(doubt?.metadata.at ?? '');
  expect(pause).toBeGreaterThan(inDoubt - 1_000);
  expect(pause).toBeLessThan(inDoubt * 1.1 + 1_000);
  const pauses = [0, 1, 2, 3].map((round) => doubtDelay(round, mailerTimings, () => 0));
  expect(pauses).toEqual([300_000, 600_000, 1_200_000, 2_400_000]);
});

test('while the relay takes nothing, what waits for too long is held, the oldest first, and no more than a portion', async () => {
  const office = await openPostOffice();
  const first = await office.request();
  const [released, cancelled, running] = [await office.request(), await office.request(), await office.request()];
  await office.execute(cancelled.stream, { type: 'CancelEmail', reason: 'x' });
  await office.execute(released.stream, { type: 'HoldEmail', reason: 'restored' });
  const reports: MailerReport[] = [];
  const giveUp = 60_000;
  const options = {
    reader: office.store,
    handler: office.handler,
    overdue: office.overdue,
    timings: { ...quickTimings, giveUp },
    report: (report: MailerReport) => reports.push(report),
  };
  const hold = (now: number | undefined) =>
    holdOverdue({ ...options, trustedNow: () => now }, 'dns', new AbortController().signal);
  expect(await hold(Date.now())).toBe(0);
  await office.execute(running.stream, claimOf('run', Date.now() + 600_000));
  const later = Date.now() + giveUp + 1;
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(later - giveUp));
  await office.execute(released.stream, { type: 'ReleaseEmail', next_attempt_at: iso(Date.now()) });

  // The clock is not trusted.
  expect(await hold(undefined)).toBe(0);
  expect(await hold(later)).toBe(1);
  expect(await hold(later)).toBe(0);
  expect(reports).toEqual([{ type: 'held_overdue', emails: 1, reason: 'dns' }]);
  const found = await office.events(first.stream);
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailHeld']);
  expect(found.at(-1)?.data).toEqual({ email_id: first.email_id, reason: 'dns' });
  expect(found.at(-1)?.metadata).toMatchObject({ $correlationId: 'corr', $causationId: found[0]?.id, actor: 'mailer' });
  // Its time began again with the release.
  expect(typesOf(await office.events(released.stream)).at(-1)).toBe('EmailReleased');
});

test('the fifth doubt is held', async () => {
  const smtp = await startSmtp([...Array<'close after dot'>(5).fill('close after dot'), 'accept']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url) });
  const { stream } = await office.request();
  const found = await office.untilEvents(stream, (events) => {
    const data = events.at(-1)?.data ?? {};
    return 'next_attempt_at' in data && data.next_attempt_at === null;
  });
  const doubts = found.filter(({ type }) => type === 'EmailInDoubt');
  expect(doubts.map(({ data }) => 'next_attempt_at' in data && data.next_attempt_at === null)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  await office.until((await office.request()).stream, 'EmailSent');
  expect(smtp.messages.length).toBe(6);
  expect(new Set(smtp.messages.slice(0, 5).map(({ bytes }) => messageId(bytes))).size).toBe(1);
});

/** A transport under the test's hand. */
function heldTransport(): { transport: Transport; sends: number[]; answer: (outcome: SendOutcome) => void } {
  const sends: number[] = [];
  let answer: (outcome: SendOutcome) => void = () => undefined;
  return {
    sends,
    answer: (outcome) => answer(outcome),
    transport: {
      probe: () => Promise.resolve({ status: 'ready' }),
      limit: () => undefined,
      close: () => undefined,
      send: (_mail, { signal }) => {
        sends.push(Date.now());
        return new Promise((resolve) => {
          answer = resolve;
          signal.addEventListener('abort', () => resolve({ status: 'in_doubt', reason: 'stopped' }));
        });
      },
    },
  };
}

test('a 250 that cannot be recorded is recorded later, and nothing is sent meanwhile', async () => {
  const office = await openPostOffice();
  let broken = 4;
  const handler = {
    ...office.handler,
    execute: ((request) => {
      if (request.command.type !== 'RecordSent' || broken === 0) return office.handler.execute(request);
      broken -= 1;
      return Promise.reject(new StoreUnavailableError('gone'));
    }) satisfies typeof office.handler.execute,
  };
  const { transport, sends, answer } = heldTransport();
  const { reports } = office.startMailer({ transport, handler });
  const { stream } = await office.request();
  await office.until(stream, 'EmailDispatchStarted');
  await expect.poll(() => sends.length).toBe(1);
  answer({ status: 'sent', reason: 'accepted', smtp_code: 250 });
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailDispatchStarted', 'EmailSent']);
  expect(sends.length).toBe(1);
  expect(reports.filter(({ type }) => type === 'record_failed').length).toBe(4);
});

/** The first claim of an e-mail is stored, and the handler does not hear of it. */
function withLostClaim(handler: EmailHandler) {
  let isLost = false;
  const execute: EmailHandler['execute'] = async (request) => {
    const handled = await handler.execute(request);
    if (request.command.type !== 'StartDispatch' || isLost) return handled;
    isLost = true;
    throw new StoreUnavailableError('the reply was lost');
  };
  return { handler: { ...handler, execute }, isLost: () => isLost };
}

test('a claim whose acknowledgement was lost is noticed as our own: nothing was sent on it, nothing is in doubt', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { handler } = withLostClaim(office.handler);
  office.startMailer({ transport: smtpTransport(smtp.url), handler });
  const { stream } = await office.request();
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found).slice(1)).toEqual([
    'EmailDispatchStarted',
    'EmailDeferred',
    'EmailDispatchStarted',
    'EmailSent',
  ]);
  expect(found[2]?.data).toMatchObject({ reason: 'not_started' });
  expect(smtp.messages.length).toBe(1);
});

test('a claim of unknown outcome is not forgotten when the next look fails', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { handler, isLost } = withLostClaim(office.handler);
  let failures = 3;
  const reader = {
    readStream: ((...parameters) => {
      if (isLost() && (failures -= 1) >= 0) throw new StoreUnavailableError('no quorum');
      return office.store.readStream(...parameters);
    }) satisfies typeof office.store.readStream,
  };
  // Its deadline is far away, and the worklist shows it then.
  const timings = { ...quickTimings, attempt: 120_000 };
  office.startMailer({ transport: smtpTransport(smtp.url), handler, reader, timings });
  const { stream } = await office.request();
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found).slice(1)).toEqual([
    'EmailDispatchStarted',
    'EmailDeferred',
    'EmailDispatchStarted',
    'EmailSent',
  ]);
  expect(failures).toBeLessThan(0);
  expect(smtp.messages.length).toBe(1);
});

/** Runs of a mailer that shares the log: its own as the test says, and the ends of others. */
function runsUnder(id: string, others: (runId: string) => RunEnd | undefined = () => undefined) {
  const state = { isHeld: true };
  const runs: Runs = {
    current: () => (state.isHeld ? id : undefined),
    isCertain: (runId) => state.isHeld && runId === id,
    isOwn: (runId) => runId === id,
    endOf: (runId) => Promise.resolve(others(runId)),
    close: () => Promise.resolve(),
  };
  return { state, runs };
}

test('of a run that has ended, what it claimed in time is in doubt, and what it claimed afterwards is due at once', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const [before, after] = [await office.request(), await office.request()];
  await office.execute(before.stream, claimOf('ended.1', Date.now() + 60_000));
  const silentSince = await office.store.head();
  await office.execute(after.stream, claimOf('ended.1', Date.now() + 60_000));
  const { runs } = runsUnder('judge.1', (runId) => (runId === 'ended.1' ? { silentSince } : undefined));
  office.startMailer({ transport: smtpTransport(smtp.url), soleWriter: false, runs });
  const [inDoubt, again] = [
    await office.until(before.stream, 'EmailSent'),
    await office.until(after.stream, 'EmailSent'),
  ];
  expect(inDoubt[2]).toMatchObject({ type: 'EmailInDoubt', data: { reason: 'run_ended', attempt: 1 } });
  expect(again[2]).toMatchObject({ type: 'EmailDeferred', data: { reason: 'not_started', attempt: 1 } });
  expect(smtp.messages).toHaveLength(2);
});

test('a mailer whose lease lapsed before the final dot does not give it, and the e-mail goes out under the next run at once', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { state, runs } = runsUnder('one.1');
  const inner = smtpTransport(smtp.url);
  const transport: Transport = {
    ...inner,
    send: async (mail, limits) => {
      state.isHeld = false;
      return await inner.send(mail, limits);
    },
  };
  const timings = { ...quickTimings, backoff: 120_000, backoffCap: 120_000 };
  const { mailer } = office.startMailer({ transport, soleWriter: false, runs, timings });
  const { stream } = await office.request();
  const [, , lapsed] = await office.untilEvents(stream, (found) => found.length > 2);
  expect(lapsed).toMatchObject({ type: 'EmailDeferred', data: { reason: 'run_lapsed' } });
  expect(smtp.messages).toHaveLength(0);
  await mailer.close();
  office.startMailer({ transport: inner, soleWriter: false, runs: runsUnder('one.2').runs });
  await office.until(stream, 'EmailSent');
  expect(smtp.messages).toHaveLength(1);
});

test('nothing is claimed while the lease is not held', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { state, runs } = runsUnder('one.1');
  state.isHeld = false;
  let asked = 0;
  const current = () => ((asked += 1), runs.current());
  const given = { transport: smtpTransport(smtp.url), soleWriter: false, runs: { ...runs, current } };
  const { mailer } = office.startMailer(given);
  const { stream } = await office.request();
  await expect.poll(() => mailer.status().hasRun).toBe(false);
  await expect.poll(() => asked).toBeGreaterThan(2);
  expect(typesOf(await office.events(stream))).toEqual(['EmailRequested']);
  state.isHeld = true;
  await office.until(stream, 'EmailSent');
});

test('a late 250 for an attempt that others put in doubt is recorded, and ends it', async () => {
  const office = await openPostOffice();
  const { transport, sends, answer } = heldTransport();
  office.startMailer({ transport, soleWriter: false, timings: { ...quickTimings, attempt: 1_000 } });
  const { stream } = await office.request();
  await expect.poll(() => sends.length).toBe(1);
  await office.execute(stream, {
    type: 'RecordInDoubt',
    attempt: 1,
    reason: 'deadline_passed',
    judge: 'other',
    run_ended: false,
    now: iso(Date.now() + 5_000),
    next_attempt_at: iso(Date.now() + 60_000),
  });
  answer({ status: 'sent', reason: 'accepted' });
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found).slice(-2)).toEqual(['EmailInDoubt', 'EmailSent']);
});

test('close lets a running attempt end', async () => {
  const smtp = await startSmtp(['slow']);
  const office = await openPostOffice();
  const { mailer } = office.startMailer({ transport: smtpTransport(smtp.url) });
  const { stream } = await office.request();
  await office.until(stream, 'EmailDispatchStarted');
  await mailer.close();
  expect(typesOf(await office.events(stream))).toEqual(['EmailRequested', 'EmailDispatchStarted', 'EmailSent']);
  expect(mailer.status()).toMatchObject({ running: 0 });
});

test('close records what is known of an attempt that does not end', async () => {
  const smtp = await startSmtp(['hang after dot']);
  const office = await openPostOffice();
  const timings = { ...quickTimings, closeGrace: 200 };
  const { mailer } = office.startMailer({ transport: smtpTransport(smtp.url), timings });
  const { stream } = await office.request();
  await expect.poll(() => smtp.messages.length).toBe(1);
  await mailer.close();
  expect((await office.events(stream)).at(-1)).toMatchObject({ type: 'EmailInDoubt', data: { reason: 'stopped' } });
});

test('close before the message was handed over defers it, due at once', async () => {
  const smtp = await startSmtp(['mute']);
  const office = await openPostOffice();
  const timings = { ...quickTimings, closeGrace: 50 };
  const { mailer } = office.startMailer({ transport: smtpTransport(smtp.url), timings });
  const { stream } = await office.request();
  await expect.poll(() => smtp.connections()).toBe(1);
  await mailer.close();
  expect((await office.events(stream)).at(-1)).toMatchObject({ type: 'EmailDeferred', data: { reason: 'stopped' } });
});

test('one attempt can be cut off; what is known is recorded, and others go on', async () => {
  const smtp = await startSmtp(['hang after dot', 'accept']);
  const office = await openPostOffice();
  const { mailer } = office.startMailer({ transport: smtpTransport(smtp.url), inDoubtPolicy: 'hold' });
  const { stream } = await office.request();
  await expect.poll(() => smtp.messages.length).toBe(1);
  const other = await office.request();
  await office.until(other.stream, 'EmailSent');
  expect([mailer.cutOff('email-unknown'), mailer.cutOff(stream)]).toEqual([false, true]);
  expect((await office.until(stream, 'EmailInDoubt')).at(-1)).toMatchObject({ data: { reason: 'stopped' } });
});

test('who is to be erased is not written to, and what waits for others is', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const refused = await office.request();
  const asked: string[] = [];
  office.startMailer({
    transport: smtpTransport(smtp.url),
    mayGoOut: async ({ position }) => (asked.push(position) > 0 && position < '00000000000000000002' ? 'erased' : true),
  });
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  const other = await office.request();
  await office.until(other.stream, 'EmailSent');
  expect(typesOf(await office.events(refused.stream))).toEqual(['EmailRequested']);
  expect(smtp.messages).toHaveLength(1);
});

test('nothing is claimed after close, and an e-mail that waits is sent by the next run', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const first = office.startMailer({ transport: smtpTransport(smtp.url) });
  await first.mailer.close();
  const { stream } = await office.request();
  first.mailer.wake();
  const next = { run_id: randomUUID() };
  office.startMailer({ transport: smtpTransport(smtp.url), runs: soleRun(next.run_id) });
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailDispatchStarted', 'EmailSent']);
  expect(found[1]?.data).toMatchObject(next);
});

test('a worklist that lags or lies is looked at, not believed, and not hammered', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const { stream, email_id } = await office.request();
  const ghost = { email_id: 'eml_GHOST', stream: 'email-none' };
  let asked = 0;
  let reads = 0;
  const stale = { state: 'requested', run_id: null, attempts: 0, next_attempt_at: iso(0) };
  const due = (): Promise<readonly DueEmail[]> => {
    asked += 1;
    return Promise.resolve([
      { ...ghost, ...stale },
      { email_id, stream, ...stale },
    ]);
  };
  const reader = {
    readStream: ((...parameters) => {
      reads += 1;
      return office.store.readStream(...parameters);
    }) satisfies typeof office.store.readStream,
  };
  office.startMailer({ transport: smtpTransport(smtp.url), due, reader, timings: { ...quickTimings, stale: 50 } });
  await office.until(stream, 'EmailSent');
  const [before, began] = [asked, performance.now()];
  await vi.waitUntil(() => asked > before + 10, 10_000);
  expect(performance.now() - began).toBeGreaterThan(10 * (quickTimings.poll / 4));
  expect(smtp.messages.length).toBe(1);
  expect(reads).toBeLessThan(20);
});

test('no more attempts at once than allowed, and all e-mails go out', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  const inner = smtpTransport(smtp.url);
  let now = 0;
  let most = 0;
  const transport: Transport = {
    ...inner,
    send: async (mail, limits) => {
      most = Math.max(most, (now += 1));
      return await inner.send(mail, limits).finally(() => (now -= 1));
    },
  };
  const requested = await Promise.all(Array.from({ length: 15 }, () => office.request()));
  office.startMailer({ transport, concurrency: 3 });
  for (const { stream } of requested) await office.until(stream, 'EmailSent');
  expect(most).toBe(3);
  expect(smtp.messages.length).toBe(15);
});

describe('when the clock was ahead', () => {
  const day = 86_400_000;
  /** The clock of the machine, which was ahead by a year when the emails were put off. */
  const ahead = Date.now() + 365 * day;
  const timings = { ...quickTimings, backoff: 200, backoffCap: 800, inDoubt: 200 };

  /** An email whose first attempt ended a year ahead. */
  async function putOff(office: Awaited<ReturnType<typeof openPostOffice>>, type: 'RecordDeferred' | 'RecordInDoubt') {
    const { stream } = await office.request();
    await office.execute(stream, claimOf('dead', ahead + 60_000));
    const common = { attempt: 1, reason: 'timeout', next_attempt_at: iso(ahead) };
    await office.execute(
      stream,
      type === 'RecordDeferred'
        ? { type, ...common }
        : { type, ...common, judge: 'dead', run_ended: true, now: iso(ahead) },
    );
    return stream;
  }

  test.each([
    ['RecordDeferred', 'deferred'],
    ['RecordInDoubt', 'in_doubt'],
  ] as const)(
    'an email that was put off while the clock was ahead (%s) is sent after its longest pause, counted from now',
    async (type, state) => {
      const smtp = await startSmtp(['accept']);
      const office = await openPostOffice();
      const stream = await putOff(office, type);
      const began = performance.now();
      office.startMailer({ transport: smtpTransport(smtp.url), timings });
      const found = await office.until(stream, 'EmailSent');
      expect(found.filter(({ type }) => type === 'EmailDispatchStarted')).toHaveLength(2);
      expect(performance.now() - began).toBeGreaterThan(longestPause({ state, attempts: 1 }, timings) - 5);
    },
  );

  test('an email that was requested while the clock was ahead is sent at once', async () => {
    const smtp = await startSmtp(['accept']);
    const office = await openPostOffice();
    const { stream } = await office.request();
    // The view says that it is due in a year, which is when the request was dated.
    const dueAfter = async function* () {
      yield (await office.due(iso(ahead), 10)).map((email) => ({ ...email, next_attempt_at: iso(ahead) }));
    };
    office.startMailer({ transport: smtpTransport(smtp.url), due: () => Promise.resolve([]), dueAfter });
    await office.until(stream, 'EmailSent');
  });

  test('misdated emails are found also if the clock is set back while the mailer runs', async () => {
    const smtp = await startSmtp(['recipient 450', 'accept']);
    const office = await openPostOffice();
    let offset = 365 * day;
    const clocks = { clock: () => Date.now() + offset, trustedNow: () => undefined };
    office.startMailer({ transport: smtpTransport(smtp.url), timings, ...clocks });
    const { stream } = await office.request();
    await office.until(stream, 'EmailDeferred');
    offset = 0;
    await office.until(stream, 'EmailSent');
  });

  test('an email that the views did not show at the first look is sent soon all the same', async () => {
    const smtp = await startSmtp(['accept']);
    const office = await openPostOffice();
    const { stream } = await office.request();
    let looks = 0;
    const dueAfter = async function* () {
      looks += 1;
      if (looks > 1)
        yield (await office.due(iso(ahead), 10)).map((email) => ({ ...email, next_attempt_at: iso(ahead) }));
    };
    office.startMailer({ transport: smtpTransport(smtp.url), due: () => Promise.resolve([]), dueAfter });
    await office.until(stream, 'EmailSent');
  });

  test('nothing is given up while the clock is not trusted', async () => {
    const smtp = await startSmtp(['recipient 450', 'recipient 450', 'accept']);
    const office = await openPostOffice();
    const { stream } = await office.request();
    const clock = (): number => Date.now() + 365 * day;
    office.startMailer({ transport: smtpTransport(smtp.url), clock, trustedNow: () => undefined });
    expect(typesOf(await office.until(stream, 'EmailSent')).filter((type) => type === 'EmailDeferred')).toHaveLength(2);
  });
});
