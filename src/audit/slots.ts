/** Bounds how much runs at once, and how much waits for it. */
import { ServiceError } from '../errors.js';

interface SlotsOptions {
  readonly running: number;
  /** How many wait in line for a slot. Default: none. */
  readonly waiting?: number;
  /** Seconds after which a refused client may try again. */
  readonly retryAfter: number;
}

interface Slots {
  /**
   * Resolves with a function that gives the slot back; calling it twice does no harm. Rejects with the signal's reason
   * when that aborts. @throws ServiceError `unavailable` when all slots are taken and the line is full
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

export function createSlots({ running, waiting = 0, retryAfter }: SlotsOptions): Slots {
  let free = running;
  const line = new Set<() => void>();

  function slot(): () => void {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const [next] = line;
      if (next === undefined) free += 1;
      else next();
    };
  }

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return slot();
      }
      if (line.size >= waiting) throw new ServiceError('unavailable', {}, { retryAfter });
      return await new Promise((resolve, reject) => {
        const next = (): void => {
          line.delete(next);
          signal?.removeEventListener('abort', leave);
          resolve(slot());
        };
        const leave = (): void => {
          line.delete(next);
          reject(asError(signal?.reason));
        };
        line.add(next);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
