/** What the log says while erasures cannot even be looked for. */
import { expect, it } from 'vitest';
import type { EraseOptions } from '../../src/privacy/erase.js';
import { startEraser } from '../../src/privacy/eraser.js';
import type { Lease } from '../../src/projector/lease.js';
import { ReadModelsUnavailableError } from '../../src/readmodels/read-models.js';

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
