import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyDecider, type KeyChange, type KeysState } from '../../src/commands/keys.js';
import { scopes, type KeyEvent } from '../../src/events/keys.js';
import { apply, eventCount, given } from './given.js';

const now = '2026-03-01T10:00:00.000Z';
const later = '2026-03-02T10:00:00.000Z';
const hash = 'a1'.repeat(32);
const otherHash = 'b2'.repeat(32);
const granter: ReadonlySet<string> = new Set(['keys', 'lists:read', 'lists:write']);

const created = (more: { key_id?: string; expires_at?: string } = {}): KeyEvent => ({
  type: 'ApiKeyCreated',
  data: { key_id: 'key_1', name: 'Shop', scopes: ['lists:read'], hash, ...more },
});
const rotated = { type: 'ApiKeyRotated', data: { key_id: 'key_1', hash: otherHash, previous_until: later } } as const;
const revoked = { type: 'ApiKeyRevoked', data: { key_id: 'key_1' } } as const;

const asked = { granter, by: 'root', now };
const create: KeyChange = { type: 'Create', key_id: 'key_2', name: 'Shop', scopes: ['lists:read'], hash, ...asked };
const rotate: KeyChange = { type: 'Rotate', key_id: 'key_1', hash: otherHash, previous_until: later, ...asked };
const revoke = { type: 'Revoke', key_id: 'key_1' } as const;

describe('create', () => {
  test('a key, with and without an end', () => {
    given(keyDecider)
      .when(create)
      .then(created({ key_id: 'key_2' }));
    given(keyDecider)
      .when({ ...create, expires_at: later })
      .then(created({ key_id: 'key_2', expires_at: later }));
  });
  test.each(['Shop', ' SHOP '])('refuses a name that a living key has: %j', (name) => {
    given(keyDecider, created())
      .when({ ...create, name })
      .thenRefused('duplicate_key_name');
  });
  test('a name of a key that is revoked or has expired', () => {
    given(keyDecider, created(), revoked)
      .when(create)
      .then(created({ key_id: 'key_2' }));
    given(keyDecider, created({ expires_at: now }))
      .when(create)
      .then(created({ key_id: 'key_2' }));
    given(keyDecider, created({ expires_at: later }))
      .when(create)
      .thenRefused('duplicate_key_name');
  });
  test.each(['mailer', 'CLI', ' Service', 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV'])('refuses the name %j', (name) => {
    expect(given(keyDecider).when({ ...create, name }).decision).toMatchObject({ refused: 'reserved_name' });
  });
  test('refuses a scope that the granter lacks, and names it', () => {
    expect(given(keyDecider).when({ ...create, scopes: ['lists:read', 'email:write'] }).decision).toEqual({
      refused: 'forbidden',
      parameters: { names: 'email:write' },
    });
  });
  test('by one with an end: no longer than that', () => {
    const mortal = created({ key_id: 'key_0', expires_at: later });
    const other = { ...create, name: 'Other', by: 'key_0' };
    const sooner = '2026-03-01T11:00:00.000Z';
    for (const [wanted, end] of [
      [undefined, later],
      ['2027-01-01T00:00:00.000Z', later],
      [sooner, sooner],
    ] as const)
      expect(
        given(keyDecider, mortal).when({ ...other, ...(wanted && { expires_at: wanted }) }).decision,
      ).toMatchObject([{ data: { key_id: 'key_2', expires_at: end } }]);
  });
  test('refuses an end that has passed', () => {
    expect(given(keyDecider).when({ ...create, expires_at: now }).decision).toEqual({
      refused: 'not_in_the_future',
      parameters: { field: 'expires_at' },
    });
  });
});

describe('rotate', () => {
  test('a living key', () => {
    given(keyDecider, created()).when(rotate).then(rotated);
  });
  test('the secret before holds no longer than the key', () => {
    const end = '2026-03-01T11:00:00.000Z';
    given(keyDecider, created({ expires_at: end }))
      .when(rotate)
      .then({ ...rotated, data: { ...rotated.data, previous_until: end } });
  });
  test('refuses one that is unknown, revoked or has expired', () => {
    given(keyDecider).when(rotate).thenRefused('not_found');
    given(keyDecider, created(), revoked).when(rotate).thenRefused('key_not_rotatable');
    given(keyDecider, created({ expires_at: now }))
      .when(rotate)
      .thenRefused('key_not_rotatable');
  });
  test('refuses to hand out a secret with more scopes than the granter has', () => {
    expect(given(keyDecider, created()).when({ ...rotate, granter: new Set(['keys']) }).decision).toEqual({
      refused: 'forbidden',
      parameters: { names: 'lists:read' },
    });
  });
  test('refuses to hand out a secret that holds longer than the one that asks; its own it may', () => {
    const mortal = created({ key_id: 'key_0', expires_at: later });
    const immortal = given(keyDecider, mortal, created());
    expect(immortal.when({ ...rotate, by: 'key_0' }).decision).toEqual({ refused: 'key_not_rotatable' });
    expect(immortal.when({ ...rotate, by: 'key_1' }).decision).toHaveLength(1);
    expect(given(keyDecider, mortal).when({ ...rotate, key_id: 'key_0', by: 'key_0' }).decision).toHaveLength(1);
  });
  test('keeps the secret before, and none before that', () => {
    const again = { ...rotated, data: { ...rotated.data, hash: 'c3'.repeat(32) } };
    expect(given(keyDecider, created(), rotated, again).state.get('key_1')).toMatchObject({
      hash: 'c3'.repeat(32),
      previous: { hash: otherHash, until: later },
    });
  });
});

describe('revoke', () => {
  test('once, with its reason; then it is so', () => {
    given(keyDecider, created()).when(revoke).then(revoked);
    given(keyDecider, created())
      .when({ ...revoke, reason: 'lost' })
      .then({ type: 'ApiKeyRevoked', data: { key_id: 'key_1', reason: 'lost' } });
    given(keyDecider, created(), revoked)
      .when({ ...revoke, reason: 'again' })
      .then();
  });
  test('refuses an unknown one; one that has expired may be revoked', () => {
    given(keyDecider).when(revoke).thenRefused('not_found');
    given(keyDecider, created({ expires_at: now }))
      .when(revoke)
      .then(revoked);
  });
});

describe('expire', () => {
  const expire = (time: string) => ({ type: 'Expire', now: time }) as const;
  const expired = { type: 'ApiKeyExpired', data: { key_id: 'key_1' } } as const;
  const secretExpired = { type: 'ApiKeySecretExpired', data: { key_id: 'key_1', hash } } as const;

  test('records the end of a key once, and not before it has come', () => {
    given(keyDecider, created({ expires_at: later }))
      .when(expire(now))
      .then();
    given(keyDecider, created({ expires_at: later }))
      .when(expire(later))
      .then(expired);
    given(keyDecider, created({ expires_at: later }), expired)
      .when(expire(later))
      .then();
  });
  test('records the end of the overlap after a rotation once', () => {
    given(keyDecider, created(), rotated).when(expire(now)).then();
    given(keyDecider, created(), rotated).when(expire(later)).then(secretExpired);
    given(keyDecider, created(), rotated, secretExpired).when(expire(later)).then();
  });
  test('ends an overlap that began while the clock was ahead, because its end is too late', () => {
    const state = apply(keyDecider, keyDecider.initial, [created(), rotated]);
    const key = state.get('key_1');
    if (key === undefined) throw new Error('the key is missing');
    const ahead = state.set('key_1', { ...key, rotated_at: '2027-03-01T10:00:00.000Z' });
    const decide = (of: KeysState) =>
      keyDecider.decide(expire(now), of, { revision: 0n, at: '2026-03-01T09:00:00.000Z' });
    expect(decide(ahead)).toEqual([secretExpired]);
    expect(decide(state.set('key_1', { ...key, rotated_at: later }))).toEqual([]);
  });
  test('records nothing where there was no overlap, because the earlier secret ended with the rotation', () => {
    const data = { ...rotated.data, previous_until: '2000-01-01T00:00:00.000Z' };
    given(keyDecider, created(), { ...rotated, data })
      .when(expire(later))
      .then();
  });
  test('records nothing of a revoked key', () => {
    given(keyDecider, created({ expires_at: now }), revoked)
      .when(expire(later))
      .then();
  });
  test('a key whose end was recorded stays expired when the clock is set back', () => {
    given(keyDecider, created({ expires_at: later }), expired)
      .when(rotate)
      .thenRefused('key_not_rotatable');
    given(keyDecider, created({ expires_at: later }), expired)
      .when(create)
      .then(created({ key_id: 'key_2' }));
  });
});

/** What may be given. */
const givenBy = (command: KeyChange, state: KeysState) =>
  command.type === 'Revoke'
    ? { scopes: [], end: '9' }
    : { scopes: command.granter, end: state.get(command.by)?.expires_at ?? '9' };

test('nobody gives what they do not have, revocations are final, names are unique among the living, and a repeat changes nothing', () => {
  const id = fc.constantFrom('key_1', 'key_2', 'key_3', 'key_4');
  const some = fc.subarray([...scopes]);
  const hashes = fc.constantFrom(hash, otherHash, 'c3'.repeat(32));
  const time = fc.constantFrom(now, later, '2026-03-03T10:00:00.000Z');
  const asked = { granter: some.map((those) => new Set(those)), by: id, now: time, hash: hashes, key_id: id };
  const command: fc.Arbitrary<KeyChange> = fc.oneof(
    fc.record({
      type: fc.constant('Create' as const),
      name: fc.constantFrom('Shop', 'shop', 'Import'),
      scopes: some,
      expires_at: fc.option(time, { nil: undefined }),
      ...asked,
    }),
    fc.record({ type: fc.constant('Rotate' as const), previous_until: time, ...asked }),
    fc.record({ type: fc.constant('Revoke' as const), key_id: id }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      let state = keyDecider.initial;
      for (const one of commands) {
        const before = state.get(one.key_id);
        const limits = givenBy(one, state);
        const decision = keyDecider.decide(one, state, { revision: 0n, at: '2026-03-01T09:00:00.000Z' });
        state = apply(keyDecider, state, decision);
        expect(eventCount(keyDecider.decide(one, state, { revision: 0n, at: '2026-03-01T09:00:00.000Z' }))).toBe(0);
        const key = state.get(one.key_id);
        if (typeof before?.revoked_at === 'string') expect(key).toBe(before);
        if (key === undefined || eventCount(decision) === 0 || one.type === 'Revoke') continue;
        expect([...limits.scopes]).toEqual(expect.arrayContaining([...key.scopes]));
        expect((key.expires_at ?? '9') <= limits.end).toBe(true);
        if (one.type === 'Create') expect(livingNamed(one.name, one.now, state)).toBe(1);
      }
    }),
    { numRuns: 300 },
  );
});

const livingNamed = (wanted: string, now: string, state: typeof keyDecider.initial): number =>
  [...state.values()].filter(
    ({ name, revoked_at, expires_at }) =>
      name.toLowerCase() === wanted.toLowerCase() && revoked_at === null && (expires_at ?? '9') > now,
  ).length;
