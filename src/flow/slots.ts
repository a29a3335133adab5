/** Bounds how much runs at once, and how much waits for it. */
import { ServiceError } from '../errors.js';

interface SlotsOptions {
  readonly running: number;
  /** How many wait in line for a slot. Default: none. */
  readonly waiting?: number;
  /** Milliseconds that each waits there. Default: until a slot is free. */
  readonly patience?: number;
  /** Seconds after which a refused client may try again. */
  readonly retryAfter: number;
}

/** For answers that hold a slot as long as they are made or read. */
export const shortLine = { waiting: 1_000, patience: 5_000, retryAfter: 5 };

/** Of all keys together. */
interface SlotsStatus {
  readonly running: number;
  readonly waiting: number;
}

const statuses = new Map<string, () => SlotsStatus>();

/** Of this process, by their names; of two with one name the last. */
export const slotsByName = (): readonly (readonly [string, SlotsStatus])[] =>
  [...statuses].map(([name, status]) => [name, status()]);

interface Slots {
  /**
   * Resolves with a function that gives the slot back; calling it twice does no harm. Rejects with the signal's reason
   * when that aborts. @throws ServiceError `unavailable` when all slots are taken and the line is full, or
   * none comes free in time
   */
  take(signal?: AbortSignal): Promise<() => void>;
  status(): SlotsStatus;
}

export function createSlots(name: string, options: SlotsOptions): Slots {
  const slots = openSlots(options);
  statuses.set(name, slots.status);
  return slots;
}

function openSlots({ running, waiting = 0, patience, retryAfter }: SlotsOptions): Slots {
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
    status: () => ({ running: running - free, waiting: line.size }),
    async take(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return slot();
      }
      const refused = (): ServiceError => new ServiceError('unavailable', {}, { retryAfter });
      if (line.size >= waiting) throw refused();
      return await new Promise((resolve, reject) => {
        const leave = (): void => {
          line.delete(next);
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
        };
        const next = (): void => {
          leave();
          resolve(slot());
        };
        const abort = (): void => {
          leave();
          reject(asError(signal?.reason));
        };
        const giveUp = (): void => {
          leave();
          reject(refused());
        };
        const timer = patience === undefined ? undefined : setTimeout(giveUp, patience);
        line.add(next);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

interface KeyedSlots {
  take(key: string, signal?: AbortSignal): Promise<() => void>;
}

/** Slots for each key, and for all keys together, so that one key cannot take them all. */
export function createKeyedSlots(
  name: string,
  { each, all }: { readonly each: SlotsOptions; readonly all: SlotsOptions },
): KeyedSlots {
  const total = openSlots(all);
  const byKey = new Map<string, Slots>();
  statuses.set(name, () => {
    const { running, waiting } = total.status();
    return { running, waiting: [...byKey.values()].reduce((sum, own) => sum + own.status().waiting, waiting) };
  });
  return {
    async take(key, signal) {
      const own = byKey.get(key) ?? openSlots(each);
      byKey.set(key, own);
      const leave = await own.take(signal);
      const close = await total.take(signal).catch((error: unknown) => {
        leave();
        throw error;
      });
      return () => {
        leave();
        close();
      };
    },
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
