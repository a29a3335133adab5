/** The eraser: what it does next, what waits and why, and what the log says of it. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import { ServiceError } from '../../src/errors.js';
import { deriveStreamKeys, erasuresStream } from '../../src/events/streams.js';
import { createRunner } from '../../src/flow/run-subscriber.js';
import { createEraser } from '../../src/privacy/eraser.js';
import { ReadModelsUnavailableError, ViewMissingError } from '../../src/readmodels/read-models.js';
import { openLog } from '../support/event-log.js';

const keys = deriveStreamKeys('a secret of the tests, long enough for a key');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const { signal } = new AbortController();

/** An eraser of two people who are to be erased; the views never show the request of the first. */
async function open() {
  const { store } = await openLog();
  const { contacts, emails, suppressions, erasures } = await openCommands({
    store,
    keys,
    onUnreadable: () => undefined,
    clock: Date.now,
    newUuid: randomUUID,
  });
  const request = async (erasure_id: string): Promise<string> => {
    const asked = { erasure_id, subject_key: keys.contactKey(`${erasure_id}@example.org`), reason: undefined };
    const command = { type: 'Request', ...asked } as const;
    return (await erasures.execute({ stream: erasuresStream, command, context })).position;
  };
  const hidden = await request('ers_1');
  await request('ers_2');
  const given = { now: 0, isBuilding: false, areViewsReached: true, fault: new Error('not shown'), damage: [0] };
  const told: string[] = [];
  const eraser = createEraser({
    steps: {
      ...{ store, contacts, emails, suppressions, erasures },
      views: {
        shown: (position) => (position === hidden ? Promise.reject(given.fault) : Promise.resolve()),

        async *emailsTo() {
          yield [];
        },
        scrub: () => Promise.resolve(),
      },
      removeFiles: () => Promise.resolve(),
    },
    keep: () => Promise.resolve(),
    lease: undefined,
    hasOtherStorages: () => Promise.resolve(given.isBuilding),
    checkRecipients: async () => void (given.damage.length > 1 && given.damage.shift()),
    damageFound: () => given.damage[0] ?? 0,
    areViewsReached: () => given.areViewsReached,
    mailer: undefined,
    logger: {
      info: () => undefined,
      warn: () => undefined,
      error: (_, message) => told.push(message),
    },
    now: () => given.now,
  });
  /** Does what is due until nothing is. @returns what it was */
  async function run(): Promise<string[]> {
    const done: string[] = [];
    for (;;) {
      const { work } = await eraser.due(2);
      if (work.length === 0) return done;
      for (const one of work) done.push(`${one.type} ${one.ids.join()}`);
      await Promise.all(work.map((one) => eraser.handle(one, signal, signal)));
    }
  }
  const unfinished = async () => [...(await erasures.fresh(erasuresStream)).state.unfinished.keys()];
  return { eraser, given, told, run, unfinished };
}

it('carries one through at a time; one that fails keeps no other from it, and is tried again later', async () => {
  const { eraser, given, told, run, unfinished } = await open();
  expect(eraser.isCaughtUp()).toBe(false);
  expect(await run()).toEqual(['erase ers_1', 'erase ers_2', 'complete ers_2']);
  expect(await unfinished()).toEqual(['ers_1']);
  expect(eraser.waiting()).toEqual([{ erasure_id: 'ers_1', reason: 'failed' }]);
  // A start waits for three tries of it.
  for (const isCaughtUp of [false, true]) {
    expect([await run(), eraser.isCaughtUp()]).toEqual([[], false]);
    given.now += 2_000;
    expect([await run(), eraser.isCaughtUp()]).toEqual([['erase ers_1'], isCaughtUp]);
  }
  expect(told).toEqual(['an erasure cannot go on: tried again']);
});

it('completes none while other storages of a view hold who was erased', async () => {
  const { eraser, given, run, unfinished } = await open();
  given.isBuilding = true;
  expect(await run()).toContain('complete ers_2');
  expect(eraser.waiting()).toContainEqual({ erasure_id: 'ers_2', reason: 'view_being_built' });
  given.isBuilding = false;
  given.now += 500;
  expect(await run()).toEqual(['complete ers_2']);
  expect(await unfinished()).toEqual(['ers_1']);
});

it('begins an erasure again if its check finds that a damaged view may have hidden an email', async () => {
  const { given, run, unfinished } = await open();
  given.damage = [0, 1];
  const again = ['erase ers_2', 'complete ers_2'];
  expect(await run()).toEqual(['erase ers_1', ...again, ...again]);
  expect(await unfinished()).toEqual(['ers_1']);
});

it('waits for a view that is built without calling it a failure, and a start waits with it', async () => {
  const { eraser, given, told, run } = await open();
  given.fault = new ViewMissingError('emails');
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await run()).toContain('erase ers_1');
    given.now += 500;
  }
  expect(eraser.waiting()).toEqual([{ erasure_id: 'ers_1', reason: 'view_being_built' }]);
  expect([eraser.isCaughtUp(), told]).toEqual([false, []]);
});

it('waits for views that are behind since the start without calling it a failure, and a start waits with it', async () => {
  const { eraser, given, told, run } = await open();
  Object.assign(given, { areViewsReached: false, fault: new ServiceError('unavailable') });
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await run()).toContain('erase ers_1');
    given.now += 500;
  }
  expect(eraser.waiting()).toEqual([{ erasure_id: 'ers_1', reason: 'view_being_built' }]);
  expect([eraser.isCaughtUp(), told]).toEqual([false, []]);
  given.areViewsReached = true;
  expect(await run()).toContain('erase ers_1');
  expect(eraser.waiting()).toEqual([{ erasure_id: 'ers_1', reason: 'unavailable' }]);
});

it('speaks of no erasure while there may be none: the lease cannot be asked for', async () => {
  const { eraser, told } = await open();
  const lease = {
    hold: () => Promise.reject(new ReadModelsUnavailableError('down')),
    isHeld: () => false,
    onLost: () => undefined,
    close: () => Promise.resolve(),
  };
  const what = await new Promise<string>((resolve) => {
    const onFault = (_: unknown, what: string): void => resolve(what);
    const runner = createRunner(
      { ...eraser, lease },
      { onFault, monotonic: () => performance.now(), random: Math.random },
    );
    runner.start();
    onTestFinished(runner.close);
  });
  expect([what, told]).toEqual(['what is due cannot be looked for', []]);
});
