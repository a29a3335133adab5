/** Which mailer may give a final dot, and when another one may judge what it left behind: by leases beside the views, with clocks of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLeasedRuns, runLeaseName, type Runs } from '../../src/mailer/runs.js';
import { createLease } from '../../src/projector/lease.js';
import { ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

const ttl = 40;
let folder: string;
/** Of all processes and the store, in milliseconds. */
let time: number;
let head: string;
let models: ReadModels;
const open: Runs[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'runs-'));
  time = 1_000;
  head = '0007';
  models = openSqliteReadModels({ file: path.join(folder, 'views.db'), now: () => time });
});
afterEach(async () => {
  for (const runs of open.splice(0)) await runs.close();
  await models.close();
  rmSync(folder, { recursive: true });
});

/** A mailer's process, which can be stopped, suspended and cut off from the store. */
function mailer(
  mailerId: string,
  { isCutOff = false, fenceOff = models.fenceOff }: { isCutOff?: boolean; fenceOff?: ReadModels['fenceOff'] } = {},
) {
  const process = { suspended: 0, isStopped: false, isCutOff, asked: 0, lapsed: [] as string[], faults: 0 };
  const lease: ReadModels['lease'] = async (...parameters) => {
    process.asked += 1;
    if (process.isStopped) return await new Promise(() => undefined);
    if (process.isCutOff) throw new ReadModelsUnavailableError('cut off');
    return await models.lease(...parameters);
  };
  const name = runLeaseName(mailerId);
  const wall = () => time + process.suspended;
  const runs = createLeasedRuns({
    mailerId,
    lease: createLease({ readModels: { lease }, name, holder: mailerId, ttl, now: () => time, wall }),
    fenceOff,
    head: () => Promise.resolve(head),
    ttl,
    monotonic: () => time,
    onRun: () => undefined,
    onLapsed: (runId) => process.lapsed.push(runId),
    onFault: () => (process.faults += 1),
  });
  return { process, runs };
}

function start(...parameters: Parameters<typeof mailer>) {
  const started = mailer(...parameters);
  open.push(started.runs);
  return started;
}

/** Real time passes; the clocks stand. */
async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { interval: 1, timeout: 10_000 });
}

/** The clocks go on, as slowly as the leases are renewed. */
async function pass(milliseconds: number, ...living: readonly ReturnType<typeof mailer>[]): Promise<void> {
  for (const end = time + milliseconds; time < end;) {
    time += Math.min(ttl / 4, end - time);
    const asked = living.map(({ process }) => process.asked);
    await until(() => living.every(({ process }, index) => process.asked > (asked[index] ?? 0)));
    await nextTurn();
  }
}

/** One that was killed: it held its lease, and never asks again. */
async function killed(mailerId: string): Promise<string> {
  const dead = mailer(mailerId);
  await until(() => dead.runs.current() !== undefined);
  dead.process.isStopped = true;
  return dead.runs.current() ?? '';
}

test('a run is judged once its lease is out, was taken from it, and one ttl more has passed', async () => {
  const dead = await killed('dead');
  const judge = start('judge');
  await until(() => judge.runs.current() !== undefined);
  await pass(ttl - 1, judge);
  expect(await judge.runs.endOf(dead)).toBeUndefined();
  expect(await models.lease(runLeaseName('dead'), 'other', 0)).toBeNull();
  await pass(1, judge);
  expect(await judge.runs.endOf(dead)).toBeUndefined();
  await pass(ttl - 1, judge);
  expect(await judge.runs.endOf(dead)).toBeUndefined();
  await pass(1, judge);
  head = '0009';
  expect(await judge.runs.endOf(dead)).toEqual({ silentSince: '0009' });
  head = '0012';
  expect(await judge.runs.endOf(dead)).toEqual({ silentSince: '0009' });
});

test('a run that lives is never judged, however often one looks', async () => {
  const [one, other] = [start('one'), start('other')];
  await until(() => one.runs.current() !== undefined && other.runs.current() !== undefined);
  for (let look = 0; look < 12; look += 1) {
    await pass(ttl / 4, one, other);
    expect(await one.runs.endOf(other.runs.current() ?? '')).toBeUndefined();
  }
  expect(other.process.lapsed).toEqual([]);
  expect(other.runs.current()).toBe('other.1');
});

test('a run without a lease in this store is not judged: of an earlier release, of an embedded log, of other views', async () => {
  const judge = start('judge');
  await until(() => judge.runs.current() !== undefined);
  await pass(2 * ttl, judge);
  for (const runId of ['4f0c9f5a-1c2d-4e3f-8a9b-0c1d2e3f4a5b', 'elsewhere.3']) {
    expect(await judge.runs.endOf(runId)).toBeUndefined();
    await pass(2 * ttl, judge);
    expect(await judge.runs.endOf(runId)).toBeUndefined();
  }
});

test('nobody is judged before the store has answered for one ttl without a break: those that live renew their leases first', async () => {
  const [one, judge] = [start('one'), start('judge')];
  await until(() => one.runs.current() !== undefined && judge.runs.current() !== undefined);
  await pass(ttl, one, judge);
  for (const { process } of [one, judge]) process.isCutOff = true;
  await pass(2 * ttl, one, judge);
  expect(one.runs.current()).toBeUndefined();
  // The judge is back first.
  judge.process.isCutOff = false;
  await until(() => judge.runs.current() !== undefined);
  await pass(ttl - 1, judge);
  expect(await judge.runs.endOf('one.1')).toBeUndefined();
  one.process.isCutOff = false;
  await until(() => one.runs.current() !== undefined);
  for (let look = 0; look < 12; look += 1) {
    await pass(ttl / 4, one, judge);
    expect(await judge.runs.endOf('one.1')).toBeUndefined();
  }
});

test.each([
  ['monotonic', () => (time += ttl)],
  ['wall', (one: ReturnType<typeof mailer>) => (one.process.suspended += ttl)],
])(
  'a run whose lease lapsed by the %s clock gives no more final dots; the process goes on as a new run',
  async (_clock, lapse) => {
    const one = start('one');
    await until(() => one.runs.current() !== undefined);
    expect(one.runs.current()).toBe('one.1');
    expect(one.runs.isCertain('one.1')).toBe(true);
    lapse(one);
    expect(one.runs.current()).toBeUndefined();
    expect(one.runs.isCertain('one.1')).toBe(false);
    await until(() => one.runs.current() !== undefined);
    expect(one.runs.current()).toBe('one.2');
    expect(one.runs.isCertain('one.1')).toBe(false);
    expect(one.runs.isCertain('one.2')).toBe(true);
    expect(one.process.lapsed).toEqual(['one.1']);
    // What became of the attempts of its former run it knows itself.
    expect([one.runs.isOwn('one.1'), one.runs.isOwn('other.1')]).toEqual([true, false]);
  },
);

test('a process that was stopped for long finds its run judged, and gives no final dot under it', async () => {
  const stopped = start('stopped');
  await until(() => stopped.runs.current() !== undefined);
  stopped.process.isStopped = true;
  const judge = start('judge');
  await until(() => judge.runs.current() !== undefined);
  await pass(ttl, judge);
  await judge.runs.endOf('stopped.1');
  await pass(ttl, judge);
  expect(await judge.runs.endOf('stopped.1')).toEqual({ silentSince: '0007' });
  expect(stopped.runs.isCertain('stopped.1')).toBe(false);
});

test('a living run that is judged, for the clock of the store was set forward, has given its last dot before', async () => {
  let ahead = 0;
  const store = openSqliteReadModels({ file: path.join(folder, 'views.db'), now: () => time + ahead });
  const [one, judge] = [start('one'), start('judge', { fenceOff: store.fenceOff })];
  await until(() => one.runs.current() !== undefined && judge.runs.current() !== undefined);
  await pass(ttl, one, judge);
  one.process.isCutOff = true;
  ahead = 3_600_000;
  const isJudged = async (): Promise<boolean> => (await judge.runs.endOf('one.1')) !== undefined;
  expect([await isJudged(), one.runs.isCertain('one.1')]).toEqual([false, true]);
  for (let step = 0; !(await isJudged()); step += 1) {
    expect(step).toBeLessThan(10);
    await pass(ttl / 4, judge);
  }
  expect(one.runs.isCertain('one.1')).toBe(false);
  one.process.isCutOff = false;
  await until(() => one.process.lapsed.length > 0);
  await store.close();
});

test('without its store a mailer says so once, and has no run', async () => {
  const one = start('one', { isCutOff: true });
  await until(() => one.process.asked > 3);
  expect(one.process.faults).toBe(1);
  expect(one.runs.current()).toBeUndefined();
  one.process.isCutOff = false;
  await until(() => one.runs.current() !== undefined);
});

test('close gives the lease back: what is left is judged without waiting for it', async () => {
  const one = mailer('one');
  await until(() => one.runs.current() !== undefined);
  await one.runs.close();
  expect(await models.fenceOff(runLeaseName('one'), 1)).toBe(true);
});
