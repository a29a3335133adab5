/** The read models in MongoDB: the contract, and what only they promise. */
import { MongoServerError, type Document as BsonDocument } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contacts } from '../../../src/projections/contacts.js';
import { emails } from '../../../src/projections/emails.js';
import { memberships } from '../../../src/projections/memberships.js';
import { planFind } from '../../../src/readmodels/find-plan.js';
import { checkMongo } from '../../../src/readmodels/mongodb/check.js';
import { checkpointsOf, moveCheckpoint } from '../../../src/readmodels/mongodb/checkpoints.js';
import { connectMongo, mongoTimeouts } from '../../../src/readmodels/mongodb/client.js';
import { composeFind } from '../../../src/readmodels/mongodb/find.js';
import { replaceRecord } from '../../../src/readmodels/mongodb/records.js';
import { openMongoReadModels } from '../../../src/readmodels/mongodb/read-models.js';
import {
  CommitConflictError,
  type Document,
  type DocumentWrite,
  type FindQuery,
  type ReadModels,
  type View,
} from '../../../src/readmodels/read-models.js';
import { readModelsContract, type ReadModelsHarness } from '../../contract/read-models.js';
import { behindProxy, noMongo, openTestDatabase, testMongoUrl, type TestDatabase } from '../../support/mongodb.js';
import { watchCommands } from '../../support/mongodb-commands.js';
import { checkpoint, position } from '../../contract/checkpoints.js';

if (testMongoUrl === undefined)
  describe('MongoDB read models', () => {
    it('pass the contract and keep their own promises', ({ skip }) => skip(noMongo));
  });
else {
  const url = testMongoUrl;
  readModelsContract('MongoDB', () => mongoHarness(url));
  ownPromises(url);
}

function mongoHarness(url: string): ReadModelsHarness {
  const database = openTestDatabase(url);
  const open = (now: () => number) => Promise.resolve(openMongoReadModels({ url: database.url, now }));
  return { open, reopen: open, cleanup: () => database.close() };
}

function ownPromises(serverUrl: string): void {
  describe('MongoDB read models', () => {
    const view: View = {
      name: 'things',
      version: 1,
      indexes: [{ fields: ['owner', 'size'] }],
      arrayIndexes: ['tag_ids'],
    };
    let database: TestDatabase;
    let models: ReadModels;
    let tests = 0;
    /** Each test has a checkpoint and ids of its own. */
    let own: string;

    beforeAll(async () => {
      database = openTestDatabase(serverUrl);
      models = openMongoReadModels({ url: database.url });
      await models.prepare(view);
    });
    beforeEach(() => {
      own = `test-${(tests += 1)}`;
    });
    afterAll(async () => {
      await models.close();
      await database.close();
    });

    const stored = () => database.client.db().collection<BsonDocument & { _id: string }>('things_v1');
    const write = (id: string, number: number, loaded: number | null, document: Document | null = {}) => ({
      view,
      id: `${own}/${id}`,
      document,
      position: position(number),
      loaded: loaded === null ? null : position(loaded),
    });
    interface Step {
      readonly from: number | null;
      readonly to: number;
      readonly epoch?: number;
      readonly by?: ReadModels;
    }
    const commit = ({ from, to, epoch, by = models }: Step, ...writes: readonly DocumentWrite[]): Promise<void> =>
      by.commit({
        writes,
        checkpoint: {
          name: own,
          previous: from === null ? null : checkpoint(from),
          next: checkpoint(to),
          ...(epoch === undefined ? {} : { epoch }),
        },
      });
    const get = async (id: string, of = models) => (await of.get(view, `${own}/${id}`))?.document;

    describe.skipIf(behindProxy(serverUrl) === undefined)('commands', () => {
      let time = 1_000;
      let watch: Awaited<ReturnType<typeof watchCommands>>;
      let watched: ReadModels;
      beforeAll(async () => {
        const behind = behindProxy(database.url);
        if (behind === undefined) throw new Error('no proxy can stand in');
        watch = await watchCommands(behind.target);
        watched = openMongoReadModels({ url: behind.through(watch.port), now: () => time });
      });
      afterAll(async () => {
        await watched.close();
        await watch.close();
      });
      beforeEach(() => watch.forget());
      const sent = (): readonly string[] => watch.seen().map(({ name, collection }) => `${name} ${collection}`);

      it('documents that are asked for in one turn come with one', async () => {
        await commit({ from: null, to: 1 }, write('one', 1, null, { n: 1 }), write('two', 1, null, { n: 2 }));
        const [[one, two], missing, many] = await Promise.all([
          Promise.all(['one', 'two'].map((id) => get(id, watched))),
          get('three', watched),
          watched.getMany(view, [`${own}/two`, `${own}/four`]),
        ]);
        expect([one, two, missing, [...many.keys()]]).toEqual([{ n: 1 }, { n: 2 }, undefined, [`${own}/two`]]);
        expect(sent()).toEqual(['find things_v1']);
        await get('one', watched);
        expect(sent()).toHaveLength(2);
      });

      it('leases that are renewed at one moment are renewed with one, and one that has run out keeps none from it', async () => {
        const [short, long] = [`${own}-short`, `${own}-long`];
        const both = () => Promise.all([watched.lease(short, 'ann', 100), watched.lease(long, 'ann', 1_000)]);
        expect(await both()).toEqual([{ epoch: 1 }, { epoch: 1 }]);
        watch.forget();
        time += 90;
        expect(await both()).toEqual([{ epoch: 1 }, { epoch: 1 }]);
        expect(sent()).toEqual(['update leases']);
        time += 100;
        expect(await both()).toEqual([{ epoch: 2 }, { epoch: 1 }]);
        time += 100;
        expect(await watched.lease(short, 'bob', 100)).toEqual({ epoch: 3 });
        expect(await both()).toEqual([null, { epoch: 1 }]);
        expect(await both()).toEqual([null, { epoch: 1 }]);
        time += 999;
        expect(await watched.lease(long, 'bob', 100)).toBeNull();
      });

      it('a lease that is given back during its renewal stays free', async () => {
        await watched.lease(own, 'ann', 1_000);
        const renewed = watched.lease(own, 'ann', 1_000);
        await watched.lease(own, 'ann', 0);
        expect(await renewed).toBeNull();
        expect(await watched.lease(own, 'bob', 1_000)).toEqual({ epoch: 2 });
      });
    });

    describe('commits', () => {
      it('refuse a stale epoch before they write a document', async () => {
        await commit({ from: null, to: 1, epoch: 7 });
        await expect(commit({ from: 1, to: 2, epoch: 6 }, write('one', 2, null))).rejects.toThrow(CommitConflictError);
        expect(await get('one')).toBeUndefined();
        await commit({ from: 1, to: 2, epoch: 7 }, write('one', 2, null));
        expect(await get('one')).toEqual({});
      });

      it('refuse a checkpoint that stands elsewhere before they write a document', async () => {
        await commit({ from: null, to: 1 });
        for (const from of [null, 2])
          await expect(commit({ from, to: 3 }, write('one', 3, null))).rejects.toThrow(CommitConflictError);
        expect(await get('one')).toBeUndefined();
      });

      it('take documents that went ahead of the checkpoint for done when they stand at the very same event', async () => {
        await stored().insertOne({ _id: `${own}/new`, position: position(1), document: { n: 1 } });
        await stored().insertOne({ _id: `${own}/changed`, position: position(1), document: { n: 2 } });
        await commit({ from: null, to: 1 }, write('new', 1, null, { n: 1 }), write('changed', 1, 0, { n: 2 }));
        expect(await models.checkpoint(own)).toEqual(checkpoint(1));
      });

      it.each([
        ['before', 1],
        ['after', 3],
      ])('refuse a document that somebody left at an event %s, and leave it is', async (_, there) => {
        await stored().insertOne({ _id: `${own}/one`, position: position(there), document: { by: 'other' } });
        for (const loaded of [null, 0])
          await expect(
            commit({ from: null, to: 2 }, write('one', 2, loaded), write(`beside-${loaded}`, 2, null)),
          ).rejects.toThrow(CommitConflictError);
        expect(await get('one')).toEqual({ by: 'other' });
        expect(await models.checkpoint(own)).toBeNull();
        const ids = [`${own}/one`, `${own}/beside-0`];
        const loaded = await models.load(view, ids);
        expect(ids.map((id) => loaded.get(id)?.position)).toEqual([position(there), position(2)]);
      });

      it('can be done again after a crash between documents and checkpoint', async () => {
        // The documents as a process left them that died before the checkpoint.
        await commit({ from: null, to: 1 }, write('one', 1, null, { n: 1 }));
        await stored().replaceOne({ _id: `${own}/one` }, { position: position(3), document: { n: 3 } });
        const { position: at } = (await models.load(view, [`${own}/one`])).get(`${own}/one`) ?? {};
        expect(at).toBe(position(3));
        // Events up to 3 are in it already: only what came after is folded.
        await commit({ from: 1, to: 4 }, write('one', 4, 3, { n: 4 }));
        expect(await get('one')).toEqual({ n: 4 });
      });

      it('of two racers succeed once a round, and nothing is folded twice', async () => {
        const racers = [models, openMongoReadModels({ url: database.url })];
        const ids = ['a', 'b', 'c'].map((id) => `${own}/${id}`);
        const rounds = 100;
        /** Folds event number `round` into all three documents. */
        const fold = async (racer: ReadModels, round: number): Promise<'won' | 'lost'> => {
          const found = await racer.load(view, ids);
          const writes = ids.flatMap((id) => {
            const before = found.get(id);
            if (before !== undefined && before.position >= position(round)) return [];
            const document = { count: Number(before?.document?.['count'] ?? 0) + 1 };
            return [{ view, id, document, position: position(round), loaded: before?.position ?? null }];
          });
          const error: unknown = await commit(
            { from: round === 1 ? null : round - 1, to: round, by: racer },
            ...writes,
          ).catch((reason: unknown) => reason);
          if (error !== undefined) expect(error).toBeInstanceOf(CommitConflictError);
          return error === undefined ? 'won' : 'lost';
        };
        for (let round = 1; round <= rounds; round++) {
          let outcomes = await Promise.all(racers.map((racer) => fold(racer, round)));
          // Each may have met a document of the other; then one of them comes back.
          if (!outcomes.includes('won')) outcomes = [await fold(models, round)];
          expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
        }
        expect(await models.checkpoint(own)).toEqual(checkpoint(rounds));
        for (const id of ids) expect((await models.get(view, id))?.document).toEqual({ count: rounds });
        await racers[1]?.close();
      });

      it('write thousands of documents, and change them', async () => {
        const many = Array.from({ length: 2_500 }, (_, number) => String(number));
        await commit({ from: null, to: 1 }, ...many.map((id) => write(id, 1, null, { id, n: 1 })));
        await commit({ from: 1, to: 2 }, ...many.map((id) => write(id, 2, 1, { id, n: 2 })));
        const found = await models.getMany(
          view,
          many.map((id) => `${own}/${id}`),
        );
        expect(found.size).toBe(2_500);
        for (const [, { document }] of found) expect(document['n']).toBe(2);
      });

      it('call a document that is too large by its name', async () => {
        const large = write('large', 1, null, { text: 'x'.repeat(17_000_000) });
        await expect(commit({ from: null, to: 1 }, large)).rejects.toThrow(
          new TypeError(`document ${own}/large of things_v1 is larger than MongoDB takes (16 MiB)`),
        );
        expect(await models.checkpoint(own)).toBeNull();
      });
    });

    describe('documents', () => {
      const nested = (levels: number): unknown => (levels === 0 ? 'deep' : { next: [nested(levels - 1)] });
      it.each<[string, string]>([
        ['keys like operators', '{"$gt":"","$where":"1","$ref":"x","$id":1,"a":{"$set":{"$inc":1}}}'],
        ['keys with dots', '{"a.b":{"c.d":1},".":2,"list_1.status":"x"}'],
        ['keys with a meaning', '{"__proto__":{"x":1},"constructor":1,"_id":"x","_bsontype":"ObjectId","toJSON":null}'],
        ['odd keys', '{"":1,"\\u0000":2,"a\\u0000b":3,"\\ud800":4,"ключ 😀":5}'],
        ['keys in their order', '{"z":1,"a":2,"m":{"y":1,"b":2},"10":1,"9":2}'],
        ['values like operators', '{"owner":"{\\"$gt\\":\\"\\"}","list":[{"$gt":1}],"x":{"$regex":".*"}}'],
        ['numbers', '{"list":[0,1,-1,1.5,2147483647,2147483648,-2147483649,9007199254740991,1e21,1e308,5e-324]}'],
        ['strings', '{"list":["","\\u0000","\\ud800","😀","é","$x","a.b"]}'],
        ['nothing', '{"a":null,"b":[],"c":{},"d":[[],{},null]}'],
        ['depth', JSON.stringify(nested(200))],
        ['maps by id', '{"subscriptions":{"lst_1":{"status":"Subscribed","tag_ids":["tag_1"]},"lst_2":{}}}'],
      ])('come back deep-equal: %s', async (_, json) => {
        const document = JSON.parse(json) as Document;
        await commit({ from: null, to: 1 }, write('one', 1, null, document));
        expect(JSON.stringify(await get('one'))).toBe(JSON.stringify(document));
        expect(await get('one')).toEqual(document);
        const page = await models.find(view, { idPrefix: `${own}/`, limit: 5 });
        expect(page.documents.map((found) => found.document)).toEqual([document]);
        expect((await models.load(view, [`${own}/one`])).get(`${own}/one`)?.document).toEqual(document);
      });

      it('are what JSON makes of values it does not have', async () => {
        const document = { gone: undefined, list: [undefined, NaN, -0], date: new Date(0), kept: 1 };
        await commit({ from: null, to: 1 }, write('one', 1, null, document));
        expect(await get('one')).toStrictEqual(JSON.parse(JSON.stringify(document)));
        await commit({ from: 1, to: 2 }, write('one', 2, 1, { gone: undefined, kept: 1 }));
        expect(await get('one')).toStrictEqual({ kept: 1 });
      });

      it('with odd keys are found by their indexed fields', async () => {
        const owner = `${own}-ann`;
        await commit(
          { from: null, to: 1 },
          write('odd', 1, null, { owner, size: 1, tag_ids: [own], 'a.b': { $gt: 1 } }),
          write('plain', 1, null, { owner, size: 2, tag_ids: [own] }),
        );
        const ids = async (query: Partial<FindQuery>) =>
          (await models.find(view, { limit: 5, ...query })).documents.map(({ id }) => id.slice(own.length + 1));
        expect(await ids({ where: { owner }, sort: 'size', descending: true })).toEqual(['plain', 'odd']);
        expect(await ids({ where: { owner, size: 1 } })).toEqual(['odd']);
        expect(await ids({ contains: { field: 'tag_ids', value: own } })).toEqual(['odd', 'plain']);
      });

      it('are refused when an indexed field holds what cannot be indexed', async () => {
        for (const document of [{ owner: { $gt: '' } }, { size: [1] }, { tag_ids: 'x' }, { tag_ids: [{ $gt: '' }] }])
          await expect(commit({ from: null, to: 1 }, write('one', 1, null, document))).rejects.toThrow(TypeError);
        expect(await get('one')).toBeUndefined();
      });
    });

    describe('queries', () => {
      const owned = async (values: readonly unknown[]): Promise<string> => {
        const owner = `${own}-owner`;
        const writes = values.map((size, number) => write(String(number), 1, null, { owner, size }));
        await commit({ from: null, to: 1 }, ...writes);
        return owner;
      };
      const pages = async (query: FindQuery): Promise<readonly unknown[]> => {
        const found: unknown[] = [];
        let cursor: string | undefined;
        do {
          const page = await models.find(view, { ...query, ...(cursor === undefined ? {} : { cursor }) });
          found.push(...page.documents.map(({ id, document }) => [document['size'] ?? null, id.slice(own.length + 1)]));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return found;
      };

      it.each([1, 2, 3])('page over nulls and ties in both directions, %i at a time', async (limit) => {
        const owner = await owned([null, 2, undefined, 1, 2, null, 3, 2, 1]);
        const ascending = [
          [null, '0'],
          [null, '2'],
          [null, '5'],
          [1, '3'],
          [1, '8'],
          [2, '1'],
          [2, '4'],
          [2, '7'],
          [3, '6'],
        ];
        const query = { where: { owner }, sort: 'size', limit };
        expect(await pages(query)).toEqual(ascending);
        expect(await pages({ ...query, descending: true })).toEqual([...ascending].reverse());
      });

      it('hide tombstones without shortening a page', async () => {
        const owner = await owned([1, 2, 3, 4, 5, 6]);
        const gone = ['0', '2', '3'].map((id) => write(id, 2, 1, null));
        await commit({ from: 1, to: 2 }, ...gone);
        expect(await pages({ where: { owner }, sort: 'size', limit: 2 })).toEqual([
          [2, '1'],
          [5, '4'],
          [6, '5'],
        ]);
        const page = await models.find(view, { idPrefix: `${own}/`, limit: 2 });
        expect(page.documents).toHaveLength(2);
        expect((await models.load(view, [`${own}/0`])).get(`${own}/0`)).toEqual({
          document: null,
          position: position(2),
        });
      });

      it('compare with values, never read them as operators', async () => {
        await owned([1]);
        const operator = { $gt: '' } as unknown as string;
        expect((await models.find(view, { where: { owner: operator }, limit: 5 })).documents).toEqual([]);
        const contains = { field: 'tag_ids', value: operator };
        expect((await models.find(view, { contains, limit: 5 })).documents).toEqual([]);
        expect(await models.get(view, operator)).toBeUndefined();
        expect(await models.checkpoint(operator)).toBeNull();
      });
    });

    describe('indexes', () => {
      const page = { limit: 50 };
      const prefix = { idPrefix: 'lst_1/' };
      const where = { list_id: 'lst_1', status: 'Subscribed' };
      const contains = { field: 'tag_ids', value: 'tag_1' };
      const cursor = Buffer.from('["id",false,null,"lst_1/c"]').toString('base64url');
      const cases: readonly [string, View, FindQuery][] = [
        ['a page of a list', memberships, { ...page, ...prefix, cursor }],
        ['a page of a list by status', memberships, { ...page, ...prefix, where, cursor }],
        ['a page of a list by tag', memberships, { ...page, ...prefix, contains, cursor }],
        ['a page of a list by status and tag', memberships, { ...page, ...prefix, where, contains, cursor }],
        ['a page of everything', contacts, page],
        ['a contact by its stream', contacts, { where: { stream: 's' }, sort: 'id', descending: true, limit: 1 }],
        ['what is due', emails, { where: { open: true }, sort: 'next_attempt_at', limit: 10 }],
        ['sorted, descending', view, { where: { owner: 'a' }, sort: 'size', descending: true, limit: 10 }],
        ['sorted, with a tag', view, { where: { owner: 'a' }, sort: 'size', contains, limit: 10 }],
      ];
      const collectionOf = ({ name, version }: View) =>
        database.client.db().collection<BsonDocument & { _id: string }>(`${name}_v${version}`);

      it.each(cases)('hold the one that is named for %s', async (_, of, query) => {
        await models.prepare(of);
        const { options } = composeFind(query, planFind(of, query));
        const indexes = await collectionOf(of).indexes();
        const named = indexes.find(({ name }) => name === options.hint);
        const fields = Object.keys(named?.key as object);
        expect(fields.at(-1)).toBe('_id');
        // What it sorts by comes in the index's order, behind fields that are equal to something.
        const sorted = Object.keys(options.sort);
        expect(fields.slice(-sorted.length)).toEqual(sorted);
      });

      it.for(cases)('spare the server scans and sorting: %s', async ([, of, query], { skip }) => {
        await models.prepare(of);
        // Several tags: only now the server knows that the index has more entries than documents.
        const several = { $set: { position: position(1), document: { tag_ids: ['tag_1', 'tag_2'] } } };
        await collectionOf(of).updateOne({ _id: `${own}/several` }, several, { upsert: true });
        const { filter, options } = composeFind(query, planFind(of, query));
        const explained: unknown = await collectionOf(of)
          .find(filter as object, options)
          .explain('queryPlanner')
          .catch((error: unknown) => {
            if (error instanceof MongoServerError && error.code === 59) skip('this server knows no explain');
            throw error;
          });
        const plan = JSON.stringify((explained as { queryPlanner: { winningPlan: unknown } }).queryPlanner.winningPlan);
        const stages = [...plan.matchAll(/"stage":"(\w+)"/g)].map(([, stage]) => stage);
        expect(stages.filter((stage) => stage?.endsWith('IXSCAN'))).not.toEqual([]);
        expect(stages).not.toContain('COLLSCAN');
        expect(stages).not.toContain('SORT');
      });
    });

    describe('forgetting', () => {
      it('lets a first commit that was under way fail, since its documents may have been dropped', async () => {
        // A first commit that has read the checkpoint (none), written its documents and not moved on yet.
        const checkpoints = checkpointsOf(database.client.db());
        const move = { checkpoint: { name: own, previous: null, next: checkpoint(1) }, commit: 'late', forgotten: 0 };
        await models.forget({ name: own, previous: null });
        await expect(moveCheckpoint(checkpoints, move)).rejects.toThrow(CommitConflictError);
        expect(await models.checkpoint(own)).toBeNull();
        await commit({ from: null, to: 2 }, write('one', 2, null));
        expect(await models.checkpoint(own)).toEqual(checkpoint(2));
      });

      it('leaves the fence against earlier epochs standing', async () => {
        await commit({ from: null, to: 1, epoch: 3 });
        await models.forget({ name: own, previous: checkpoint(1) });
        await expect(commit({ from: null, to: 2, epoch: 2 })).rejects.toThrow(CommitConflictError);
        await commit({ from: null, to: 2, epoch: 3 });
      });

      it('finds checkpoints that name their storages `live`, as they have always been stored', async () => {
        const { storages: live, ...place } = checkpoint(1);
        await commit({ from: null, to: 1 });
        const stored = await checkpointsOf(database.client.db()).findOne({ _id: own });
        expect(stored?.checkpoint).toEqual({ ...place, live });
      });

      it('is no hindrance to a checkpoint move that was sent twice', async () => {
        const move = { checkpoint: { name: own, previous: null, next: checkpoint(1) }, commit: own };
        await moveCheckpoint(checkpointsOf(database.client.db()), move);
        await moveCheckpoint(checkpointsOf(database.client.db()), move);
        await expect(
          moveCheckpoint(checkpointsOf(database.client.db()), { ...move, commit: 'another' }),
        ).rejects.toThrow(CommitConflictError);
      });
    });

    describe('records', () => {
      it('know a write again that was sent twice', async () => {
        const connection = connectMongo(database.url, mongoTimeouts);
        const first = { name: own, value: { number: 1 }, previous: null };
        const second = { ...first, value: { number: 2 }, previous: 'one' };
        for (const [write, version] of [
          [first, 'one'],
          [second, 'two'],
        ] as const) {
          expect(await replaceRecord(connection, write, version)).toBe(true);
          expect(await replaceRecord(connection, write, version)).toBe(true);
          expect(await replaceRecord(connection, write, 'another')).toBe(false);
        }
        expect(await models.readRecord(own)).toEqual({ value: { number: 2 }, version: 'two' });
        await connection.close();
      });

      it('can be read by people, unless BSON would not give them back as they were', async () => {
        const stored = () => database.client.db().collection<BsonDocument & { _id: string }>('records');
        await models.putRecord({ name: own, value: { at: 'noon' }, previous: null });
        expect(await stored().findOne({ _id: own })).toMatchObject({ document: { at: 'noon' } });
        const value = { minus: [{ 'a.b': 'a key with a dot' }] };
        const { version } = (await models.readRecord(own)) ?? { version: null };
        expect(await models.putRecord({ name: own, value, previous: version })).toBe(true);
        expect((await models.readRecord(own))?.value).toEqual(value);
        expect(await stored().findOne({ _id: own })).toMatchObject({ document: {}, text: JSON.stringify(value) });
      });
    });

    describe('leases', () => {
      it('go to one of many that want a new one at once', async () => {
        const holders = Array.from({ length: 20 }, (_, number) => `holder-${number}`);
        const taken = await Promise.all(holders.map((holder) => models.lease(own, holder, 60_000)));
        expect(taken.filter((lease) => lease !== null)).toEqual([{ epoch: 1 }]);
      });

      it('go to one of many that want an expired one at once, with the next epoch', async () => {
        let time = 1_000;
        const timed = openMongoReadModels({ url: database.url, now: () => time });
        for (let epoch = 1; epoch <= 20; epoch++, time += 101) {
          const holders = Array.from({ length: 5 }, (_, number) => `holder-${epoch}-${number}`);
          const taken = await Promise.all(holders.map((holder) => timed.lease(own, holder, 100)));
          expect(taken.filter((lease) => lease !== null)).toEqual([{ epoch }]);
        }
        await timed.close();
      });

      it('are measured by the server, in words of its own clock', async () => {
        expect(await models.lease(own, 'ann', 60_000)).toEqual({ epoch: 1 });
        expect(await models.lease(own, 'bob', 60_000)).toBeNull();
        const lease = await database.client
          .db()
          .collection<{ _id: string; expires_at: Date }>('leases')
          .findOne({ _id: own });
        const { localTime } = (await database.client.db().command({ hello: 1 })) as { localTime: Date };
        const left = (lease?.expires_at.getTime() ?? 0) - localTime.getTime();
        expect(left).toBeGreaterThan(30_000);
        expect(left).toBeLessThanOrEqual(60_000);
      });
    });

    describe('the check before a start', () => {
      it('finds a server ready, and leaves nothing behind', async () => {
        const empty = openTestDatabase(serverUrl);
        expect(await checkMongo(empty.url)).toEqual({ status: 'ready' });
        expect(await empty.client.db().listCollections().toArray()).toEqual([]);
        await empty.close();
      });
    });
  });
}
