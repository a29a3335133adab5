/** The right to fold into views that several processes share: held for a while, renewed as it runs, and known to be lost before anybody else can hold it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadModels } from '../readmodels/read-models.js';

/** Milliseconds that the leases of this service are valid: short, so that a process that takes over after a crash does not wait long. */
export const leaseMs = 4_000;

export type Lease = ReturnType<typeof createLease>;

export interface LeaseOptions {
  readonly readModels: Pick<ReadModels, 'lease'>;
  readonly name: string;
  readonly holder: string;
  /** Milliseconds that the lease is valid without being renewed. */
  readonly ttl: number;
  /** Milliseconds; goes on while the process is stopped. */
  readonly now: () => number;
}

/** The lease ran out, or somebody else has taken it: nothing may be written until it is held again. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export function createLease({ readModels, name, holder, ttl, now }: LeaseOptions) {
  let validUntil = -Infinity;
  let held: number | undefined;
  let renewal: NodeJS.Timeout | undefined;
  let closed = false;
  let notBefore = -Infinity;
  let lost = (): void => undefined;

  /** Counted from before the call: the time of the answer is part of the lease. */
  async function take(): Promise<number | null> {
    const asked = now();
    const taken = await readModels.lease(name, holder, ttl);
    validUntil = taken === null ? -Infinity : asked + ttl;
    return taken?.epoch ?? null;
  }

  function renewLater(): void {
    clearTimeout(renewal);
    if (closed) return;
    renewal = setTimeout(() => {
      // A failure is no loss: the lease is valid until its time is over, and is asked for again meanwhile.
      take().then(renewed, renewLater);
    }, ttl / 4);
    renewal.unref();
  }

  /** With another epoch somebody else has held it meanwhile, however short: this process's state is stale. */
  function renewed(epoch: number | null): void {
    if (epoch === held) return renewLater();
    validUntil = -Infinity;
    lost();
  }

  const isHeld = (): boolean => now() < validUntil;

  async function giveBack(): Promise<void> {
    clearTimeout(renewal);
    if (!isHeld()) return;
    validUntil = -Infinity;
    await readModels.lease(name, holder, 0).catch(() => undefined);
  }

  return {
    isHeld,
    /** Called when somebody else has taken the lease. One listener. */
    onLost(listener: () => void): void {
      lost = listener;
    },
    /** Resolves with the epoch once this process holds the lease; `null` when the signal aborts first. @throws ReadModelsUnavailableError */
    async hold(signal: AbortSignal): Promise<number | null> {
      while (!signal.aborted && !closed) {
        const early = notBefore - now();
        const epoch = early > 0 ? null : await take();
        if (epoch !== null) {
          held = epoch;
          renewLater();
          return epoch;
        }
        await sleep(early > 0 ? Math.min(early, ttl / 8) : ttl / 8, undefined, { signal }).catch(() => undefined);
      }
      return null;
    },
    /** To be called before anything is written under the lease. @throws LeaseLostError when somebody else may hold it */
    check(): void {
      if (!isHeld()) throw new LeaseLostError(`the lease ${name} is not held any more`);
    },
    /** Gives it back, and does not ask for it again before everybody else could take it. Never rejects. */
    async yield(): Promise<void> {
      notBefore = now() + 2 * ttl;
      await giveBack();
    },
    /** Gives it back, so that nobody waits for it to run out. Never rejects. Safe to call twice. */
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      await giveBack();
    },
  };
}
