/** What the relay answers, and how many e-mails may then be claimed. */
import { describe, expect, test } from 'vitest';
import {
  answered,
  relayAnswerOf,
  breakerTimings,
  initialBreaker,
  isRelays,
  mostUntried,
  type RelayAnswer,
  type Breaker,
} from '../../src/mailer/breaker.js';
import type { SendOutcome } from '../../src/mailer/transport.js';

const timings = breakerTimings;
const login: RelayAnswer = { type: 'unreachable', fault: { reason: 'auth_failed', smtp_code: 535 } };
const denied = (recipient: string, text = '550 relay not permitted'): RelayAnswer => ({
  type: 'refused',
  fault: { reason: 'smtp_5xx', smtp_code: 550 },
  recipient,
  text,
});
const tell = (breaker: Breaker, answers: readonly RelayAnswer[], now = 0): Breaker =>
  answers.reduce((state, answer) => answered(state, answer, { now, random: 0.5, timings }), breaker);
const working = tell(initialBreaker, [{ type: 'works' }]);
const five = ['a', 'b', 'c', 'd', 'e'].map((one) => denied(one));

test('the first e-mail of a process goes alone; once the relay has taken it, others may go', () => {
  expect(mostUntried(initialBreaker, 0)).toBe(1);
  expect(mostUntried(working, 0)).toBe(Infinity);
});

test('a relay that cannot be reached is probed after 5 s, then after twice as long, up to 5 min', () => {
  let breaker = working;
  const pauses: number[] = [];
  for (let now = 0; pauses.length < 9; now = breaker.probeAt) {
    breaker = tell(breaker, [login, login], now);
    expect(mostUntried(breaker, now)).toBe(0);
    pauses.push((breaker.probeAt - now) / 1_000);
  }
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
});

test('jitter is a quarter of the pause to either side', () => {
  const at = (random: number) => answered(working, login, { now: 0, random, timings }).probeAt;
  expect([at(0), at(1)]).toEqual([3_750, 6_250]);
});

test('after a probe one e-mail goes alone; where it fails again the next pause is longer, where it is taken all is well', () => {
  const ready = tell(tell(working, [login]), [{ type: 'ready' }], 5_000);
  expect(mostUntried(ready, 5_000)).toBe(1);
  expect(tell(ready, [login], 5_000).probeAt).toBe(15_000);
  expect(tell(ready, [{ type: 'works' }])).toEqual(working);
});

test('an e-mail on an older connection does not close the breaker', () => {
  const open = tell(working, [login, { type: 'works' }]);
  expect(mostUntried(open, 60_000)).toBe(0);
});

describe('five different recipients refused alike in a row', () => {
  test('are the relay, and the probe is one e-mail', () => {
    const open = tell(working, five);
    expect([open.status, open.cause]).toEqual(['open', 'refused']);
    expect([mostUntried(open, 4_999), mostUntried(open, 5_000)]).toEqual([0, 1]);
    expect(tell(open, [denied('f')], 5_000).probeAt).toBe(15_000);
    expect(tell(open, [{ type: 'works' }], 5_000)).toEqual(working);
  });

  test.each([
    ['the same recipient again', [...five.slice(0, 4), denied('d')]],
    ['in other words', [...five.slice(0, 4), denied('e', '550 no such user')]],
    ['one accepted between', [...five.slice(0, 4), { type: 'works' } as const, denied('e')]],
  ])('are not: %s', (_, answers) => {
    expect(tell(working, answers).status).toBe('closed');
  });

  test('those that were under way are the relay’s, too', () => {
    const open = tell(working, five);
    expect(isRelays(tell(open, [denied('f')]), denied('f'))).toBe(true);
    expect(isRelays(tell(working, [denied('a')]), denied('a'))).toBe(false);
  });
});

describe('an outcome', () => {
  const refusal = (response: string, enhanced_code?: string): SendOutcome => ({
    status: 'failed',
    reason: 'smtp_5xx',
    stage: 'envelope',
    response,
    enhanced_code,
  });

  test('before MAIL is of the relay, a broken connection after DATA is of the e-mail', () => {
    const lost = { status: 'deferred', reason: 'connection_lost' } as const;
    expect(relayAnswerOf({ ...lost, stage: 'connection' }, 'a')).toMatchObject({ type: 'unreachable' });
    expect(relayAnswerOf({ ...lost, stage: 'data' }, 'a')).toEqual({ type: 'works' });
    expect(relayAnswerOf({ status: 'in_doubt', reason: 'connection_lost' }, 'a')).toEqual({ type: 'works' });
  });

  test('a connection that breaks at MAIL or RCPT counts as a refusal, a message that is too large does not', () => {
    const lost = { status: 'deferred', reason: 'connection_lost', stage: 'envelope' } as const;
    expect(relayAnswerOf(lost, 'a')).toMatchObject({
      type: 'refused',
      fault: { reason: 'connection_lost' },
      recipient: 'a',
    });
    expect(relayAnswerOf({ ...lost, status: 'failed', reason: 'too_large' }, 'a')).toEqual({ type: 'works' });
  });

  test('that we brought about says nothing', () => {
    expect(relayAnswerOf({ status: 'deferred', reason: 'stopped', stage: 'connection' }, 'a')).toBeUndefined();
    expect(relayAnswerOf({ status: 'withdrawn' }, 'a')).toBeUndefined();
  });

  test('at RCPT counts by its words without addresses', () => {
    const [one, other] = ['550 <ada@example.com>: denied, ada@example.com', '550 <bob@example.net>: denied, <bob@x.y>'];
    expect(relayAnswerOf(refusal(one ?? ''), 'a')).toMatchObject({ type: 'refused', text: '550 <>: denied, <>' });
    expect(relayAnswerOf(refusal(other ?? ''), 'b')).toMatchObject({ text: '550 <>: denied, <>' });
  });

  test.each([
    ['550 5.1.1 no such user', '5.1.1'],
    ['552 5.2.2 mailbox full', '5.2.2'],
    ['450 4.2.0 Recipient address rejected: Greylisted', '4.2.0'],
    ['451 4.7.1 Greylisting in action, please come back later', '4.7.1'],
  ])('of the recipient is not of the relay: %s', (response, code) => {
    expect(relayAnswerOf(refusal(response, code), 'a')).toEqual({ type: 'works' });
  });
});
