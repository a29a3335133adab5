/** Comparing two storages that are folded on meanwhile: a pair counts only where both are at the same position. */
import { expect, it } from 'vitest';
import type { Document, ReadModels, View } from '../../src/readmodels/read-models.js';
import { compareViews } from '../../src/rebuild/compare-views.js';
import { examplePosition } from '../support/examples.js';

type Stored = { readonly document: Document | null; readonly position: string };
const view = (version: number): View => ({ name: 'things', version, indexes: [] });
const at = (position: number, document: Document | null): Stored => ({ document, position: examplePosition(position) });

/** Two storages in memory; `onLoad` is called before each look at the live one, `follow` brings the other one as far. */
function storages(live: Record<string, Stored>, fresh: Record<string, Stored>, onLoad: () => void = () => undefined) {
  const contentOf = ({ version }: View) => (version === 1 ? live : fresh);
  const readModels = {
    async load(of: View, ids: readonly string[]) {
      if (of.version === 1) onLoad();
      return new Map(Object.entries(contentOf(of)).filter(([id]) => ids.includes(id)));
    },
    async find(of: View) {
      const documents = Object.entries(contentOf(of)).flatMap(([id, { document, position }]) =>
        document === null ? [] : [{ id, document, position }],
      );
      return { documents };
    },
  } as unknown as ReadModels;
  return (follow: () => number = () => 99) =>
    compareViews({
      readModels,
      live: view(1),
      fresh: view(2),
      signal: new AbortController().signal,
      onProgress: () => undefined,
      pause: () => Promise.resolve(),
      follow: () => Promise.resolve(examplePosition(follow())),
    });
}

it('reads a pair again until both sides are at the same position', async () => {
  const live = { one: at(1, { n: 1 }), two: at(2, { n: 1 }) };
  const fresh = { one: at(1, { n: 1 }), two: at(1, { n: 0 }) };
  let looks = 0;
  const compare = storages(live, fresh, () => {
    looks += 1;
    if (looks < 6) live.two = at(2 + looks, { n: looks });
  });
  // One step behind, as long as the live one moves.
  const result = await compare(() => {
    fresh.two = looks < 6 ? at(1 + looks, { n: looks - 1 }) : live.two;
    return looks < 6 ? 1 + looks : 99;
  });
  expect(result).toMatchObject({ documents: 2, live_documents: 2, differing: 0, differences: [] });
});

it('finds what differs at the same position, though the document changes all the time', async () => {
  const live = { hot: at(1, { n: 1 }) };
  const fresh = { hot: at(1, { n: 7 }) };
  let position = 1;
  const compare = storages(live, fresh, () => (live.hot = at((position += 1), { n: 1 })));
  expect(
    await compare(() => {
      fresh.hot = at(position, { n: 7 });
      return position;
    }),
  ).toMatchObject({
    differing: 1,
    differences: ['hot'],
  });
});

it('finds what is on one side only, and takes a tombstone for nothing', async () => {
  const live = { both: at(1, { n: 1 }), left: at(2, { n: 1 }), gone: at(3, null) };
  const fresh = { both: at(1, { n: 1 }), gone: at(4, null), right: at(5, { n: 1 }) };
  const compare = storages(live, fresh);
  expect(await compare()).toMatchObject({
    documents: 2,
    live_documents: 2,
    differing: 2,
    differences: ['left', 'right'],
  });
});
