/** The lease under which shared views are folded: one holder at a time, known to be lost in time, handed over in good order. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLease, LeaseLostError, type Lease, type LeaseOptions } from '../../src/projector/lease.js';
import { ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

let folder: string;
let time: number;
let models: ReadModels;
const leases: Lease[] = [];
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lease-'));
  time = 1_000;
  models = openSqliteReadModels({ file: path.join(folder, 'views.db'), now: () => time });
});
afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.close();
  await models.close();
  rmSync(folder, { recursive: true });
});

function leaseOf(
  holder: string,
  {
    ttl = 400,
    readModels = models,
    wall = () => time,
  }: Partial<Pick<LeaseOptions, 'ttl' | 'readModels' | 'wall'>> = {},
): Lease {
  const lease = createLease({ readModels, name: 'projector', holder, ttl, now: () => time, wall });
  leases.push(lease);
  return lease;
}

it('is held by one, and the other waits until it is given back', async () => {
  const one = leaseOf('one');
  const other = leaseOf('other');
  expect(await one.hold(never)).toBe(1);
  let epoch: number | null | undefined;
  const waiting = other.hold(never).then((held) => (epoch = held));
  await one.hold(never);
  expect(epoch).toBeUndefined();
  expect(other.isHeld()).toBe(false);
  await one.close();
  await waiting;
  expect(epoch).toBe(2);
  expect(() => one.check()).toThrow(LeaseLostError);
  other.check();
});

it('of another process is known to be renewed once it was refused for longer than one that died would last', async () => {
  const refused: Pick<ReadModels, 'lease'> = {
    lease: () => {
      time += 50;
      return Promise.resolve(null);
    },
  };
  const stop = new AbortController();
  const begun = time;
  let known = 0;
  await leaseOf('other', { ttl: 400, readModels: refused }).hold(stop.signal, () => {
    known = time - begun;
    stop.abort();
  });
  expect(known).toBeGreaterThan(400);
  // One that is had at once was never elsewhere.
  await leaseOf('one').hold(never, () => expect.unreachable());
});

it('is lost when its time is over without a renewal, as after a stop of the process', async () => {
  const lease = leaseOf('one', { ttl: 60_000 });
  await lease.hold(never);
  time += 59_999;
  lease.check();
  time += 1;
  expect(() => lease.check()).toThrow(LeaseLostError);
  expect(await leaseOf('other').hold(never)).toBe(2);
});

it('counts from before the question: an answer that took long is a shorter lease', async () => {
  const slow: Pick<ReadModels, 'lease'> = {
    async lease(name, holder, ttl) {
      const taken = await models.lease(name, holder, ttl);
      time += 500;
      return taken;
    },
  };
  const lease = leaseOf('one', { ttl: 400, readModels: slow });
  await lease.hold(never);
  expect(lease.isHeld()).toBe(false);
});

it('is renewed while it is held, also after a time out of reach', async () => {
  let asked = 0;
  let isDown = false;
  const counting: Pick<ReadModels, 'lease'> = {
    lease(name, holder, ttl) {
      asked += 1;
      if (isDown) return Promise.reject(new ReadModelsUnavailableError('down'));
      return models.lease(name, holder, ttl);
    },
  };
  const lease = leaseOf('one', { ttl: 40, readModels: counting });
  await lease.hold(never);
  const until = async (count: number): Promise<void> => {
    while (asked < count) await new Promise(setImmediate);
  };
  await until(3);
  isDown = true;
  await until(5);
  lease.check();
  isDown = false;
  time += 30;
  await until(7);
  time += 30;
  lease.check();
});

it('does not wait when it is to stop', async () => {
  const one = leaseOf('one');
  await one.hold(never);
  const stop = new AbortController();
  const waiting = leaseOf('other').hold(stop.signal);
  stop.abort();
  expect(await waiting).toBeNull();
});

it('tells at once when a renewal finds that somebody else holds it', async () => {
  const one = leaseOf('one', { ttl: 40 });
  await one.hold(never);
  const lost = new Promise<void>((resolve) => one.onLost(resolve));
  time += 41;
  expect(await models.lease('projector', 'other', 60_000)).toEqual({ epoch: 2 });
  await lost;
  expect(one.isHeld()).toBe(false);
});

it('is lost also when somebody else has held it in between and given it back', async () => {
  const one = leaseOf('one', { ttl: 40 });
  expect(await one.hold(never)).toBe(1);
  const lost = new Promise<void>((resolve) => one.onLost(resolve));
  time += 41;
  // Before the renewal, which is overdue: nothing else runs meanwhile.
  expect(await models.lease('projector', 'other', 40)).toEqual({ epoch: 2 });
  await models.lease('projector', 'other', 0);
  await lost;
  expect(() => one.check()).toThrow(LeaseLostError);
  expect(await one.hold(never)).toBe(3);
  one.check();
});

it('is lost when the wall clock says that its time is over, as after a machine was suspended', async () => {
  let suspended = 0;
  const lease = leaseOf('one', { ttl: 60_000, wall: () => time + suspended });
  await lease.hold(never);
  suspended = 59_999;
  lease.check();
  suspended = 60_000;
  expect(() => lease.check()).toThrow(LeaseLostError);
});

it('that ran out is never held again under its epoch, also where the store had not noticed', async () => {
  let suspended = 0;
  const lease = leaseOf('one', { ttl: 40, wall: () => time + suspended });
  const lost = new Promise<void>((resolve) => lease.onLost(resolve));
  expect(await lease.hold(never)).toBe(1);
  suspended = 60;
  await lost;
  expect(lease.isHeld()).toBe(false);
  expect(await lease.hold(never)).toBe(2);
  lease.check();
});

it('that resumes goes on after it ran out, unless somebody else has held it since', async () => {
  const lease = createLease({
    readModels: models,
    name: 'rebuild',
    holder: 'one',
    ttl: 40,
    now: () => time,
    resumes: true,
  });
  leases.push(lease);
  await lease.hold(never);
  time += 100;
  while (!lease.isHeld()) await new Promise(setImmediate);
  const lost = new Promise<void>((resolve) => lease.onLost(resolve));
  time += 100;
  expect(await models.lease('rebuild', 'other', 40)).toEqual({ epoch: 3 });
  await models.lease('rebuild', 'other', 0);
  await lost;
  expect(lease.isHeld()).toBe(false);
});

it('knows when the store has answered for one ttl without a break', async () => {
  let isDown = false;
  let asked = 0;
  const reachable: Pick<ReadModels, 'lease'> = {
    lease(...parameters) {
      asked += 1;
      return isDown ? Promise.reject(new ReadModelsUnavailableError('down')) : models.lease(...parameters);
    },
  };
  const lease = leaseOf('one', { ttl: 40, readModels: reachable });
  /** Lets the next renewal, and time go on: less than a break. */
  const pass = async (): Promise<void> => {
    const next = asked + 1;
    while (asked < next) await new Promise(setImmediate);
    await new Promise(setImmediate);
    time += 10;
  };
  const steady = async (): Promise<number> => {
    for (let count = 0; ; count += 1)
      if (lease.isSteady()) return count;
      else await pass();
  };
  await lease.hold(never);
  expect(await steady()).toBe(4);
  isDown = true;
  await pass();
  expect(lease.isSteady()).toBe(false);
  isDown = false;
  expect(await steady()).toBeGreaterThanOrEqual(4);
  // No failure, but silence, as while this process is stopped.
  time += 20;
  expect(lease.isSteady()).toBe(false);
  expect(await steady()).toBeGreaterThanOrEqual(4);
});
