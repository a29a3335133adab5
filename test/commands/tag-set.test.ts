import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noTags } from '../../src/commands/tag-set.js';

const id = fc.integer({ min: 0, max: 60 }).map((number) => `tag_${number}`);
const step = fc.record({ type: fc.constantFrom('with', 'without'), ids: fc.array(id, { maxLength: 5 }) } as const);

test('holds what a Set would, in the order of attaching, and leaves every set before it as it was', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let tags = noTags;
      let model: readonly string[] = [];
      const seen = [{ tags, model }];
      for (const { type, ids } of steps) {
        tags = tags[type](ids);
        model = type === 'with' ? [...new Set([...model, ...ids])] : model.filter((one) => !ids.includes(one));
        seen.push({ tags, model });
      }
      for (const { tags: set, model: wanted } of seen) {
        expect([...set]).toEqual(wanted);
        for (let number = 0; number <= 60; number += 1)
          expect(set.has(`tag_${number}`)).toBe(wanted.includes(`tag_${number}`));
      }
    }),
    { numRuns: 50 },
  );
});

test('is itself when nothing is new', () => {
  const tags = noTags.with(['tag_1', 'tag_2']);
  expect(tags.with(['tag_2'])).toBe(tags);
});
