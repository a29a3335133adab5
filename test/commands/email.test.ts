/** The rules of an e-mail: each command in each state, and that a decision made again changes nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal, type RequestFingerprint } from '../../src/commands/decider.js';
import { emailDecider, isDue, maxDoubts, type EmailCommand, type EmailState } from '../../src/commands/email.js';
import type { EmailEvent } from '../../src/events/email.js';

const { decide, evolve, initial } = emailDecider;
const at = (minute: number): string => new Date(Date.UTC(2024, 4, 6, 7, minute)).toISOString();
const id = { email_id: 'eml_1' };
const message = { from_email: 'a@b.example', to_email: 'c@d.example', subject: 's', mail_template: 't' };

const request: EmailCommand = { type: 'RequestEmail', ...id, recipient_key: 'r', message };
const start: EmailCommand = { type: 'StartDispatch', run_id: 'run', deadline: at(30), now: at(10) };
const sent = (attempt = 1): EmailCommand => ({ type: 'RecordSent', attempt, reason: 'accepted', smtp_code: 250 });
const defer: EmailCommand = { type: 'RecordDeferred', attempt: 1, reason: 'smtp_4xx', next_attempt_at: at(20) };
const fail: EmailCommand = { type: 'RecordFailed', attempt: 1, reason: 'smtp_5xx', smtp_code: 550, response: 'no' };
const doubt = (
  change: { judge?: string; run_ended?: boolean; now?: string; next?: string | null } = {},
): EmailCommand => ({
  type: 'RecordInDoubt',
  attempt: 1,
  reason: 'connection_lost',
  judge: change.judge ?? 'run',
  run_ended: change.run_ended ?? false,
  now: change.now ?? at(12),
  next_attempt_at: change.next === undefined ? at(20) : change.next,
});
const deferAndHold: EmailCommand = { ...defer, reason: 'policy', hold: true };
const cancel: EmailCommand = { type: 'CancelEmail', reason: 'requested_by_client' };
const hold = (waiting_before?: string): EmailCommand => ({
  type: 'HoldEmail',
  reason: 'restored',
  ...(waiting_before === undefined ? {} : { waiting_before }),
});
const release: EmailCommand = { type: 'ReleaseEmail', next_attempt_at: at(10) };

const requested: EmailEvent = {
  type: 'EmailRequested',
  data: { ...id, recipient_key: 'r', message },
};
const claimed = (attempt = 1): EmailEvent => ({
  type: 'EmailDispatchStarted',
  data: { ...id, attempt, run_id: 'run', deadline: at(30) },
});
const wasSent = (attempt = 1): EmailEvent => ({ type: 'EmailSent', data: { ...id, attempt, reason: 'accepted' } });
const deferred = (minute = 5): EmailEvent => ({
  type: 'EmailDeferred',
  data: { ...id, attempt: 1, reason: 'smtp_4xx', next_attempt_at: at(minute) },
});
const failed: EmailEvent = { type: 'EmailFailed', data: { ...id, attempt: 1, reason: 'smtp_5xx' } };
const inDoubt = (attempt = 1, next: string | null = at(5)): EmailEvent => ({
  type: 'EmailInDoubt',
  data: { ...id, attempt, reason: 'connection_lost', next_attempt_at: next },
});
const held: EmailEvent = { type: 'EmailHeld', data: { ...id, reason: 'policy' } };
const released: EmailEvent = {
  type: 'EmailReleased',
  data: { ...id, next_attempt_at: at(10), previous_status: 'held' },
};
const erased = (reason: 'erasure' | 'retention' = 'retention'): EmailEvent => ({
  type: 'EmailErased',
  data: { ...id, through: 2, reason },
});

const cancelled: EmailEvent = { type: 'EmailCancelled', data: { ...id, reason: 'requested_by_client' } };

const states = {
  none: [],
  requested: [requested],
  sending: [requested, claimed()],
  deferred: [requested, claimed(), deferred()],
  'deferred, not due': [requested, claimed(), deferred(15)],
  'in doubt': [requested, claimed(), inDoubt()],
  'in doubt, held': [requested, claimed(), inDoubt(1, null)],
  held: [requested, claimed(), deferred(), held],
  released: [requested, claimed(), deferred(), held, released],
  sent: [requested, claimed(), wasSent()],
  failed: [requested, claimed(), failed],
  'failed, released': [requested, claimed(), failed, released],
  cancelled: [requested, cancelled],
  'cancelled in doubt': [requested, claimed(), inDoubt(), cancelled],
} satisfies Record<string, EmailEvent[]>;
type StateName = keyof typeof states;

/** Each event a minute after the one before. */
const fold = (events: readonly EmailEvent[]): EmailState =>
  events.reduce((state, event, index) => evolve(state, event, { at: at(index) }), initial);
const decided = (
  given: readonly EmailEvent[],
  when: EmailCommand,
  idempotency?: RequestFingerprint,
): readonly EmailEvent[] | string => {
  const decision = decide(when, fold(given), {
    idempotency,
    revision: BigInt(given.length) - 1n,
    at: at(given.length),
  });
  return isRefusal(decision) ? decision.refused : decision;
};

/** What each command brings about, and in which states; in all others it brings nothing, or is refused. */
const effects: {
  name: string;
  when: EmailCommand;
  type: EmailEvent['type'];
  states: StateName[];
  refusal?: string;
}[] = [
  { name: 'RequestEmail', when: request, type: 'EmailRequested', states: ['none'] },
  {
    name: 'StartDispatch',
    when: start,
    type: 'EmailDispatchStarted',
    states: ['requested', 'deferred', 'in doubt', 'released', 'failed, released'],
  },
  {
    name: 'RecordSent',
    when: sent(),
    type: 'EmailSent',
    states: ['sending', 'in doubt', 'in doubt, held', 'cancelled in doubt'],
  },
  { name: 'RecordDeferred', when: defer, type: 'EmailDeferred', states: ['sending'] },
  { name: 'RecordFailed', when: fail, type: 'EmailFailed', states: ['sending'] },
  { name: 'RecordInDoubt', when: doubt(), type: 'EmailInDoubt', states: ['sending'] },
  {
    name: 'ReleaseEmail',
    when: release,
    type: 'EmailReleased',
    states: ['in doubt, held', 'held', 'failed'],
    refusal: 'email_not_releasable',
  },
  {
    name: 'HoldEmail',
    when: hold(),
    type: 'EmailHeld',
    states: ['requested', 'deferred', 'deferred, not due', 'in doubt', 'released', 'failed, released'],
  },
  {
    name: 'CancelEmail',
    when: cancel,
    type: 'EmailCancelled',
    states: [
      'requested',
      'deferred',
      'deferred, not due',
      'in doubt',
      'in doubt, held',
      'held',
      'released',
      'failed, released',
    ],
    refusal: 'email_not_cancellable',
  },
];

describe.each(effects)('$name', ({ when, type, states: applicable, refusal }) => {
  test.each(Object.entries(states))('in state %s', (name, given) => {
    const events = decided(given, when);
    const applies = applicable.some((state) => state === name);
    expect(typeof events === 'string' ? events : events.map((event) => event.type)).toEqual(
      applies ? [type] : (refusal ?? []),
    );
  });
});

test('events carry what the command says', () => {
  expect(decided(states.none, request)).toEqual([requested]);
  expect(decided(states.deferred, start)).toEqual([claimed(2)]);
  expect(decided(states.sending, fail)).toEqual([
    {
      type: 'EmailFailed',
      data: { ...id, attempt: 1, reason: 'smtp_5xx', smtp_code: 550, message: { response: 'no' } },
    },
  ]);
  expect(decided(states.sending, sent())).toEqual([
    { type: 'EmailSent', data: { ...id, attempt: 1, reason: 'accepted', smtp_code: 250 } },
  ]);
  expect(decided(states.held, release)).toEqual([released]);
  expect(decided(states.held, cancel)).toEqual([cancelled]);
  const withCodes: EmailCommand = { type: 'RecordSent', attempt: 1, reason: 'accepted', enhanced_code: '2.0.0' };
  expect(decided(states.sending, withCodes)).toMatchObject([{ data: { reason: 'accepted', enhanced_code: '2.0.0' } }]);
});

describe('a repeat of the request', () => {
  const salt = '5a17'.repeat(8);
  const repeat: EmailCommand = { ...request, email_id: 'eml_2', message: { salt: 'another', ...message } };
  const asking = (what: string): RequestFingerprint => ({ key_hash: 'k', hash: (own = 'bare') => `${own}:${what}` });
  const of = (request_hash: string | undefined, first = { salt, ...message }): EmailEvent => ({
    type: 'EmailRequested',
    data: { ...id, recipient_key: 'r', request_hash, message: first },
  });
  const redacted: EmailEvent = { ...requested, data: { ...requested.data, request_hash: `${salt}:h`, message: null } };
  const later = Object.values(states).flatMap(([first, ...rest]) => (first === undefined ? [] : [rest]));

  test('is stored with the hash under the salt of its message, and without any where there is no key', () => {
    const salted: EmailCommand = { ...request, message: { salt, ...message } };
    expect(decided([], salted, asking('h'))).toEqual([of(`${salt}:h`)]);
    expect(decided([], salted)).toEqual([of(undefined)]);
  });

  test('with the same key changes nothing if the same was asked for, and is refused otherwise', () => {
    for (const rest of later) {
      const history = [of(`${salt}:h`), ...rest];
      expect(decided(history, repeat, asking('h'))).toEqual([]);
      expect(fold(history).email_id).toBe('eml_1');
      expect(decided(history, repeat, asking('other'))).toBe('idempotency_conflict');
    }
  });

  test('is refused once the content is erased, whatever it asks for; the request itself is taken again', () => {
    for (const asked of [asking('h'), asking('other')]) {
      for (const rest of later)
        expect(decided([of(`${salt}:h`), ...rest, erased()], repeat, asked)).toBe('idempotency_conflict');
      expect(decided([redacted], repeat, asked)).toBe('idempotency_conflict');
      expect(decided([of(`${salt}:h`), cancelled, erased()], request, asked)).toEqual([]);
    }
  });
});

test('only the deadline, or the end of its run, gives an attempt into the hands of others', () => {
  const judged = (change: Parameters<typeof doubt>[0]) => decided(states.sending, doubt({ judge: 'other', ...change }));
  expect(judged({ now: at(30) })).toEqual([]);
  expect(judged({ now: at(31) })).toHaveLength(1);
  expect(judged({ now: at(12), run_ended: true })).toHaveLength(1);
});

test('the last doubt that is allowed is held, whatever the policy', () => {
  let given: EmailEvent[] = [requested];
  for (let attempt = 1; attempt < maxDoubts; attempt += 1) given = [...given, claimed(attempt), inDoubt(attempt)];
  given.push(claimed(maxDoubts));
  const last = { ...doubt(), attempt: maxDoubts };
  expect(decided(given, last)).toMatchObject([{ data: { attempt: maxDoubts, next_attempt_at: null } }]);
  expect(fold([...given, inDoubt(maxDoubts, null)]).status).toBe('held');
});

test('a 250 may come late, while another attempt runs or after it failed, and is final', () => {
  const running = [...states['in doubt'], claimed(2)];
  const late = decided(running, sent(1));
  expect(late).toHaveLength(1);
  expect(decided([...running, { ...failed, data: { ...failed.data, attempt: 2 } }], sent(1))).toHaveLength(1);
  const over = [...running, wasSent(1)];
  for (const event of [wasSent(2), deferred(), failed, inDoubt(2), held, released, cancelled, claimed(3)])
    expect(fold([...over, event])).toEqual(fold(over));
  expect(decided(over, sent(2))).toEqual([]);
});

test('what is held after its last attempt is deferred and held in one append', () => {
  const events = decided(states.sending, deferAndHold);
  expect(events).toMatchObject([
    { type: 'EmailDeferred', data: { attempt: 1, reason: 'policy' } },
    { type: 'EmailHeld', data: { ...id, reason: 'policy' } },
  ]);
});

test('what failed is released unless its message is gone, and its time to give up begins again', () => {
  expect(decided(states.failed, release)).toEqual([
    { type: 'EmailReleased', data: { ...id, next_attempt_at: at(10), previous_status: 'failed' } },
  ]);
  expect(fold(states.failed).since).toBe(at(0));
  expect(fold(states['failed, released'])).toMatchObject({ status: 'deferred', since: at(3), next_attempt_at: at(10) });
  for (const reason of ['erasure', 'retention'] as const)
    expect(decided([...states.failed, erased(reason)], release)).toBe('email_erased');
  // A retention that was killed between taking the message and noting it.
  const redacted: EmailEvent = { ...requested, data: { ...requested.data, message: null } };
  expect(decided([redacted, claimed(), failed], release)).toBe('email_erased');
  expect(decided([...states.sent, erased()], release)).toBe('email_not_releasable');
});

test('what is held because it has waited for too long has done so since its request, or its release', () => {
  const asked = (given: readonly EmailEvent[], before: string) => decided(given, hold(before));
  expect(asked(states.deferred, at(0))).toEqual([]);
  expect(asked(states.deferred, at(1))).toEqual([{ type: 'EmailHeld', data: { ...id, reason: 'restored' } }]);
  expect(asked(states.released, at(4))).toEqual([]);
  expect(asked(states.released, at(5))).toHaveLength(1);
});

test('an outcome of an attempt that never was, or that ended for certain, is no outcome', () => {
  expect(decided(states.sending, sent(2))).toEqual([]);
  expect(decided([...states.deferred, claimed(2)], sent(1))).toEqual([]);
});

describe('what is reported of an e-mail', () => {
  const bounce = (change: Partial<Extract<EmailCommand, { type: 'RecordBounce' }>> = {}): EmailCommand => ({
    ...{ type: 'RecordBounce', kind: 'hard', enhanced_code: '5.1.1', verified: true, report_hash: 'h' },
    ...change,
  });
  const complaint = (verified = true, report_hash = 'h'): EmailCommand => ({
    ...{ type: 'RecordComplaint', verified, report_hash },
  });
  const bounced: EmailEvent = {
    type: 'EmailBounced',
    data: { ...id, kind: 'hard', enhanced_code: '5.1.1', verified: true, report_hash: 'h' },
  };
  const complained: EmailEvent = { type: 'EmailComplained', data: { ...id, verified: true, report_hash: 'h' } };
  const ended = (reason: string): EmailEvent => ({ type: 'EmailCancelled', data: { ...id, reason } });
  const unsent: readonly StateName[] = ['none', 'requested', 'cancelled'];
  const waiting: readonly StateName[] = [
    ...(['deferred', 'deferred, not due', 'in doubt', 'in doubt, held', 'held', 'released'] as const),
    'failed, released',
  ];

  test.each(Object.entries(states))('in state %s: taken once it was tried, and nothing more is sent', (name, given) => {
    for (const [when, event, reason] of [
      [bounce(), bounced, 'bounced'],
      [complaint(), complained, 'complained'],
    ] as const) {
      const events = unsent.some((state) => state === name)
        ? []
        : [event, ...(waiting.some((state) => state === name) ? [ended(reason)] : [])];
      expect(decided(given, when)).toEqual(events);
      const after = [...given, ...events];
      expect(decided(after, when)).toEqual([]);
      if (events.length === 0) continue;
      expect(decided(after, { ...start, now: at(59) })).toEqual([]);
      expect(decided(after, release)).toBe('email_not_releasable');
    }
  });

  test.each(Object.entries(states))(
    'an unverified report in state %s is recorded and changes nothing',
    (name, given) => {
      const isUnsent = unsent.some((state) => state === name);
      const unverified: readonly EmailEvent[] = [
        { ...bounced, data: { ...bounced.data, verified: false } },
        { ...complained, data: { ...complained.data, verified: false } },
      ];
      expect(decided(given, bounce({ verified: false }))).toEqual(isUnsent ? [] : unverified.slice(0, 1));
      expect(decided(given, complaint(false))).toEqual(isUnsent ? [] : unverified.slice(1));
      const commands = [
        { ...start, now: at(59) },
        release,
        defer,
        deferAndHold,
        doubt(),
        doubt({ next: null }),
        sent(),
      ];
      for (const command of commands)
        expect(decided([...given, ...unverified], command)).toEqual(decided(given, command));
    },
  );

  test('before the outcome of the attempt ends it, too', () => {
    const overtaken = [...states.sending, bounced];
    expect(decided(overtaken, sent())).toMatchObject([{ type: 'EmailSent' }]);
    expect(decided(overtaken, defer)).toMatchObject([{ type: 'EmailDeferred' }, ended('bounced')]);
    expect(decided(overtaken, deferAndHold)).toMatchObject([{ type: 'EmailDeferred' }, ended('bounced')]);
    expect(decided(overtaken, doubt())).toMatchObject([{ type: 'EmailInDoubt' }, ended('bounced')]);
    expect(decided(overtaken, doubt({ next: null }))).toMatchObject([{ type: 'EmailInDoubt' }, ended('bounced')]);
    expect(decided([...states.sending, complained], defer)).toMatchObject([{}, ended('complained')]);
    expect(decided([...overtaken, failed], release)).toBe('email_not_releasable');
  });

  test('counts once: another report is another event, up to five of a kind, and of complaints only a proof', () => {
    expect(decided([...states.sent, bounced], bounce({ report_hash: 'other' }))).toHaveLength(1);
    const five = [1, 2, 3, 4, 5].map((at): EmailEvent => ({
      ...bounced,
      data: { ...bounced.data, report_hash: String(at) },
    }));
    expect(decided([...states.sent, ...five], bounce())).toEqual([]);
    expect(decided([...states.sent, ...five], bounce({ verified: false }))).toHaveLength(1);
    const others = five.map((one) => ({ ...one, data: { ...one.data, kind: 'policy' } }) as EmailEvent);
    expect(decided([...states.sent, ...others], bounce({ kind: 'policy' }))).toEqual([]);
    expect(decided([...states.sent, ...others], bounce({ kind: 'hard' }))).toHaveLength(1);
    expect(decided([...states.sent, ...five], complaint())).toHaveLength(1);
    expect(decided([...states.sent, complained], complaint(true, 'other'))).toEqual([]);
    expect(decided([...states.sent, complained], complaint(false, 'other'))).toEqual([]);
    const unproved: EmailEvent = { type: 'EmailComplained', data: { ...complained.data, verified: false } };
    expect(decided([...states.sent, unproved], complaint())).toEqual([complained]);
  });

  test('leaves out what the server said once the e-mail is erased', () => {
    const said = bounce({ diagnostic: 'no such user c@d.example' });
    expect(decided(states.sent, said)).toMatchObject([
      { data: { message: { diagnostic: 'no such user c@d.example' } } },
    ]);
    expect(decided([...states.sent, erased()], said)).toEqual([bounced]);
  });
});

test('isDue', () => {
  expect(isDue(fold(states['deferred, not due']), { now: at(14) })).toBe(false);
  expect(isDue(fold(states['deferred, not due']), { now: at(15) })).toBe(true);
});

const minute = fc.integer({ min: 0, max: 59 }).map(at);
const attempt = fc.integer({ min: 1, max: 4 });
const run = fc.constantFrom('run', 'other');
const reason = fc.constant('code');
const command: fc.Arbitrary<EmailCommand> = fc.oneof(
  fc.constant(request),
  fc.constant(hold()),
  fc.record({ type: fc.constant('StartDispatch' as const), run_id: run, deadline: minute, now: minute }),
  fc.record({ type: fc.constantFrom('RecordSent' as const, 'RecordFailed' as const), attempt, reason }),
  fc.record({
    type: fc.constant('RecordDeferred' as const),
    attempt,
    reason,
    next_attempt_at: minute,
    hold: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('RecordInDoubt' as const),
    attempt,
    reason,
    judge: run,
    run_ended: fc.boolean(),
    now: minute,
    next_attempt_at: fc.option(minute),
  }),
  fc.record({ type: fc.constant('CancelEmail' as const), reason }),
  fc.record({
    type: fc.constant('RecordBounce' as const),
    kind: fc.constantFrom('hard' as const, 'other' as const),
    verified: fc.boolean(),
    report_hash: fc.constantFrom('1', '2', '3'),
  }),
  fc.record({ type: fc.constant('ReleaseEmail' as const), next_attempt_at: minute }),
);

test('deciding again yields nothing, and no attempt is claimed of an e-mail that is sent or cancelled', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      let events: EmailEvent[] = [requested];
      for (const next of commands) {
        const decision = decide(next, fold(events), { revision: BigInt(events.length) - 1n, at: at(events.length) });
        if (isRefusal(decision)) continue;
        events = [...events, ...decision];
        const again = decide(next, fold(events), { revision: BigInt(events.length) - 1n, at: at(events.length) });
        expect(isRefusal(again) ? [] : again).toEqual([]);
      }
      const reported = events.findIndex(({ type, data }) => type === 'EmailBounced' && data.verified);
      if (reported >= 0) expect(events.slice(reported).map(({ type }) => type)).not.toContain('EmailDispatchStarted');
      const course = events.filter(({ type }) => type !== 'EmailBounced');
      const end = course.findIndex(({ type }) => type === 'EmailSent');
      if (end >= 0) expect(course.length).toBe(end + 1);
      const over = course.findIndex(({ type }) => type === 'EmailCancelled');
      if (over >= 0) expect(['', 'EmailSent']).toContain(course[over + 1]?.type ?? '');
      const claims = events.flatMap(({ type, data }) => (type === 'EmailDispatchStarted' ? [data] : []));
      expect(claims).toEqual(claims.map((data, index) => ({ ...data, attempt: index + 1 })));
    }),
    { numRuns: 500 },
  );
});
