/** The contract suite of the read-model port; every adapter passes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CommitConflictError,
  InvalidCursorError,
  ReadModelsUnavailableError,
  type Checkpoint,
  type Document,
  type DocumentWrite,
  type FindQuery,
  type ReadModels,
  type View,
} from '../../src/readmodels/read-models.js';
import { checkpoint, position } from './checkpoints.js';

export interface ReadModelsHarness {
  /** Fresh, empty read models. `now` gives the milliseconds that leases are measured by, where the adapter takes them. */
  open(now: () => number): Promise<ReadModels>;
  /** A second connection to the same data. */
  reopen(now: () => number): Promise<ReadModels>;
  cleanup(): Promise<void>;
}

let views = 0;
/** Each test acts on a view of its own. */
function newView(): View {
  const letters = [...String((views += 1))].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
  return {
    name: `things_${letters}`,
    version: 1,
    indexes: [{ fields: ['owner', 'size'] }, { fields: ['open', 'due'] }, { fields: ['name'] }],
    arrayIndexes: ['tag_ids'],
  };
}

export function readModelsContract(adapter: string, newHarness: () => ReadModelsHarness): void {
  describe(`read models: ${adapter}`, () => {
    const harness = newHarness();
    let time = 1_000;
    const now = (): number => time;
    let models: ReadModels;

    beforeAll(async () => {
      models = await harness.open(now);
    });
    afterAll(async () => {
      await models.close();
      await harness.cleanup();
    });

    async function prepared(): Promise<View> {
      const view = newView();
      await models.prepare(view);
      return view;
    }
    /** Commits under a checkpoint of the view's own. */
    async function commit(view: View, writes: readonly Omit<DocumentWrite, 'view'>[]): Promise<void> {
      const previous = await models.checkpoint(view.name);
      const next = checkpoint(Number(previous?.position ?? 0) + 1);
      await models.commit({
        writes: writes.map((write) => ({ view, ...write })),
        checkpoint: { name: view.name, previous, next },
      });
    }
    async function filled(documents: Readonly<Record<string, Document>>): Promise<View> {
      const view = await prepared();
      const entries = Object.entries(documents);
      await commit(
        view,
        entries.map(([id, document]) => ({ id, document, position: position(1), loaded: null })),
      );
      return view;
    }
    const ids = async (view: View, query: Partial<FindQuery>): Promise<string[]> =>
      (await models.find(view, { limit: 100, ...query })).documents.map(({ id }) => id);
    async function pagedIds(view: View, query: Partial<FindQuery>, limit = 2): Promise<string[]> {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await models.find(view, { ...query, limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(page.documents.length).toBeLessThanOrEqual(limit);
        found.push(...page.documents.map(({ id }) => id));
        cursor = page.nextCursor;
        if (cursor !== undefined) expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      } while (cursor !== undefined);
      return found;
    }

    describe('documents', () => {
      it('gives back what was committed, with its position', async () => {
        const document = {
          text: 'Zoë 😀 "quoted"',
          number: 1.5,
          no: null,
          nested: { list: [1, 'two', { three: true }] },
        };
        const view = await filled({ one: document });
        expect(await models.get(view, 'one')).toEqual({ id: 'one', document, position: position(1) });
        expect(await models.get(view, 'two')).toBeUndefined();
      });

      it('gives back whole, in the order of the fields, what a view with declared fields may keep in part', async () => {
        const view: View = {
          ...newView(),
          fields: ['owner', 'name', 'open', 'size', 'due', 'tag_ids', 'rest'],
          idFields: ['owner', 'name'],
        };
        await models.prepare(view);
        const full = {
          owner: 'a',
          name: 'b',
          open: true,
          size: 1.5,
          due: 'now',
          tag_ids: ['t', 'u\\'],
          rest: { no: null },
        };
        const documents: Readonly<Record<string, Document>> = {
          'a/b': full,
          'a/c': { ...full, name: 'c', open: null, size: null, due: null, tag_ids: [], rest: null },
          'a/d/e': { ...full, name: 'd/e', open: false, tag_ids: ['t', 't'] },
          'a/undeclared': { ...full, name: 'undeclared', tag_ids: [], more: null },
          other: { ...full, owner: null, tag_ids: null, rest: [] },
        };
        const write = ([id, document]: [string, Document]) => ({ id, document, position: position(1), loaded: null });
        await commit(view, Object.entries(documents).map(write));
        const text = JSON.stringify(Object.entries(documents));
        const found = (await models.find(view, { limit: 9 })).documents;
        expect(JSON.stringify(found.map(({ id, document }) => [id, document]))).toBe(text);
        const loaded = [...(await models.load(view, Object.keys(documents)))];
        expect(JSON.stringify(loaded.map(([id, { document }]) => [id, document]))).toBe(text);
        expect((await models.get(view, 'a/b'))?.document).toEqual(full);
        expect(await ids(view, { contains: { field: 'tag_ids', value: 'u\\' } })).toEqual(['a/b']);
        await commit(view, [{ id: 'a/b', document: null, position: position(2), loaded: position(1) }]);
        expect(await models.get(view, 'a/b')).toBeUndefined();
      });

      it('getMany gives those that exist', async () => {
        const view = await filled({ a: { name: 'A' }, b: { name: 'B' } });
        const found = await models.getMany(view, ['b', 'missing', 'a', 'a']);
        expect([...found.keys()].sort()).toEqual(['a', 'b']);
        expect((await models.getMany(view, [])).size).toBe(0);
      });

      it('getEach gives those that exist of each view', async () => {
        const [one, other] = [
          await filled({ a: { name: 'A' }, b: { name: 'B' } }),
          await filled({ a: { name: '-0', n: -0 } }),
        ];
        await commit(one, [{ id: 'b', document: null, position: position(2), loaded: position(1) }]);
        const named = async (wanted: Parameters<ReadModels['getEach']>[0]) =>
          (await models.getEach(wanted)).map((found) => [...found].map(([id, { document }]) => [id, document['name']]));
        const first = { view: one, ids: ['b', 'missing', 'a', 'a'] };
        expect(await named([first, { view: other, ids: ['a'] }])).toEqual([[['a', 'A']], [['a', '-0']]]);
        expect(await named([{ view: other, ids: [] }, first])).toEqual([[], [['a', 'A']]]);
        expect(await named([{ view: other, ids: [] }])).toEqual([[]]);
      });

      it('replaces a document over the position it was loaded with', async () => {
        const view = await filled({ one: { name: 'old' } });
        await commit(view, [{ id: 'one', document: { name: 'new' }, position: position(2), loaded: position(1) }]);
        expect(await models.get(view, 'one')).toEqual({ id: 'one', document: { name: 'new' }, position: position(2) });
        expect(await ids(view, { where: { name: 'old' } })).toEqual([]);
        expect(await ids(view, { where: { name: 'new' } })).toEqual(['one']);
      });

      it('leaves a tombstone with its position, which only load shows', async () => {
        const view = await filled({ one: { name: 'n', owner: null, tag_ids: ['t'] } });
        await commit(view, [{ id: 'one', document: null, position: position(2), loaded: position(1) }]);
        expect(await models.get(view, 'one')).toBeUndefined();
        expect((await models.getMany(view, ['one'])).size).toBe(0);
        expect(await ids(view, {})).toEqual([]);
        expect(await ids(view, { where: { owner: null } })).toEqual([]);
        expect(await ids(view, { contains: { field: 'tag_ids', value: 't' } })).toEqual([]);
        expect([...(await models.load(view, ['one', 'never']))]).toEqual([
          ['one', { document: null, position: position(2) }],
        ]);
      });

      it('writes over a tombstone with its position', async () => {
        const view = await filled({ one: { name: 'n' } });
        await commit(view, [{ id: 'one', document: null, position: position(2), loaded: position(1) }]);
        await commit(view, [{ id: 'one', document: { name: 'again' }, position: position(3), loaded: position(2) }]);
        expect((await models.get(view, 'one'))?.document).toEqual({ name: 'again' });
      });

      it.each([
        ['a new document that exists', null],
        ['another position', position(7)],
      ])('refuses %s and moves no checkpoint', async (_, loaded) => {
        const view = await filled({ one: { name: 'n' } });
        const writes = [{ id: 'one', document: { name: 'x' }, position: position(2), loaded }];
        await expect(commit(view, writes)).rejects.toThrow(CommitConflictError);
        expect((await models.get(view, 'one'))?.document).toEqual({ name: 'n' });
        expect(await models.checkpoint(view.name)).toEqual(checkpoint(1));
      });

      it('refuses to update a document that is not there', async () => {
        const view = await prepared();
        const writes = [{ id: 'one', document: { name: 'x' }, position: position(2), loaded: position(1) }];
        await expect(commit(view, writes)).rejects.toThrow(CommitConflictError);
        expect(await models.get(view, 'one')).toBeUndefined();
      });

      it('is seen by another connection once committed', async () => {
        const view = await filled({ one: { name: 'n' } });
        const other = await harness.reopen(now);
        expect((await other.get(view, 'one'))?.document).toEqual({ name: 'n' });
        expect(await other.checkpoint(view.name)).toEqual(checkpoint(1));
        await other.close();
      });

      it('keeps hostile ids and values apart from the language of the store', async () => {
        const evil = `'"; DROP TABLE things; -- $where {"$gt":""} \u0000 %_`;
        const view = await filled({ [evil]: { name: evil, tag_ids: [evil] }, other: { name: 'x', tag_ids: [] } });
        expect((await models.get(view, evil))?.document['name']).toBe(evil);
        expect(await ids(view, { where: { name: evil } })).toEqual([evil]);
        expect(await ids(view, { contains: { field: 'tag_ids', value: evil } })).toEqual([evil]);
        expect(await ids(view, { idPrefix: evil.slice(0, 9) })).toEqual([evil]);
        expect(await ids(view, { idPrefix: '%' })).toEqual([]);
      });
    });

    describe('find', () => {
      const things = {
        'a/1': { owner: 'ann', size: 2, open: true, due: '2026-01-02', name: 'x', tag_ids: ['red', 'blue'] },
        'a/2': { owner: 'ann', size: 10, open: true, due: '2026-01-01', name: 'y', tag_ids: ['red'] },
        'a/3': { owner: 'bob', size: 1, open: false, due: null, name: 'y', tag_ids: [] },
        'b/1': { owner: 'ann', size: null, open: true, due: null, name: 'z', tag_ids: ['blue'] },
        'b/2': { owner: 'ann', size: 2, open: true, due: '2026-01-01', name: 'z', tag_ids: ['red', 'red'] },
      };
      let view: View;
      beforeAll(async () => {
        view = await filled(things);
      });

      const cases: readonly [string, Partial<FindQuery>, readonly string[]][] = [
        ['everything by id', {}, ['a/1', 'a/2', 'a/3', 'b/1', 'b/2']],
        ['everything by id, descending', { descending: true }, ['b/2', 'b/1', 'a/3', 'a/2', 'a/1']],
        ['a prefix of ids', { idPrefix: 'a/' }, ['a/1', 'a/2', 'a/3']],
        ['equality on a leading field', { where: { owner: 'ann' } }, ['a/1', 'a/2', 'b/1', 'b/2']],
        ['equality on all fields', { where: { size: 2, owner: 'ann' } }, ['a/1', 'b/2']],
        ['equality with null', { where: { owner: 'ann', size: null } }, ['b/1']],
        ['equality and a prefix', { where: { owner: 'ann' }, idPrefix: 'a/' }, ['a/1', 'a/2']],
        ['numbers as numbers, nulls first', { where: { owner: 'ann' }, sort: 'size' }, ['b/1', 'a/1', 'b/2', 'a/2']],
        ['descending', { where: { owner: 'ann' }, sort: 'size', descending: true }, ['a/2', 'b/2', 'a/1', 'b/1']],
        ['booleans', { where: { open: true }, sort: 'due' }, ['b/1', 'a/2', 'b/2', 'a/1']],
        ['from a value on', { sort: 'name', from: 'xx' }, ['a/2', 'a/3', 'b/1', 'b/2']],
        ['from a value on, which is there', { sort: 'name', from: 'z' }, ['b/1', 'b/2']],
        ['what is not null', { where: { open: true }, sort: 'due', from: '' }, ['a/2', 'b/2', 'a/1']],
        ['sort without where', { sort: 'name' }, ['a/1', 'a/2', 'a/3', 'b/1', 'b/2']],
        ['an array that contains', { contains: { field: 'tag_ids', value: 'red' } }, ['a/1', 'a/2', 'b/2']],
        ['contains and a prefix', { contains: { field: 'tag_ids', value: 'red' }, idPrefix: 'a/' }, ['a/1', 'a/2']],
        [
          'contains and equality, sorted',
          { contains: { field: 'tag_ids', value: 'red' }, where: { owner: 'ann' }, sort: 'size', descending: true },
          ['a/2', 'b/2', 'a/1'],
        ],
        ['nothing', { where: { owner: 'nobody' } }, []],
      ];
      it.each(cases)('answers %s', async (_, query, expected) => {
        expect(await ids(view, query)).toEqual(expected);
      });
      it.each(cases)('pages %s, each once', async (_, query, expected) => {
        expect(await pagedIds(view, query, 1)).toEqual(expected);
        expect(await pagedIds(view, query, 2)).toEqual(expected);
      });

      it('has no next cursor when the page ends with the last document', async () => {
        expect((await models.find(view, { limit: 5 })).nextCursor).toBeUndefined();
      });

      it('follows changes of an array', async () => {
        const own = await filled({ one: { tag_ids: ['a', 'b'] } });
        const containing = (value: string): Promise<string[]> => ids(own, { contains: { field: 'tag_ids', value } });
        await commit(own, [
          { id: 'one', document: { tag_ids: ['b', 'c'] }, position: position(2), loaded: position(1) },
        ]);
        expect([await containing('a'), await containing('b'), await containing('c')]).toEqual([[], ['one'], ['one']]);
        await commit(own, [{ id: 'one', document: {}, position: position(3), loaded: position(2) }]);
        expect([await containing('b'), await containing('c')]).toEqual([[], []]);
      });

      it.each(['', 'x', '%%%', 'e30', 'W10', Buffer.from('["id",false,null,5]').toString('base64url')])(
        'refuses the cursor %j',
        async (cursor) => {
          await expect(models.find(view, { limit: 1, cursor })).rejects.toThrow(InvalidCursorError);
        },
      );

      it('refuses a cursor of another sort or direction', async () => {
        const { nextCursor = '' } = await models.find(view, { where: { owner: 'ann' }, sort: 'size', limit: 1 });
        await expect(models.find(view, { limit: 1, cursor: nextCursor })).rejects.toThrow(InvalidCursorError);
        const reversed = { where: { owner: 'ann' }, sort: 'size', descending: true, limit: 1, cursor: nextCursor };
        await expect(models.find(view, reversed)).rejects.toThrow(InvalidCursorError);
      });

      it.each<[string, Partial<FindQuery>]>([
        ['where without an index', { where: { size: 1 } }],
        ['a sort without an index', { sort: 'size' }],
        ['contains without an array index', { contains: { field: 'name', value: 'x' } }],
        ['a limit of 0', { limit: 0 }],
      ])('refuses %s as a fault of the caller', async (_, query) => {
        await expect(models.find(view, { limit: 1, ...query })).rejects.toThrow(TypeError);
      });
    });

    describe('search', () => {
      const found = async (view: View, prefix: string, limit = 100): Promise<readonly string[]> =>
        (await models.search(view, { field: 'tag_ids', prefix, limit })).map(({ id }) => id);

      it('answers what begins with a text, each once, in the order of what does', async () => {
        const view = await filled({
          one: { tag_ids: ['red wine', 'apple'] },
          two: { tag_ids: ['red', 'redder', 'ap'] },
          three: { tag_ids: ['ré'] },
          four: { tag_ids: ['Red', 're', 'a\u{1F600}'] },
          five: { name: 'red' },
        });
        expect(await found(view, 're')).toEqual(['four', 'two', 'one']);
        expect(await found(view, 'red')).toEqual(['two', 'one']);
        expect(await found(view, 'redder')).toEqual(['two']);
        expect(await found(view, 'r')).toEqual(['four', 'two', 'one', 'three']);
        expect(await found(view, 'a')).toEqual(['two', 'one', 'four']);
        expect(await found(view, 'a', 2)).toEqual(['two', 'one']);
        expect(await found(view, 'r', 1)).toEqual(['four']);
        for (const nothing of ['x', 'red wines', '.*', '%', '_ed', 'RED'])
          expect(await found(view, nothing)).toEqual([]);
        expect(await models.search(view, { field: 'tag_ids', prefix: 'redder', limit: 1 })).toEqual([
          await models.get(view, 'two'),
        ]);
      });

      it('follows changes of an array, and finds nothing that was deleted', async () => {
        const view = await filled({ one: { tag_ids: ['ab', 'b'] } });
        await commit(view, [
          { id: 'one', document: { tag_ids: ['b', 'cd'] }, position: position(2), loaded: position(1) },
        ]);
        expect([await found(view, 'a'), await found(view, 'b'), await found(view, 'c')]).toEqual([
          [],
          ['one'],
          ['one'],
        ]);
        await commit(view, [{ id: 'one', document: null, position: position(3), loaded: position(2) }]);
        expect([await found(view, 'b'), await found(view, 'c')]).toEqual([[], []]);
      });

      it('finds hostile texts as they are', async () => {
        const evil = `'"; DROP TABLE things; -- $where {"$gt":""} \u0000 %_ \\`;
        const view = await filled({ one: { tag_ids: [evil] }, other: { tag_ids: ["'"] } });
        expect(await found(view, evil.slice(0, 3))).toEqual(['one']);
        expect(await found(view, evil)).toEqual(['one']);
      });

      it('refuses a field without an index, no beginning and no limit as faults of the caller', async () => {
        const view = await prepared();
        const search = { field: 'tag_ids', prefix: 'a', limit: 1 };
        for (const wrong of [{ field: 'name' }, { prefix: '' }, { limit: 0 }, { limit: 1.5 }])
          await expect(models.search(view, { ...search, ...wrong })).rejects.toThrow(TypeError);
      });
    });

    describe('checkpoints', () => {
      const move = (name: string, previous: Checkpoint | null, next: Checkpoint, epoch?: number): Promise<void> =>
        models.commit({ writes: [], checkpoint: { name, previous, next, ...(epoch === undefined ? {} : { epoch }) } });

      it('are absent before the first commit and after forget', async () => {
        expect(await models.checkpoint('fresh')).toBeNull();
        await move('fresh', null, checkpoint(1, { b: 2, a: 1 }));
        expect(await models.checkpoint('fresh')).toEqual(checkpoint(1, { a: 1, b: 2 }));
        await models.forget({ name: 'fresh', previous: checkpoint(1, { a: 1, b: 2 }) });
        expect(await models.checkpoint('fresh')).toBeNull();
        // Again, as after an answer that was lost; and what never was.
        await models.forget({ name: 'fresh', previous: checkpoint(1, { a: 1, b: 2 }) });
        await models.forget({ name: 'never', previous: null });
        await move('fresh', null, checkpoint(2));
      });

      it('are not forgotten by who knows of another, or has lost the lease meanwhile', async () => {
        await move('kept', null, checkpoint(1), 1);
        await move('kept', checkpoint(1), checkpoint(2), 2);
        for (const [previous, epoch] of [
          [checkpoint(1), 2],
          [null, 2],
          [checkpoint(2), 1],
          [checkpoint(1), undefined],
        ] as const)
          await expect(models.forget({ name: 'kept', previous, epoch })).rejects.toThrow(CommitConflictError);
        expect(await models.checkpoint('kept')).toEqual(checkpoint(2));
        await models.forget({ name: 'kept', previous: checkpoint(2), epoch: 2 });
        expect(await models.checkpoint('kept')).toBeNull();
        await move('kept', null, checkpoint(1), 3);
        // Of another lease: what it knows decides alone.
        await models.forget({ name: 'kept', previous: checkpoint(1) });
        expect(await models.checkpoint('kept')).toBeNull();
      });

      it('move only from where they were read, documents included', async () => {
        const view = await prepared();
        await move('cas', null, checkpoint(1));
        for (const previous of [null, checkpoint(2), { ...checkpoint(1), logId: 'other' }, checkpoint(1, { x: 1 })]) {
          const write = { view, id: 'one', document: {}, position: position(2), loaded: null };
          const next = { name: 'cas', previous, next: checkpoint(3) };
          await expect(models.commit({ writes: [write], checkpoint: next })).rejects.toThrow(CommitConflictError);
          expect(await models.checkpoint('cas')).toEqual(checkpoint(1));
        }
        // Only an adapter without transactions may have written the document; then it stands with its own position.
        await move('cas', checkpoint(1), checkpoint(2));
      });

      it('refuse an earlier epoch once a later one has written', async () => {
        await move('epochs', null, checkpoint(1), 1);
        await move('epochs', checkpoint(1), checkpoint(2), 2);
        await expect(move('epochs', checkpoint(2), checkpoint(3), 1)).rejects.toThrow(CommitConflictError);
        await move('epochs', checkpoint(2), checkpoint(3), 2);
      });
    });

    describe('views', () => {
      it('a scrub drops what no checkpoint names of a view, and leaves what one names', async () => {
        const view = await filled({ one: { owner: 'a' } });
        const named = { ...view, storage: 2 };
        const lost = { ...view, storage: 3 };
        const write = { id: 'one', document: { owner: 'b' }, position: position(1), loaded: null };
        for (const of of [named, lost]) {
          await models.prepare(of);
          await commit(of, [{ ...write }]);
        }
        const previous = await models.checkpoint('a rebuild');
        const next = checkpoint(Number(previous?.position ?? 0) + 1, { [view.name]: 2 });
        await models.commit({ writes: [], checkpoint: { name: 'a rebuild', previous, next } });
        await models.scrub([view]);
        for (const of of [view, named, lost]) await models.prepare(of);
        expect((await models.get(view, 'one'))?.document).toEqual({ owner: 'a' });
        expect((await models.get(named, 'one'))?.document).toEqual({ owner: 'b' });
        expect(await models.get(lost, 'one')).toBeUndefined();
      });

      it('are prepared repeatedly without loss, and versions never touch', async () => {
        const view = await filled({ one: { name: 'v1' } });
        const second = { ...view, version: 2 };
        await models.prepare(view);
        await models.prepare(second);
        expect(await models.get(second, 'one')).toBeUndefined();
        await models.drop(second);
        expect((await models.get(view, 'one'))?.document).toEqual({ name: 'v1' });
      });

      it('are empty after drop and prepare', async () => {
        const view = await filled({ one: { name: 'n', tag_ids: ['t'] } });
        await models.drop(view);
        await models.drop(view);
        await models.prepare(view);
        expect((await models.load(view, ['one'])).size).toBe(0);
        expect(await ids(view, { contains: { field: 'tag_ids', value: 't' } })).toEqual([]);
      });

      it('take documents while they are bare, and are found in every way once they are whole', async () => {
        const view = newView();
        await models.prepare(view, { bare: true });
        await models.prepare(view, { bare: true });
        const odd = '\u0000 "\\" Zoë \ud83d\ude00';
        await commit(view, [
          {
            id: 'a',
            document: { owner: 'ann', size: 2, tag_ids: ['red', odd, 'red'] },
            position: position(1),
            loaded: null,
          },
          { id: 'b', document: { owner: 'ann', size: 1, tag_ids: ['red'] }, position: position(1), loaded: null },
          { id: 'c', document: { owner: 'ann', tag_ids: ['red'] }, position: position(1), loaded: null },
        ]);
        await commit(view, [
          {
            id: 'b',
            document: { owner: 'ann', size: 3, tag_ids: ['blue'] },
            position: position(2),
            loaded: position(1),
          },
          { id: 'c', document: null, position: position(2), loaded: position(1) },
        ]);
        const stale = [{ id: 'a', document: {}, position: position(3), loaded: null }];
        await expect(commit(view, stale)).rejects.toThrow(CommitConflictError);
        expect([...(await models.load(view, ['a', 'b', 'c', 'd'])).keys()].sort()).toEqual(['a', 'b', 'c']);
        expect(await ids(view, {})).toEqual(['a', 'b']);

        // By somebody else: who goes on writing here finds it whole.
        const other = await harness.reopen(now);
        await other.prepare(view);
        await other.prepare(view);
        await other.close();
        const containing = (value: string): Promise<string[]> => ids(view, { contains: { field: 'tag_ids', value } });
        expect(await ids(view, { where: { owner: 'ann' }, sort: 'size' })).toEqual(['a', 'b']);
        expect([await containing('red'), await containing('blue'), await containing(odd)]).toEqual([
          ['a'],
          ['b'],
          ['a'],
        ]);
        await commit(view, [
          {
            id: 'a',
            document: { owner: 'ann', size: 4, tag_ids: ['blue'] },
            position: position(3),
            loaded: position(1),
          },
          { id: 'd', document: { owner: 'ann', size: 0, tag_ids: ['red'] }, position: position(3), loaded: null },
        ]);
        expect([await containing('red'), await containing('blue'), await containing(odd)]).toEqual([
          ['d'],
          ['a', 'b'],
          [],
        ]);
        expect(await ids(view, { where: { owner: 'ann' }, sort: 'size' })).toEqual(['d', 'b', 'a']);
      });

      it.each(['Things', 'things; drop', 'things1', ''])('refuse the name %j', async (name) => {
        await expect(models.prepare({ name, version: 1, indexes: [] })).rejects.toThrow(TypeError);
      });
    });

    describe('leases', () => {
      it('have one holder at a time and a new epoch with each change of holder', async () => {
        expect(await models.lease('one', 'ann', 100)).toEqual({ epoch: 1 });
        expect(await models.lease('one', 'bob', 100)).toBeNull();
        time += 90;
        expect(await models.lease('one', 'ann', 100)).toEqual({ epoch: 1 });
        time += 90;
        expect(await models.lease('one', 'bob', 100)).toBeNull();
        time += 20;
        expect(await models.lease('one', 'bob', 100)).toEqual({ epoch: 2 });
        expect(await models.lease('one', 'ann', 100)).toBeNull();
      });

      it('have a new epoch once they have run out, for the same holder, too', async () => {
        expect(await models.lease('lapsed', 'ann', 100)).toEqual({ epoch: 1 });
        time += 100;
        expect(await models.lease('lapsed', 'ann', 100)).toEqual({ epoch: 2 });
        await models.lease('lapsed', 'ann', 0);
        expect(await models.lease('lapsed', 'ann', 100)).toEqual({ epoch: 3 });
        expect(await models.lease('lapsed', 'ann', 100)).toEqual({ epoch: 3 });
      });

      it('run out when the clock of the store is set back, not only when the old time has come again', async () => {
        await models.lease('ahead', 'ann', 100);
        await models.lease('ahead too', 'ann', 100);
        time -= 86_400_000;
        expect(await models.lease('ahead', 'bob', 100)).toEqual({ epoch: 2 });
        expect(await models.fenceOff('ahead too', 1)).toBe(true);
      });

      it('are fenced off once they have run out, not before, and only where they were', async () => {
        expect(await models.fenceOff('dead', 1)).toBe(false);
        expect(await models.lease('dead', 'ann', 100)).toEqual({ epoch: 1 });
        time += 99;
        expect(await models.fenceOff('dead', 1)).toBe(false);
        time += 1;
        // Of another database, perhaps: this one has never come to that epoch.
        expect(await models.fenceOff('dead', 2)).toBe(false);
        expect(await models.fenceOff('dead', 1)).toBe(true);
        expect(await models.fenceOff('dead', 1)).toBe(true);
        const again = await models.lease('dead', 'ann', 100);
        expect(again?.epoch).toBeGreaterThan(2);
        expect(await models.fenceOff('dead', 1)).toBe(false);
      });
    });

    describe('records', () => {
      const put = (name: string, value: Document, previous: string | null): Promise<boolean> =>
        models.putRecord({ name, value, previous });
      const versionOf = async (name: string): Promise<string | null> =>
        (await models.readRecord(name))?.version ?? null;

      it('are read as they were put, by every connection', async () => {
        const value = {
          at: '2026-03-01T10:00:00.000Z',
          none: null,
          nested: [{ 'a.b': 1, $set: 'no operator' }],
          lone: 'half a \ud83d',
        };
        expect(await models.readRecord('as put')).toBeNull();
        expect(await put('as put', value, null)).toBe(true);
        const other = await harness.reopen(now);
        expect((await other.readRecord('as put'))?.value).toEqual(value);
        await other.close();
        expect(await models.readRecord('As put')).toBeNull();
      });

      it('are put over the version that was read, and over no other', async () => {
        expect(await put('versions', { number: 1 }, 'never')).toBe(false);
        expect(await models.readRecord('versions')).toBeNull();
        await put('versions', { number: 1 }, null);
        const first = await versionOf('versions');
        expect(await put('versions', { number: 2 }, null)).toBe(false);
        expect(await put('versions', { number: 2 }, first)).toBe(true);
        expect(await put('versions', { number: 3 }, first)).toBe(false);
        expect(await models.readRecord('versions')).toMatchObject({ value: { number: 2 } });
      });

      it('have another version after each write, also of the same value', async () => {
        const seen = new Set<string | null>([null]);
        for (let write = 0; write < 4; write++) {
          expect(await put('same', { number: write % 2 }, await versionOf('same'))).toBe(true);
          expect(seen.has(await versionOf('same'))).toBe(false);
          seen.add(await versionOf('same'));
        }
      });

      it.each([
        ['first', false],
        ['later', true],
      ])('of several who put the %s value at once, one has put it', async (name, isThere) => {
        if (isThere) await put(name, { by: 'nobody' }, null);
        const previous = await versionOf(name);
        const others = await Promise.all([0, 1, 2, 3].map(() => harness.reopen(now)));
        const won = await Promise.all(others.map((other, by) => other.putRecord({ name, value: { by }, previous })));
        expect(won.filter((one) => one)).toHaveLength(1);
        expect((await models.readRecord(name))?.value).toEqual({ by: won.indexOf(true) });
        await Promise.all(others.map((other) => other.close()));
      });

      it('stand apart from checkpoints and views, and stay when a view is dropped or scrubbed', async () => {
        const view = await filled({ one: { name: 'n' } });
        expect(await put(view.name, { own: true }, null)).toBe(true);
        expect((await models.checkpoint(view.name))?.position).toBe(position(1));
        await models.scrub([view]);
        await models.drop(view);
        await models.forget({ name: view.name, previous: await models.checkpoint(view.name) });
        expect((await models.readRecord(view.name))?.value).toEqual({ own: true });
      });
    });

    it('is unavailable once closed', async () => {
      const view = await filled({ one: {} });
      const other = await harness.reopen(now);
      await other.close();
      await other.close();
      await expect(other.get(view, 'one')).rejects.toThrow(ReadModelsUnavailableError);
      await expect(other.checkpoint('x')).rejects.toThrow(ReadModelsUnavailableError);
      await expect(other.readRecord('x')).rejects.toThrow(ReadModelsUnavailableError);
      const record = { name: 'x', value: {}, previous: null };
      await expect(other.putRecord(record)).rejects.toThrow(ReadModelsUnavailableError);
    });
  });
}
