/** Format, signature and order of seals. */
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  compareSeals,
  createSeal,
  fingerprintOf,
  isSigned,
  ofAnotherLog,
  parseKnownSeal,
  parseSeal,
  publicKeyOf,
  readPublicKey,
  readSignedSeal,
  SealError,
  sealText,
  UnreadableSealError,
  type KnownSeal,
  type Seal,
} from '../../src/integrity/seal.js';
import { testKey } from '../support/test-keys.js';

const key = testKey(7);
const now = Date.UTC(2026, 4, 6, 7, 8, 9, 10);
const state = { log_id: 'log-1', seq: 3, restores: 1, count: 500, root: 'ab'.repeat(32), final: true };
const seal = createSeal(state, key, now);
const textOf = (changed: object): string => JSON.stringify({ ...seal, ...changed });
const field = (text: string): string => `${Buffer.byteLength(text)}:${text},`;

describe('a seal', () => {
  test('a seal has its members in the order of the format', () => {
    expect(Object.entries(seal).slice(0, 9)).toEqual([
      ['format', 'audience-ledger-seal/2'],
      ['log_id', 'log-1'],
      ['seq', 3],
      ['restores', 1],
      ['count', 500],
      ['root', 'ab'.repeat(32)],
      ['final', true],
      ['sealed_at', '2026-05-06T07:08:09.010Z'],
      ['public_key', publicKeyOf(key)],
    ]);
    expect(Object.keys(seal).at(-1)).toBe('signature');
  });

  test('a seal is signed over the length-prefixed fields of all members before the signature', () => {
    const { signature, ...signed } = seal;
    const bytes = Buffer.from(
      Object.values(signed)
        .map((value) => field(String(value)))
        .join(''),
    );
    expect(bytes.toString()).toMatch(/^22:audience-ledger-seal\/2,5:log-1,1:3,1:1,3:500,64:(ab){32},4:true,24:2026-/);
    expect(verify(null, bytes, createPublicKey(key), Buffer.from(signature, 'base64'))).toBe(true);
  });

  test('a seal is read again from its text, whatever blanks and order of members it has', () => {
    expect(parseSeal(sealText(seal))).toEqual(seal);
    const turned = JSON.stringify(Object.fromEntries(Object.entries(seal).reverse()), undefined, '\t');
    expect(readSignedSeal(` ${turned}\r\n`)).toEqual(seal);
  });

  test.each<Partial<Record<keyof Seal, unknown>>>([
    { log_id: 'log-2' },
    { seq: 4 },
    { restores: 0 },
    { count: 501 },
    { root: 'ac'.repeat(32) },
    { final: false },
    { sealed_at: '2026-05-06T07:08:09.011Z' },
    { public_key: publicKeyOf(testKey(8)) },
    { signature: `${'A'.repeat(86)}==` },
  ])('a seal is not signed any more after %j was put in', (changed) => {
    expect(isSigned(parseSeal(textOf(changed)))).toBe(false);
    expect(() => readSignedSeal(textOf(changed))).toThrow('its signature does not match: the seal was altered');
  });

  test('a seal cannot be made with a key that is not Ed25519', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => createSeal(state, privateKey, now)).toThrow(SealError);
  });

  test('a seal of another log says so before anything else', () => {
    expect(ofAnotherLog(seal, 'log-1')).toBeUndefined();
    expect(ofAnotherLog(seal, 'log-2')).toMatch(/is of the log log-1, and this log is log-2/);
    expect(ofAnotherLog(seal, undefined)).toMatch(/this log has no name/);
  });
});

describe('a text that is not a seal', () => {
  test.each<[string, string, typeof SealError]>([
    ['', 'it is not a JSON object', UnreadableSealError],
    ['{', 'it is not a JSON object', UnreadableSealError],
    ['[]', 'it is not a JSON object', UnreadableSealError],
    ['null', 'it is not a JSON object', UnreadableSealError],
    ['{}', 'its format is not audience-ledger-seal/2', UnreadableSealError],
    [textOf({ format: 'audience-ledger-seal/3' }), 'its format is not audience-ledger-seal/2', UnreadableSealError],
    [textOf({ note: 1 }), 'it has a member that no seal has', SealError],
    ...[
      ...[{ log_id: '' }, { log_id: 'a b' }, { log_id: 'a'.repeat(65) }, { log_id: 7 }],
      ...[{ seq: 0 }, { seq: 1.5 }, { seq: '3' }, { seq: undefined }, { restores: -1 }, { restores: null }],
      ...[{ count: 0 }, { count: 2 ** 53 }, { root: 'AB'.repeat(32) }, { root: 'ab' }, { final: 'true' }, { final: 1 }],
      ...[{ sealed_at: '2026-05-06T07:08:09Z' }, { sealed_at: '2026-05-06 07:08:09.010Z' }],
      ...[{ public_key: 'AAAA' }, { signature: 'AAAA' }, { signature: `${'A'.repeat(85)}B==` }],
    ].map((changed): [string, string, typeof SealError] => [
      textOf(changed),
      `its member ${Object.keys(changed).join()} is missing or has a wrong form`,
      SealError,
    ]),
    [textOf({}).replace('"seq":3', '"seq":2,"seq":3'), 'it has a member twice, or a number', SealError],
    [textOf({}).replace('"seq":3', String.raw`"seq":2,"\u0073eq":3`), 'it has a member twice, or a number', SealError],
    [textOf({}).replace(':500', ':5e2'), 'it has a member twice, or a number', SealError],
    [textOf({}).replace(':500', ':500.0'), 'it has a member twice, or a number', SealError],
  ])('a text that is not a seal is refused by name: %s', (text, message, type) => {
    expect(() => parseSeal(text)).toThrow(type);
    expect(() => parseSeal(text)).toThrow(message);
  });
});

describe('a seal of format 1', () => {
  const earlier = {
    ...{ format: 'audience-ledger-seal/1', log_id: 'log-1', count: 500, position: '00000000000000000500' },
    event_id: '6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4f',
    ...{ head: 'cd'.repeat(32), root: 'ab'.repeat(32), sealed_at: '2026-01-02T03:04:05.678Z' },
    public_key: publicKeyOf(key),
  };
  const signed = (values: typeof earlier): string => {
    const bytes = Buffer.from(
      Object.values(values)
        .map((value) => field(String(value)))
        .join(''),
    );
    return JSON.stringify({ ...values, signature: sign(null, bytes, key).toString('base64') });
  };

  test('a seal of format 1 is read and checked as a seal without number and without count of restores', () => {
    const { log_id, count, root, sealed_at, public_key } = earlier;
    const expected = { log_id, seq: 0, restores: null, count, root, final: false, sealed_at, public_key };
    expect(readSignedSeal(signed(earlier))).toEqual(expected);
    expect(parseKnownSeal(signed(earlier)).isSigned()).toBe(true);
  });

  test.each<Partial<typeof earlier>>([
    { log_id: 'log-2' },
    { count: 501 },
    { position: '00000000000000000501' },
    { event_id: '6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4e' },
    { head: 'ce'.repeat(32) },
    { root: 'ac'.repeat(32) },
    { sealed_at: '2026-01-02T03:04:05.679Z' },
    { public_key: publicKeyOf(testKey(8)) },
  ])('a seal of format 1 is not signed any more after %j was put in', (changed) => {
    const altered = { ...(JSON.parse(signed(earlier)) as object), ...changed };
    expect(parseKnownSeal(JSON.stringify(altered)).isSigned()).toBe(false);
  });

  test('a seal of format 1 is refused if a member is missing or twice', () => {
    const { head: _, ...headless } = JSON.parse(signed(earlier)) as typeof earlier;
    expect(() => parseKnownSeal(JSON.stringify(headless))).toThrow('its member head is missing or has a wrong form');
    expect(() => parseKnownSeal(signed(earlier).replace('"count":', '"count":1,"count":'))).toThrow('a member twice');
  });
});

describe('the order of seals', () => {
  const one = (restores: number | null, count: number, seq: number) => ({ restores, count, seq });

  test('the order of seals is by restores, then by events, then by number, and not by time', () => {
    const newestFirst: Pick<KnownSeal, 'restores' | 'count' | 'seq'>[] = [
      ...[one(2, 10, 1), one(1, 900, 9), one(1, 300, 5), one(1, 300, 4), one(0, 5_000, 99), one(0, 1, 100)],
      one(null, 9_000, 0),
    ];
    const mixed = [3, 6, 0, 5, 2, 1, 4].flatMap((index) => newestFirst[index] ?? []);
    expect(mixed.sort(compareSeals)).toEqual(newestFirst);
    const late = createSeal({ ...state, seq: 2 }, key, now + 1_000);
    expect([late, seal].sort(compareSeals)).toEqual([seal, late]);
  });
});

describe('a public key', () => {
  const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

  test('a public key is read from PEM and from base64, and has one fingerprint', () => {
    for (const text of [pem, publicKeyOf(key), ` ${publicKeyOf(key)}\n`])
      expect(publicKeyOf(readPublicKey(text))).toBe(publicKeyOf(key));
    expect(fingerprintOf(publicKeyOf(key))).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprintOf(publicKeyOf(key))).not.toBe(fingerprintOf(publicKeyOf(testKey(8))));
  });

  test('a public key is refused if it is private, of another kind, or no key', () => {
    const secret = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => readPublicKey(secret)).toThrow('it is a private key, which must stay secret');
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const text of ['', 'no key', publicKey.export({ type: 'spki', format: 'pem' }).toString()])
      expect(() => readPublicKey(text)).toThrow(UnreadableSealError);
  });
});
