/** What the read models answer while MongoDB hangs, breaks, refuses or loses replies: in time, nothing lost, nothing doubled. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openMongoReadModels } from '../../../src/readmodels/mongodb/read-models.js';
import {
  CommitConflictError,
  ReadModelsUnavailableError,
  type DocumentWrite,
  type ReadModels,
  type View,
} from '../../../src/readmodels/read-models.js';
import { behindProxy, noMongo, openTestDatabase, testMongoUrl, type TestDatabase } from '../../support/mongodb.js';
import { startTcpProxy, type Matcher, type TcpProxy } from '../../support/tcp-proxy.js';
import { checkpoint, position } from '../../contract/checkpoints.js';

const view: View = { name: 'things', version: 1, indexes: [{ fields: ['owner'] }] };
// The driver waits half a second before it looks again for a server that it has lost.
const timeouts = { connecting: 1_200, reading: 1_500, writing: 1_500 };
/** A commit is a read and two writes; the rest is for the machine. */
const inTime = timeouts.reading + 2 * timeouts.writing + 1_000;

/** A request of that command on that collection. */
const of =
  (command: string, collection: string): Matcher =>
  (request) =>
    request.includes(`${command}\0`) && request.includes(`${collection}\0`);

const reachable = testMongoUrl === undefined ? undefined : behindProxy(testMongoUrl);
if (testMongoUrl === undefined || reachable === undefined || /(tls|ssl)=true/i.test(testMongoUrl))
  describe('MongoDB read models in trouble', () => {
    it('answer in time and lose nothing', ({ skip }) =>
      skip(testMongoUrl === undefined ? noMongo : 'TEST_MONGODB_URL leads where a plain TCP proxy cannot stand'));
  });
else inTrouble(testMongoUrl);

function inTrouble(serverUrl: string): void {
  describe('MongoDB read models in trouble', () => {
    let database: TestDatabase;
    let proxy: TcpProxy;
    /** Through the proxy. */
    let models: ReadModels;
    /** Past it. */
    let direct: ReadModels;
    let own: string;
    let tests = 0;

    beforeAll(async () => {
      database = openTestDatabase(serverUrl);
      direct = openMongoReadModels({ url: database.url });
      await direct.prepare(view);
    });
    afterAll(async () => {
      await direct.close();
      await database.close();
    });
    beforeEach(async () => {
      own = `trouble-${(tests += 1)}`;
      const route = behindProxy(database.url);
      if (route === undefined) throw new Error('no way through a proxy');
      proxy = await startTcpProxy(route.target);
      models = openMongoReadModels({ url: route.through(proxy.port), timeouts });
      await models.checkpoint(own);
    });
    afterEach(async () => {
      await models.close();
      await proxy.close();
    });

    const id = (name: string): string => `${own}/${name}`;
    const counts = async (): Promise<readonly unknown[]> =>
      (await direct.find(view, { idPrefix: `${own}/`, limit: 10 })).documents.map(({ document }) => document['count']);

    /** Folds all events up to `last` that its documents do not hold, as a projector does: each event counts in each document. */
    async function fold(by: ReadModels, last: number, epoch?: number): Promise<void> {
      const previous = await by.checkpoint(own);
      const ids = ['a', 'b', 'c'].map(id);
      const found = await by.load(view, ids);
      const done = Number(previous?.position ?? 0);
      const writes = ids.flatMap((one): DocumentWrite[] => {
        const loaded = found.get(one)?.position ?? null;
        const from = Number(loaded ?? 0);
        if (from >= last) return [];
        const count = Number(found.get(one)?.document?.['count'] ?? 0) + last - Math.max(from, done);
        return [{ view, id: one, document: { count }, position: position(last), loaded }];
      });
      const next = checkpoint(last);
      await by.commit({ writes, checkpoint: { name: own, previous, next, ...(epoch && { epoch }) } });
    }

    const outcome = (action: Promise<unknown>): Promise<unknown> =>
      action.then(
        () => 'done',
        (error: unknown) => error,
      );
    async function eventually(action: () => Promise<unknown>): Promise<void> {
      const last = async (): Promise<unknown> => {
        const result = await outcome(action());
        if (result instanceof ReadModelsUnavailableError) throw result;
        return result;
      };
      expect(await vi.waitFor(last, { interval: 20, timeout: 8_000 })).toBe('done');
    }
    const everything = (): readonly (readonly [string, () => Promise<unknown>])[] => [
      ['get', () => models.get(view, id('a'))],
      ['getMany', () => models.getMany(view, [id('a'), id('b')])],
      ['find', () => models.find(view, { limit: 5 })],
      ['load', () => models.load(view, [id('a')])],
      ['checkpoint', () => models.checkpoint(own)],
      ['lease', () => models.lease(own, 'ann', 60_000)],
      ['prepare', () => models.prepare(view)],
      ['forget', () => models.forget({ name: `${own}-other`, previous: null })],
      [
        'commit',
        () =>
          models.commit({
            writes: [{ view, id: id('x'), document: { count: 1 }, position: position(2), loaded: null }],
            checkpoint: { name: own, previous: checkpoint(1), next: checkpoint(2) },
          }),
      ],
    ];

    describe.each<[string, () => Promise<void>]>([
      ['hangs', async () => proxy.hang('both')],
      ['takes requests and does not answer', async () => proxy.hang('replies')],
      ['is gone', () => proxy.refuse()],
    ])('when the server %s', (_, trouble) => {
      it('all calls say unavailable in time, and work again by themselves', async () => {
        await fold(models, 1);
        await trouble();
        const before = performance.now();
        const outcomes = await Promise.all(
          everything().map(async ([name, call]) => {
            const error = await outcome(call());
            return { name, error, ms: performance.now() - before };
          }),
        );
        for (const { name, error, ms } of outcomes) {
          expect({ name, error }).toEqual({ name, error: expect.any(ReadModelsUnavailableError) as unknown });
          expect(ms).toBeLessThan(inTime);
        }
        await proxy.heal();
        for (const [name, call] of everything()) if (name !== 'commit') await eventually(call);
        await eventually(() => fold(models, 3));
        expect((await counts()).slice(0, 3)).toEqual([3, 3, 3]);
        expect(await direct.checkpoint(own)).toEqual(checkpoint(3));
      });

      it('hundreds of waiting reads are all answered in time, and served once it is back', async () => {
        await fold(models, 1);
        await trouble();
        const before = performance.now();
        const reads = await Promise.all(Array.from({ length: 400 }, () => outcome(models.get(view, id('a')))));
        expect(performance.now() - before).toBeLessThan(inTime);
        for (const error of reads) expect(error).toBeInstanceOf(ReadModelsUnavailableError);
        await proxy.heal();
        await Promise.all(Array.from({ length: 400 }, () => eventually(() => models.get(view, id('a')))));
      });

      it('closing is quick', async () => {
        const reading = outcome(models.get(view, id('a')));
        await trouble();
        const before = performance.now();
        await models.close();
        expect(performance.now() - before).toBeLessThan(inTime);
        await reading;
        await expect(models.get(view, id('a'))).rejects.toThrow(ReadModelsUnavailableError);
      });
    });

    it('serves reads over connections that were reset, without a fault', async () => {
      await fold(models, 1);
      proxy.reset();
      expect((await models.get(view, id('a')))?.document).toEqual({ count: 1 });
      proxy.reset();
      expect((await models.find(view, { idPrefix: `${own}/`, limit: 5 })).documents).toHaveLength(3);
    });

    it('asks again when the reply to a read is lost', async () => {
      await fold(models, 1);
      const lost = proxy.loseReply(of('find', 'things_v1'));
      expect((await models.get(view, id('a')))?.document).toEqual({ count: 1 });
      await lost;
    });

    it('works on over a slow connection', async () => {
      proxy.delay(30);
      await fold(models, 1);
      await fold(models, 2);
      expect(await counts()).toEqual([2, 2, 2]);
      expect(await models.lease(own, 'ann', 60_000)).toEqual({ epoch: 1 });
    });

    describe.each([
      ['new documents', 'insert', 'things_v1', 0],
      ['changed documents', 'update', 'things_v1', 1],
      ['the first checkpoint', 'update', 'checkpoints', 0],
      ['a later checkpoint', 'update', 'checkpoints', 1],
    ])('when the reply to %s is lost', (_, command, collection, before) => {
      it('nothing is lost or folded twice', async () => {
        if (before > 0) await fold(models, before);
        const lost = proxy.loseReply(of(command, collection));
        // On a replica set the driver asks again by itself.
        const first = await outcome(fold(models, before + 1));
        await lost;
        if (first !== 'done') expect(first).toBeInstanceOf(ReadModelsUnavailableError);
        expect(await counts()).toEqual([before + 1, before + 1, before + 1]);
        await eventually(() => fold(models, before + 1));
        await eventually(() => fold(models, before + 2));
        expect(await counts()).toEqual([before + 2, before + 2, before + 2]);
        expect(await direct.checkpoint(own)).toEqual(checkpoint(before + 2));
      });

      it('the very same commit succeeds again, or meets its own checkpoint', async () => {
        if (before > 0) await fold(models, before);
        const loaded = before > 0 ? position(before) : null;
        const writes = ['a', 'b', 'c'].map((one) => ({
          ...{ view, id: id(one), document: { count: before + 1 } },
          ...{ position: position(before + 1), loaded },
        }));
        const previous = before > 0 ? checkpoint(before) : null;
        const same = { writes, checkpoint: { name: own, previous, next: checkpoint(before + 1) } };
        const lost = proxy.loseReply(of(command, collection));
        const first = await outcome(models.commit(same));
        await lost;
        const second = await outcome(models.commit(same));
        const moved = first === 'done' || collection === 'checkpoints';
        expect(second).toEqual(moved ? expect.any(CommitConflictError) : 'done');
        expect(await counts()).toEqual([before + 1, before + 1, before + 1]);
        expect(await direct.checkpoint(own)).toEqual(checkpoint(before + 1));
      });
    });

    it('keeps its lease and epoch when the reply to it is lost', async () => {
      const lost = proxy.loseReply(of('findAndModify', 'leases'));
      const first = await outcome(models.lease(own, 'ann', 60_000));
      await lost;
      if (first !== 'done') expect(first).toBeInstanceOf(ReadModelsUnavailableError);
      await eventually(() => models.lease(own, 'ann', 60_000));
      expect(await models.lease(own, 'ann', 60_000)).toEqual({ epoch: 1 });
      expect(await direct.lease(own, 'bob', 60_000)).toBeNull();
    });

    describe('when a writer sleeps over the loss of its lease', () => {
      it('its documents come too late, and harm nothing', async () => {
        await fold(models, 1, 1);
        const held = proxy.hold(of('update', 'things_v1'));
        const late = outcome(fold(models, 2, 1));
        const release = await held;
        await fold(direct, 5, 2);
        release();
        expect(await late).toBeInstanceOf(CommitConflictError);
        expect(await counts()).toEqual([5, 5, 5]);
        expect(await direct.checkpoint(own)).toEqual(checkpoint(5));
        await expect(fold(models, 6, 1)).rejects.toThrow(CommitConflictError);
        await fold(direct, 6, 2);
        expect(await counts()).toEqual([6, 6, 6]);
      });

      it('its documents may go ahead of the new holder, who folds on from them', async () => {
        await fold(models, 1, 1);
        const held = proxy.hold(of('update', 'things_v1'));
        const late = outcome(fold(models, 4, 1));
        const release = await held;
        // The new holder takes over; none of its events touch these documents.
        const next = { ...checkpoint(1), eventId: 'taken over' };
        await direct.commit({ writes: [], checkpoint: { name: own, previous: checkpoint(1), next, epoch: 2 } });
        release();
        expect(await late).toBeInstanceOf(CommitConflictError);
        expect(await counts()).toEqual([4, 4, 4]);
        await fold(direct, 5, 2);
        expect(await counts()).toEqual([5, 5, 5]);
      });

      it('its checkpoint comes too late', async () => {
        await fold(models, 1, 1);
        const held = proxy.hold(of('update', 'checkpoints'));
        const late = outcome(fold(models, 2, 1));
        const release = await held;
        await fold(direct, 2, 2);
        await fold(direct, 3, 2);
        release();
        expect(await late).toBeInstanceOf(CommitConflictError);
        expect(await counts()).toEqual([3, 3, 3]);
        expect(await direct.checkpoint(own)).toEqual(checkpoint(3));
      });

      it('its first checkpoint comes too late for views that are begun anew', async () => {
        const held = proxy.hold(of('update', 'checkpoints'));
        const late = outcome(fold(models, 2));
        const release = await held;
        await direct.forget({ name: own, previous: await direct.checkpoint(own) });
        await database.client
          .db()
          .collection<{ _id: string }>('things_v1')
          .deleteMany({ _id: { $in: ['a', 'b', 'c'].map(id) } });
        release();
        expect(await late).toBeInstanceOf(CommitConflictError);
        expect(await direct.checkpoint(own)).toBeNull();
        await fold(direct, 3);
        expect(await counts()).toEqual([3, 3, 3]);
      });

      it('what it gave up waiting for may still arrive, and harms nothing', async () => {
        await fold(models, 1, 1);
        const held = proxy.hold(of('update', 'things_v1'));
        const late = outcome(fold(models, 2, 1));
        const release = await held;
        expect(await late).toBeInstanceOf(ReadModelsUnavailableError);
        await fold(direct, 3, 2);
        release();
        await eventually(() => models.get(view, id('a')));
        // Whatever the server still makes of it, it has answered by now: the same connection serves again.
        await fold(direct, 4, 2);
        expect(await counts()).toEqual([4, 4, 4]);
        await expect(fold(models, 9, 1)).rejects.toThrow(CommitConflictError);
      });
    });
  });
}
