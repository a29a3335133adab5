import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyMap } from '../../src/commands/persistent-map.js';

test('holds what a Map holds, and older maps stay as they were', () => {
  const key = fc.integer({ min: 0, max: 30 }).map((number) => `key ${number}`);
  const change = fc.record({ key, value: fc.option(fc.integer()) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
      const model = new Map<string, number>();
      let map = emptyMap<number>();
      for (const { key: one, value } of changes) {
        const before = map;
        const held = [...before.entries()];
        map = value === null ? map.without(one) : map.with(one, value);
        if (value === null) model.delete(one);
        else model.set(one, value);
        expect(new Map(before.entries())).toEqual(new Map(held));
        for (const [one, value] of held) expect(before.get(one)).toBe(value);
      }
      expect(new Map(map.entries())).toEqual(model);
      expect(map.size).toBe(model.size);
      for (const [one, value] of model) expect(map.get(one)).toBe(value);
    }),
  );
});

test('one version can be changed in two ways, and each remembers its own', () => {
  const base = emptyMap<number>().with('a', 1).with('b', 2);
  const one = base.with('a', 10).without('b');
  const two = base.with('a', 20).with('c', 3);
  expect([one.get('a'), one.get('b'), one.size]).toEqual([10, undefined, 1]);
  expect([two.get('a'), two.get('b'), two.get('c'), two.size]).toEqual([20, 2, 3, 3]);
  expect([base.get('a'), base.get('b'), base.get('c'), base.size]).toEqual([1, 2, undefined, 2]);
});

test('100,000 keys stay quick to change', () => {
  let map = emptyMap<number>();
  for (let index = 0; index < 100_000; index += 1) map = map.with(`lst_${index}`, index);
  expect(map.size).toBe(100_000);
  expect(map.get('lst_99999')).toBe(99_999);
  const begun = performance.now();
  for (let index = 0; index < 1_000; index += 1) map = map.with(`lst_${index}`, -index);
  // A copy of a plain Map would take milliseconds for each.
  expect(performance.now() - begun).toBeLessThan(500);
});
