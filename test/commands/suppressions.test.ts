/** Refusals by given, when, then: what is refused, what a release lifts, what an erasure leaves; and whom mail may reach. */
import { describe, expect, it } from 'vitest';
import { refusalOf, suppressionDecider } from '../../src/commands/suppressions.js';
import { codec } from '../../src/events/codec.js';
import type { SuppressionEvent, SuppressionReason } from '../../src/events/suppressions.js';
import { withDigests } from '../../src/eventstore/leaf.js';
import { examplePosition, toAppend } from '../support/examples.js';
import { given } from './given.js';

const person = { salt: 'a0'.repeat(16), email: 'ada@example.com' };
const suppressed = (scope: string, reason: SuppressionReason): SuppressionEvent => ({
  type: 'AddressSuppressed',
  data: { reason, scope, person },
});
const released = (scope: string, reason = 'by_phone'): SuppressionEvent => ({
  type: 'AddressReleased',
  data: { scope, reason },
});
const erased = (through: number): SuppressionEvent => ({ type: 'SuppressionErased', data: { through } });
const suppress = (...entries: readonly { scope: string; reason: SuppressionReason }[]) =>
  ({ type: 'Suppress', entries, person }) as const;

describe('a refusal', () => {
  it('is written once per scope and reason', () => {
    const both = suppress({ scope: 'all', reason: 'complaint' }, { scope: 'lst_1', reason: 'unsubscribe' });
    given(suppressionDecider).when(both).then(suppressed('all', 'complaint'), suppressed('lst_1', 'unsubscribe'));
    given(suppressionDecider, suppressed('all', 'complaint')).when(both).then(suppressed('lst_1', 'unsubscribe'));
    given(suppressionDecider, suppressed('all', 'complaint'), suppressed('lst_1', 'unsubscribe')).when(both).then();
    const twice = { scope: 'all', reason: 'manual' } as const;
    given(suppressionDecider).when(suppress(twice, twice)).then(suppressed('all', 'manual'));
    given(suppressionDecider, suppressed('all', 'manual'))
      .when(suppress({ scope: 'all', reason: 'hard_bounce' }))
      .then(suppressed('all', 'hard_bounce'));
  });

  it('keeps the e-mail and the click that it came by', () => {
    const by = { kind: 'one_click', token_hash: 'c3'.repeat(16) } as const;
    const entry = { scope: 'lst_1', reason: 'unsubscribe', email_id: 'eml_1' } as const;
    given(suppressionDecider)
      .when({ type: 'Suppress', entries: [entry], by, person })
      .then({ type: 'AddressSuppressed', data: { ...entry, by, person } });
    given(suppressionDecider)
      .when({ type: 'Suppress', entries: [entry] })
      .then({ type: 'AddressSuppressed', data: entry });
  });

  it('is lifted by a release of its scope, with all reasons of that scope and no other', () => {
    const history = [suppressed('all', 'manual'), suppressed('all', 'complaint'), suppressed('lst_1', 'unsubscribe')];
    const release = { type: 'Release', scope: 'all', reason: 'by_phone' } as const;
    given(suppressionDecider, ...history)
      .when(release)
      .then(released('all'));
    const { state } = given(suppressionDecider, ...history, released('all'));
    expect(state.active).toMatchObject([{ scope: 'lst_1', reason: 'unsubscribe' }]);
    given(suppressionDecider, ...history, released('all'))
      .when(release)
      .then();
    given(suppressionDecider, ...history, released('all'))
      .when(suppress({ scope: 'all', reason: 'manual' }))
      .then(suppressed('all', 'manual'));
    given(suppressionDecider, ...history)
      .when({ ...release, scope: 'lst_1', note: 'asked for it' })
      .then({
        type: 'AddressReleased',
        data: { scope: 'lst_1', reason: 'by_phone', person: { note: 'asked for it' } },
      });
  });
});

describe('a release of all mail by the person', () => {
  const data = { scope: 'all', reason: 'person', by: { kind: 'page', token_hash: 'c3'.repeat(16) } } as const;
  const release = { type: 'Release', ...data } as const;

  it('lifts what the person refused', () => {
    given(suppressionDecider, suppressed('all', 'unsubscribe')).when(release).then({ type: 'AddressReleased', data });
  });

  it.each(['hard_bounce', 'repeated_bounces', 'complaint', 'manual'] as const)(
    'lifts nothing where %s has stopped all mail',
    (reason) => {
      given(suppressionDecider, suppressed('all', 'unsubscribe'), suppressed('all', reason)).when(release).then();
    },
  );
});

describe('an erasure', () => {
  const history = [suppressed('all', 'manual'), suppressed('lst_1', 'unsubscribe')];

  it('takes what was said once, and leaves what is refused', () => {
    given(suppressionDecider).when({ type: 'EraseSuppression' }).then();
    given(suppressionDecider, ...history)
      .when({ type: 'EraseSuppression' })
      .then(erased(1));
    const after = given(suppressionDecider, ...history, erased(1));
    after.when({ type: 'EraseSuppression' }).then();
    expect(after.state).toMatchObject({ active: [{ scope: 'all' }, { scope: 'lst_1' }], erased_through: 1 });
    given(suppressionDecider, ...history, erased(1), suppressed('lst_2', 'unsubscribe'))
      .when({ type: 'EraseSuppression' })
      .then(erased(3));
  });

  it('that forgets lifts every scope, once', () => {
    const forget = { type: 'Release', scope: 'all', reason: 'forgotten' } as const;
    given(suppressionDecider).when(forget).then();
    given(suppressionDecider, suppressed('lst_1', 'unsubscribe')).when(forget).then(released('all', 'forgotten'));
    const after = given(suppressionDecider, ...history, erased(1), released('all', 'forgotten'));
    after.when(forget).then();
    expect(after.state.active).toEqual([]);
  });

  it('leaves the same state when what was said is gone from the log', () => {
    const redacted = history.map((event) => {
      const { data, ...stored } = toAppend(event);
      const place = { stream: 'suppression-k', revision: 0n, position: examplePosition(1) };
      return codec.decode({ ...stored, ...place, data: withDigests(data) }).event as SuppressionEvent;
    });
    expect(given(suppressionDecider, ...redacted, erased(1)).state).toEqual(
      given(suppressionDecider, ...history, erased(1)).state,
    );
  });
});

describe('mail', () => {
  const refusal = (listId: string | undefined, ...history: SuppressionEvent[]) =>
    refusalOf(given(suppressionDecider, ...history).state, listId)?.reason;

  it('to the subscribers of a list is stopped by a refusal of the list and by any of all mail', () => {
    expect(refusal('lst_1')).toBeUndefined();
    expect(refusal('lst_1', suppressed('lst_1', 'unsubscribe'))).toBe('unsubscribe');
    expect(refusal('lst_1', suppressed('lst_2', 'unsubscribe'))).toBeUndefined();
    expect(refusal('lst_1', suppressed('all', 'unsubscribe'))).toBe('unsubscribe');
    expect(refusal('lst_1', suppressed('all', 'complaint'), suppressed('lst_1', 'unsubscribe'))).toBe('complaint');
  });

  it('without a list is stopped by a bounce, a complaint or an operator, of all mail only', () => {
    expect(refusal(undefined, suppressed('all', 'unsubscribe'))).toBeUndefined();
    expect(refusal(undefined, suppressed('lst_1', 'manual'))).toBeUndefined();
    for (const reason of ['hard_bounce', 'repeated_bounces', 'complaint', 'manual'] as const)
      expect(refusal(undefined, suppressed('all', 'unsubscribe'), suppressed('all', reason))).toBe(reason);
  });
});
