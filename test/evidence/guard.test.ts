/** The guard at the start: what is verified before the log is served, what in the background, and what is kept for the next start. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { AlteredLogError, guardLog, refuseHeadless, type EvidenceGuard } from '../../src/evidence/guard.js';
import { linkAfter, type ChainHead } from '../../src/eventstore/chain.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { keepVerifiedHead, readVerifiedHead } from '../../src/evidence/verified-head.js';
import { verifyTail } from '../../src/evidence/verify-on.js';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { exampleEvent, newFolder, serviceInitialised, tampered } from '../support/evidence-log.js';

const headKey = (): Uint8Array => new Uint8Array(32).fill(7);

/** Appends to the log of that file, which is made where there is none. */
async function writeLong(file: string, events: number): Promise<void> {
  const isNew = !existsSync(file);
  const store = await openSqliteEventStore({ file, clock: Date.now, headKey });
  if (isNew) await store.append('service', [serviceInitialised()], { expectedRevision: 'no_stream' });
  for (let done = isNew ? 1 : 0; done < events; done += 100)
    await store.append(
      `s-${randomUUID()}`,
      Array.from({ length: Math.min(100, events - done) }, (_, at) => exampleEvent(done + at)),
      { expectedRevision: 'no_stream' },
    );
  await store.close();
}

const viewsOf = (file: string): string => path.join(path.dirname(file), 'views.db');

function guarded(file: string, views = viewsOf(file)): EvidenceGuard {
  const guard = guardLog({ file, views: { kind: 'embedded', file: views }, clock: Date.now });
  onTestFinished(() => guard.close());
  return guard;
}

/** Of the log that was verified. */
const logIdIn = async (models: ReadModels): Promise<string> =>
  String(((await models.readRecord('verified'))?.value as { readonly log_id?: string } | undefined)?.log_id);

const headOf = async (views: string): Promise<ChainHead | undefined> => {
  const models = openSqliteReadModels({ file: views });
  const head = await readVerifiedHead(models, await logIdIn(models));
  await models.close();
  return head;
};

const made = mkdtempSync(path.join(tmpdir(), 'guarded-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));
beforeAll(async () => {
  const file = path.join(made, 'events.db');
  await writeLong(file, 4_200);
  const guard = guardLog({ file, views: { kind: 'embedded', file: viewsOf(file) }, clock: Date.now });
  await vi.waitFor(() => expect(guard.isVerified()).toBe(true), 20_000);
  await vi.waitFor(async () => expect((await headOf(viewsOf(file)))?.count).toBe(4_200), 10_000);
  await guard.close();
});

/** So long that a thread verifies it; with the views in which the first 4,200 events are noted as verified. */
function verifiedLog(): { file: string; views: string } {
  const folder = newFolder();
  cpSync(made, folder, { recursive: true });
  const file = path.join(folder, 'events.db');
  return { file, views: viewsOf(file) };
}

test('a short log is verified as a whole before it is served', async () => {
  const file = path.join(newFolder(), 'events.db');
  await writeLong(file, 300);
  const honest = guarded(file);
  await honest.tailVerified();
  expect([honest.isVerified(), honest.fault()]).toEqual([true, null]);
  const altered = guarded(tampered(file, (db) => db.exec(`update events set type = 'x' where position = 299`)));
  await expect(altered.tailVerified()).rejects.toThrow(AlteredLogError);
  await expect(altered.tailVerified()).rejects.toThrow('event 299 does not fit its link');
  expect((await altered.altered).message).toContain('position 00000000000000000299: ');
  expect(altered.isVerified()).toBe(false);
});

test('of a long log the tail is verified before it is served, and the whole in the background', async () => {
  const { file, views } = verifiedLog();
  await writeLong(file, 100);
  const altered = (sql: string): EvidenceGuard =>
    guarded(
      tampered(file, (db) => db.exec(sql)),
      views,
    );

  const inTail = altered(`update events set type = 'x' where position = 4250`);
  await expect(inTail.tailVerified()).rejects.toThrow('event 4250 does not fit its link');

  const hostile = altered(
    `update events set type = char(27) || '[2K' || char(13, 10) || 'intact' where position = 4250`,
  );
  await expect(hostile.tailVerified()).rejects.toThrow(String.raw`: \u001b[2K\u000d\u000aintact, revision`);

  const before = altered(`update events set type = 'x' where position = 7`);
  await before.tailVerified();
  expect((await before.altered).message).toContain('event 7 does not fit its link');
  expect(before.isVerified()).toBe(false);

  // Without the views nothing was verified before: all of it is the tail.
  const withoutViews = guarded(tampered(file, (db) => db.exec(`update events set type = 'x' where position = 7`)));
  await expect(withoutViews.tailVerified()).rejects.toThrow('event 7 does not fit its link');

  const honest = guarded(file, views);
  await honest.tailVerified();
  await vi.waitFor(async () => expect((await headOf(views))?.count).toBe(4_300), 20_000);
  expect([honest.isVerified(), honest.fault()]).toEqual([true, null]);
}, 60_000);

test('how far an earlier version verified the log, it noted as a checkpoint: that counts, until a record says more', async () => {
  const models = openSqliteReadModels({ file: path.join(newFolder(), 'views.db') });
  onTestFinished(() => models.close());
  const [logId, position] = ['log', '00000000000000004200'];
  const next = { logId, position, eventId: 'ab'.repeat(32), storages: { events: 4_200 } };
  await models.commit({ writes: [], checkpoint: { name: 'verified', previous: null, next } });
  expect(await readVerifiedHead(models, logId)).toEqual({ count: 4_200, head: next.eventId, position });
  expect(await readVerifiedHead(models, 'another log')).toBeUndefined();
  const later = { count: 4_300, head: 'cd'.repeat(32), position: '00000000000000004300' };
  await keepVerifiedHead(models, { ...later, logId });
  expect(await readVerifiedHead(models, logId)).toEqual(later);
  const version = (await models.readRecord('verified'))?.version ?? null;
  await models.putRecord({ name: 'verified', value: { count: 'many' }, previous: version });
  expect(await readVerifiedHead(models, logId)).toBeUndefined();
  await keepVerifiedHead(models, { ...later, logId });
  expect(await readVerifiedHead(models, logId)).toEqual(later);
});

test('a stream that began before the verified head and goes on after it is no alteration', async () => {
  const { file } = verifiedLog();
  const store = await openSqliteEventStore({ file, clock: Date.now });
  await store.append('service', [exampleEvent(4_200)], { expectedRevision: 0n });
  await store.close();
  await guarded(file).tailVerified();
});

test('a log that is no longer the one that was verified is not served, though its links are right', async () => {
  const { file, views } = verifiedLog();
  const rewritten = guarded(
    tampered(file, (db) => {
      const last = db.prepare(
        `select ${columns} from events e join streams s on s.id = e.stream_id where position = 4200`,
      );
      const previous = db.prepareValue('select lower(hex(chain)) from events where position = 4199').get();
      const event = { ...(last.get() as Parameters<typeof linkAfter>[2]), type: 'Forged' };
      const link = linkAfter(String(previous), 4_200, event);
      db.prepare(`update events set type = 'Forged', chain = unhex(?) where position = 4200`).run(link);
    }),
    views,
  );
  await expect(rewritten.tailVerified()).rejects.toThrow(
    'the history up to event 4200 is not the one that a complete verification found',
  );
  const shortened = guarded(
    tampered(file, (db) => db.exec('delete from events where position > 4150')),
    views,
  );
  await expect(shortened.tailVerified()).rejects.toThrow('ends after event 4150, but 4200 events were verified');
}, 60_000);

const columns = 's.name as stream, e.revision, e.event_id as id, e.type, e.data, e.metadata';

test('at most 100,000 events are verified before a log is served', async () => {
  const asked: (string | undefined)[] = [];
  const source = {
    headAt: (count: number): ChainHead => ({ count, head: `link ${count}`, position: String(count) }),
    async *readLinked({ after }: { readonly after?: string } = {}) {
      asked.push(after);
    },
  };
  const until = source.headAt(250_000);
  for (const verified of [undefined, 10, 240_000])
    await verifyTail({ source, until, verified: verified === undefined ? undefined : source.headAt(verified) });
  expect(asked).toEqual(['150000', '150000', '240000']);
});

test('a log that cannot be read is not verified, and that is no alarm', async () => {
  const guard = guarded(path.join(newFolder(), 'events.db'));
  await guard.tailVerified();
  expect(guard.isVerified()).toBe(false);
  expect(guard.fault()).toContain('there is no event log');
});

test('a log that has lost its beginning is refused, an empty one is not', async () => {
  const store = await openSqliteEventStore({ file: path.join(newFolder(), 'events.db'), clock: Date.now });
  await store.append('s', [exampleEvent(1)], { expectedRevision: 'no_stream' });
  onTestFinished(() => store.close());
  await expect(refuseHeadless(store, 'events.db')).rejects.toThrow(AlteredLogError);
  const empty = await openSqliteEventStore({ file: path.join(newFolder(), 'events.db'), clock: Date.now });
  onTestFinished(() => empty.close());
  await refuseHeadless(empty, 'events.db');
});

test('verification goes on from where it was, and reports what was altered since, or written without the secret', async () => {
  const file = path.join(newFolder(), 'events.db');
  await writeLong(file, 300);
  const guard = guarded(file);
  await guard.tailVerified();
  const onwards = (key: Uint8Array): Promise<ChainHead | undefined> =>
    guard.verifyOn(key, new AbortController().signal);
  await writeLong(file, 40);
  expect(await onwards(headKey())).toMatchObject({ count: 340 });
  expect(await onwards(headKey())).toMatchObject({ count: 340 });
  // So many that a thread verifies them.
  await writeLong(file, 4_100);
  expect(await onwards(headKey())).toMatchObject({ count: 4_440 });
  await writeLong(file, 4_100);
  await expect(guard.verifyOn(headKey(), AbortSignal.timeout(1))).rejects.toThrow();
  await writeLong(file, 10);
  expect(await onwards(new Uint8Array(32))).toBeUndefined();
  expect((await guard.altered).message).toContain('sealed head');
  expect([guard.isVerified(), await onwards(headKey())]).toEqual([false, undefined]);
});
