/** When the refusals of a mail server stop mail to an address. */
import { expect, it } from 'vitest';
import { defaultUnclearDays } from '../../src/commands/counted-bounces.js';
import { isRefusal } from '../../src/commands/decider.js';
import { suppressionDecider, type SuppressionCommand, type SuppressionState } from '../../src/commands/suppressions.js';
import type { SuppressionEvent } from '../../src/events/suppressions.js';

const start = Date.UTC(2026, 2, 1, 9);
/** Returns a time on a day, counted from the first one. */
const on = (day: number): string => new Date(start + day * 86_400_000).toISOString();

/** An address whose commands are decided one after the other, each at its own time. */
function address() {
  let state: SuppressionState = suppressionDecider.initial;
  let revision = -1n;
  let emails = 0;
  const does = (command: SuppressionCommand, at: string): readonly SuppressionEvent[] => {
    const events = suppressionDecider.decide(command, state, { revision, at });
    if (isRefusal(events)) throw new Error(events.refused);
    for (const event of events) state = suppressionDecider.evolve(state, event, { at });
    revision += BigInt(events.length);
    return events;
  };
  const counts = (
    kind: 'soft' | 'unclear',
    day: number,
    { email_id = `eml_${(emails += 1)}`, unclearDays = defaultUnclearDays } = {},
  ): string[] => does({ type: 'CountBounce', email_id, kind, unclearDays }, on(day)).map(({ type }) => type);
  return { does, counts, state: () => state };
}

const counted = ['BounceCounted'];
const stops = ['BounceCounted', 'AddressSuppressed'];
const release = { type: 'Release', scope: 'all', reason: 'mailbox_is_back' } as const;

it('stops mail after three unclear refusals on different days within 30 days', () => {
  const { counts, does, state } = address();
  expect([counts('unclear', 0), counts('unclear', 0.1), counts('unclear', 15)]).toEqual([counted, counted, counted]);
  const person = { email: 'ada@example.com' };
  const command = { type: 'CountBounce', email_id: 'eml_x', kind: 'unclear', unclearDays: 3, person } as const;
  expect(does(command, on(30))).toEqual([
    { type: 'BounceCounted', data: { email_id: 'eml_x', kind: 'unclear' } },
    { type: 'AddressSuppressed', data: { reason: 'repeated_bounces', scope: 'all', email_id: 'eml_x', person } },
  ]);
  expect(state().active).toMatchObject([{ reason: 'repeated_bounces', scope: 'all', since: on(30) }]);
});

it('forgets a refusal after 30 days', () => {
  const { counts, state } = address();
  expect([counts('unclear', 0), counts('unclear', 15), counts('unclear', 30.1)]).toEqual([counted, counted, counted]);
  expect(state().counted.map(({ at }) => at)).toEqual([on(15), on(30.1)]);
  expect(counts('unclear', 31.1)).toEqual(stops);
});

it('stops mail after ten soft refusals on at least five days', () => {
  const { counts } = address();
  for (const day of [0, 0, 0, 0, 0, 0, 0, 1, 2, 3]) expect(counts('soft', day)).toEqual(counted);
  expect(counts('soft', 3)).toEqual(counted);
  expect(counts('soft', 4)).toEqual(stops);
  const other = address();
  for (const day of [0, 1, 2, 3, 4, 5, 6, 7, 8]) expect(other.counts('soft', day)).toEqual(counted);
  expect(other.counts('unclear', 9)).toEqual(counted);
  expect(other.counts('soft', 9)).toEqual(stops);
});

it('counts each kind once for each email', () => {
  const { counts } = address();
  const first = { email_id: 'eml_first' };
  expect(counts('soft', 0, first)).toEqual(counted);
  for (const day of [0, 1, 2]) expect(counts('soft', day, first)).toEqual([]);
  expect(counts('unclear', 2, first)).toEqual(counted);
  expect([counts('unclear', 3, first), counts('soft', 3, first)]).toEqual([[], []]);
});

it('counts at most ten refusals of a kind on one day', () => {
  const { counts, state } = address();
  for (let email = 0; email < 1_000; email += 1) counts('soft', 0);
  expect(state().counted).toHaveLength(10);
  expect(counts('unclear', 0)).toEqual(counted);
});

it('starts again after a release, and does not count the same email again', () => {
  const { counts, does } = address();
  const last = { email_id: 'eml_last' };
  expect([counts('unclear', 0), counts('unclear', 1), counts('unclear', 2, last)]).toEqual([counted, counted, stops]);
  expect(does(release, on(3))).toHaveLength(1);
  expect(counts('unclear', 4, last)).toEqual([]);
  expect([counts('unclear', 4), counts('unclear', 5), counts('unclear', 6)]).toEqual([counted, counted, stops]);
});

it('counts nothing while all mail to the address is stopped', () => {
  for (const reason of ['hard_bounce', 'complaint', 'manual'] as const) {
    const { counts, does } = address();
    does({ type: 'Suppress', entries: [{ scope: 'all', reason }] }, on(0));
    expect(counts('unclear', 1)).toEqual([]);
  }
  const { counts, does } = address();
  does({ type: 'Suppress', entries: [{ scope: 'all', reason: 'unsubscribe' }] }, on(0));
  expect([counts('unclear', 1), counts('unclear', 2), counts('unclear', 3)]).toEqual([counted, counted, stops]);
});

it('does not count refusals from before an erasure or from before refusals were forgotten', () => {
  for (const ends of [{ type: 'EraseSuppression' }, { type: 'Release', scope: 'all', reason: 'forgotten' }] as const) {
    const { counts, does } = address();
    expect([counts('unclear', 0), counts('unclear', 1)]).toEqual([counted, counted]);
    expect(does(ends, on(1))).toHaveLength(1);
    expect(does(ends, on(1))).toEqual([]);
    expect([counts('unclear', 2), counts('unclear', 3), counts('unclear', 4)]).toEqual([counted, counted, stops]);
  }
});

it('takes the number of unclear refusals from the configuration', () => {
  const { counts } = address();
  expect(counts('unclear', 0, { unclearDays: 1 })).toEqual(stops);
  const other = address();
  for (let day = 0; day < 29; day += 1) expect(other.counts('unclear', day, { unclearDays: 30 })).toEqual(counted);
  expect(other.counts('unclear', 29, { unclearDays: 30 })).toEqual(stops);
});
