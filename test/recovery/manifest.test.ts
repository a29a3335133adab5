/** The MAC of a manifest covers everything in it. */
import { expect, test } from 'vitest';
import { completeManifest, macState, type Manifest } from '../../src/recovery/manifest.js';

const secret = 'a secret of at least 32 bytes, for a test';
const at = '2026-01-01T00:00:00.000Z';
const sha256 = 'ab'.repeat(32);
const signed = completeManifest(
  {
    ...{ made_at: at, log_id: 'log', restores: 1, count: 2, root: sha256, position: '2' },
    ...{ register: { entries: 1 }, seals: 0, seal_keys: ['key'], secrets: ['secret'] },
    versions: { service: '1', node: '2', sqlite: '3' },
    files: [
      { name: 'events.db', bytes: 1, sha256 },
      { name: 'secret', bytes: 2, sha256 },
    ],
  },
  secret,
);

/** Returns the value with each value in it changed in turn, and with each list in it shortened and turned around. */
function changes(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const inside = list.flatMap((one, index) => changes(one).map((changed) => list.with(index, changed)));
    return [...inside, list.slice(1), ...(list.length > 1 ? [list.toReversed()] : [])];
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, one]) =>
      changes(one).map((changed) => ({ ...value, [name]: changed })),
    );
  if (typeof value === 'number') return [value + 1];
  return typeof value === 'boolean' ? [!value] : [`${String(value)}x`];
}

test('the MAC of a manifest is valid under its secret alone, in any order of members', () => {
  const turned = Object.fromEntries(Object.entries(signed).reverse()) as unknown as Manifest;
  for (const one of [signed, turned]) expect(macState(one, [{ secret: 'another' }, { secret }])).toBe('valid');
  expect(macState(signed, [{ secret: 'another' }])).toBe('invalid');
  expect(macState(signed, [])).toBe('not_checked');
  expect(macState({ ...signed, mac: null }, [{ secret }])).toBe('missing');
});

test('the MAC of a manifest covers every value in it', () => {
  const { mac, ...covered } = signed;
  const altered = changes(covered);
  expect(altered.length).toBeGreaterThan(20);
  for (const one of altered) {
    const state = macState({ ...(one as Omit<Manifest, 'mac'>), mac }, [{ secret }]);
    expect({ one, state }).toEqual({ one, state: 'invalid' });
  }
});
