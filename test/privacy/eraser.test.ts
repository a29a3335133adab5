/** What the eraser says while erasures cannot be looked for, or wait for a view. */
import { expect, it } from 'vitest';
import type { EraseOptions } from '../../src/privacy/erase.js';
import { startEraser } from '../../src/privacy/eraser.js';
import type { Lease } from '../../src/projector/lease.js';
import { ReadModelsUnavailableError, ViewMissingError } from '../../src/readmodels/read-models.js';

it('speaks of no erasure while there may be none: the lease cannot be asked for', async () => {
  const lease = {
    hold: () => Promise.reject(new ReadModelsUnavailableError('down')),
    isHeld: () => false,
    close: () => Promise.resolve(),
  } as unknown as Lease;
  const told = await new Promise<string>((resolve) => {
    const eraser = startEraser({
      steps: {} as EraseOptions,
      keep: () => Promise.resolve(),
      lease,
      hasOtherStorages: () => Promise.resolve(false),
      mailer: undefined,
      logger: {
        info: () => undefined,
        warn: () => undefined,
        error(_, message) {
          void eraser.close();
          resolve(message);
        },
      },
      now: () => performance.now(),
    });
  });
  expect(told).toBe('open erasures cannot be looked for: tried again');
});

it('waits for a view that is built without calling it a failure, and a start waits with it', async () => {
  const told: string[] = [];
  const log = (_: object, message: string): void => void told.push(message);
  const tries: string[] = [];
  const eraser = startEraser({
    steps: {
      erasures: { fresh: () => Promise.resolve({ state: { unfinished: new Map([['ers_01', {}]]) } }) },
      store: {
        readStream(stream: string) {
          tries.push(stream);
          throw new ViewMissingError('emails');
        },
      },
    } as unknown as EraseOptions,
    keep: () => Promise.resolve(),
    lease: undefined,
    hasOtherStorages: () => Promise.resolve(false),
    mailer: undefined,
    logger: { info: () => undefined, warn: log, error: log },
    now: () => performance.now(),
  });
  try {
    while (tries.length < 5) {
      eraser.look();
      await new Promise(setImmediate);
    }
    expect(eraser.waiting()).toEqual([{ erasure_id: 'ers_01', reason: 'view_being_built' }]);
    expect(eraser.isCaughtUp()).toBe(false);
    expect(told).toEqual([]);
  } finally {
    await eraser.close();
  }
});
