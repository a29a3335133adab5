import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupDecider, listDecider, tagDecider, type CatalogueCommand } from '../../src/commands/catalogue.js';
import { nameKey } from '../../src/events/catalogues.js';
import { apply, eventCount, given } from './given.js';

const kinds = [
  { kind: 'group', title: 'Group', decider: groupDecider },
  { kind: 'list', title: 'List', decider: listDecider },
  { kind: 'tag', title: 'Tag', decider: tagDecider },
] as const;

for (const { kind, title, decider: typed } of kinds) {
  // The three deciders differ in their words only; the tests speak all three through these.
  const decider = typed as typeof listDecider;
  const words = (id: string, name: string) => ({ [`${kind}_id`]: id, [`${kind}_name`]: name });
  const created = (id: string, name: string) => ({ type: `${title}Created`, data: words(id, name) }) as never;
  const renamed = (id: string, name: string, previous: string) =>
    ({ type: `${title}Renamed`, data: { ...words(id, name), previous_name: previous } }) as never;
  const deleted = (id: string, name: string) => ({ type: `${title}Deleted`, data: words(id, name) }) as never;
  const duplicate = `duplicate_${kind}_name`;
  const unknown = `unknown_${kind}`;

  describe(`${kind}: create`, () => {
    test('a new name', () => {
      given(decider).when({ type: 'Create', id: 'a', name: 'News' }).then(created('a', 'News'));
    });
    test.each(['News', 'NEWS', ' news ', 'n\u00e9ws'])('refuses a name that is taken: %j', (name) => {
      given(decider, created('a', 'News'), created('b', 'ne\u0301ws'))
        .when({ type: 'Create', id: 'c', name })
        .thenRefused(duplicate);
    });
    test('a name that a deletion or a rename has freed', () => {
      given(decider, created('a', 'News'), deleted('a', 'News'))
        .when({ type: 'Create', id: 'b', name: 'news' })
        .then(created('b', 'news'));
      given(decider, created('a', 'News'), renamed('a', 'Offers', 'News'))
        .when({ type: 'Create', id: 'b', name: 'news' })
        .then(created('b', 'news'));
    });
  });

  describe(`${kind}: rename`, () => {
    test('to a new name', () => {
      given(decider, created('a', 'News'))
        .when({ type: 'Rename', id: 'a', name: 'Offers' })
        .then(renamed('a', 'Offers', 'News'));
    });
    test('to its own name in another case', () => {
      given(decider, created('a', 'News'))
        .when({ type: 'Rename', id: 'a', name: 'NEWS' })
        .then(renamed('a', 'NEWS', 'News'));
    });
    test('to exactly its own name: nothing', () => {
      given(decider, created('a', 'News')).when({ type: 'Rename', id: 'a', name: 'News' }).then();
    });
    test('refuses a taken name, an unknown id and a deleted one', () => {
      const before = given(
        decider,
        created('a', 'News'),
        created('b', 'Offers'),
        deleted('b', 'Offers'),
        created('c', 'X'),
      );
      before.when({ type: 'Rename', id: 'c', name: 'news' }).thenRefused(duplicate);
      before.when({ type: 'Rename', id: 'z', name: 'Y' }).thenRefused(unknown);
      before.when({ type: 'Rename', id: 'b', name: 'Offers' }).thenRefused(unknown);
    });
  });

  describe(`${kind}: delete`, () => {
    test('once', () => {
      given(decider, created('a', 'News')).when({ type: 'Delete', id: 'a' }).then(deleted('a', 'News'));
    });
    test('not twice', () => {
      given(decider, created('a', 'News'), deleted('a', 'News')).when({ type: 'Delete', id: 'a' }).thenRefused(unknown);
    });
  });

  test(`${kind}: ensure creates what is missing, each name once`, () => {
    given(decider, created('a', 'News'))
      .when({
        type: 'Ensure',
        entries: [
          { id: 'b', name: 'NEWS' },
          { id: 'c', name: 'Vip' },
          { id: 'd', name: 'vip' },
        ],
      })
      .then(created('c', 'Vip'));
  });

  test(`${kind}: deciding again on the resulting state yields nothing, and no two living names share a key`, () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const name = fc.constantFrom('News', 'news', 'NEWS ', 'Offers', 'offers', 'Stra\u00dfe');
    const command: fc.Arbitrary<CatalogueCommand> = fc.oneof(
      fc.record({ type: fc.constant('Create' as const), id: fc.uuid(), name }),
      fc.record({ type: fc.constant('Rename' as const), id, name }),
      fc.record({ type: fc.constant('Delete' as const), id }),
      fc.record({
        type: fc.constant('Ensure' as const),
        entries: fc.array(fc.record({ id: fc.uuid(), name }), { maxLength: 3 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state = decider.initial;
        for (const one of commands) {
          state = apply(decider, state, decider.decide(one, state, { revision: 0n, at: '2026-03-01T09:00:00.000Z' }));
          expect(eventCount(decider.decide(one, state, { revision: 0n, at: '2026-03-01T09:00:00.000Z' }))).toBe(0);
          const keys = [...state.nameById.entries()].map(([, text]) => nameKey(text));
          expect(new Set(keys).size).toBe(keys.length);
          expect(state.idByNameKey.size).toBe(state.nameById.size);
        }
      }),
      { numRuns: 200 },
    );
  });
}

test('catalogue memory does not grow with renames, though the initial state stays', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const nameOf = (round: number): string => `Name ${round % 2}`;
  let state = listDecider.evolve(
    listDecider.initial,
    {
      type: 'ListCreated',
      data: { list_id: 'lst_1', list_name: nameOf(0) },
    },
    { at: '' },
  );
  const before = heap();
  const renames = 50_000;
  for (let round = 1; round <= renames; round += 1)
    state = listDecider.evolve(
      state,
      {
        type: 'ListRenamed',
        data: { list_id: 'lst_1', list_name: nameOf(round), previous_name: nameOf(round - 1) },
      },
      { at: '' },
    );
  expect(state.nameById.get('lst_1')).toBe(nameOf(renames));
  expect((heap() - before) / renames).toBeLessThan(40);
});
