/** The right to fold into views that several processes share: held for a while, renewed as it runs, and known to be lost before another process can hold it. */
import { pause } from '../flow/abort.js';
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
  /** Milliseconds by another clock that must agree: `now` may stand still while the machine is suspended. */
  readonly wall?: () => number;
  /** May be renewed after it ran out if no other process has held it since: for work that may block its own thread for that long. */
  readonly resumes?: boolean;
}

/** A moment of both clocks. */
interface Moment {
  readonly now: number;
  readonly wall: number;
}

/** The lease ran out, or another process has taken it: nothing may be written until it is held again. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

const nothing = { epoch: undefined, askedAt: undefined };

export function createLease({ readModels, name, holder, ttl, now, wall = now, resumes = false }: LeaseOptions) {
  /** The time before the last call that got or renewed the lease; undefined: not held. The store counts from a moment between the call and its answer, so never from an earlier one. */
  let since: Moment | undefined;
  let held: number | undefined;
  /** The epoch of a lease that was held and ran out: it is never held again. */
  let lapsed: number | undefined;
  let answered: Moment | undefined;
  let steadySince = Infinity;
  let renewal: NodeJS.Timeout | undefined;
  let closed = false;
  let notBefore = -Infinity;
  let lost = (): void => undefined;
  const renewMs = (ttl * 3) / 8;

  const moment = (): Moment => ({ now: now(), wall: wall() });
  const isWithin = (milliseconds: number, from: Moment | undefined): boolean =>
    from !== undefined && now() - from.now < milliseconds && wall() - from.wall < milliseconds;
  const isHeld = (): boolean => isWithin(ttl, since);

  async function take(): Promise<{ readonly epoch: number | undefined; readonly askedAt: Moment }> {
    const askedAt = moment();
    try {
      const taken = await readModels.lease(name, holder, ttl);
      if (!isWithin(ttl / 2, answered)) steadySince = now();
      answered = moment();
      return { epoch: taken?.epoch, askedAt };
    } catch (error) {
      answered = undefined;
      throw error;
    }
  }

  /** Calls `onHeldElsewhere` when the lease has been refused for longer than a dead holder would have had it: another process lives and renews it. */
  function refusals(onHeldElsewhere: (() => void) | undefined): (askedAt: Moment | undefined) => void {
    let since: number | undefined;
    return (askedAt) => {
      if (askedAt === undefined) return;
      if (since !== undefined && askedAt.now - since > ttl) onHeldElsewhere?.();
      since ??= now();
    };
  }

  /** Leases of one ttl at the same moments: a store on a server then renews them with one command. */
  const untilRenewal = (): number => Math.ceil(renewMs - (now() % renewMs)) + 1;

  function renewIn(milliseconds: number): void {
    clearTimeout(renewal);
    if (closed) return;
    renewal = setTimeout(() => {
      // A failure is no loss: the lease is valid until its time is over, and is asked for again meanwhile.
      take().then(renewed, () => renewIn(ttl / 8));
    }, milliseconds);
    renewal.unref();
  }

  /** The store adds one to the epoch of a lease that ran out, and one more for each process that has held it since. */
  const isOurs = (epoch: number | undefined): boolean =>
    epoch !== undefined && ((epoch === held && (isHeld() || resumes)) || (resumes && epoch - 1 === held));

  /** With another epoch, or too late, another process may have held it meanwhile, however briefly: this process's state is stale. */
  function renewed({ epoch, askedAt }: Awaited<ReturnType<typeof take>>): void {
    if (isOurs(epoch)) {
      [held, since] = [epoch, askedAt];
      return renewIn(untilRenewal());
    }
    since = undefined;
    lost();
  }

  async function giveBack(): Promise<void> {
    clearTimeout(renewal);
    if (!isHeld()) return;
    since = undefined;
    await readModels.lease(name, holder, 0).catch(() => undefined);
  }

  return {
    isHeld,
    /** The store has answered for one whole ttl without a break: a process that runs and holds a lease there has had time to renew it. */
    isSteady: (): boolean => isWithin(ttl / 2, answered) && now() - steadySince >= ttl,
    /** Called when the lease has run out, or another process has taken it. One listener. */
    onLost(listener: () => void): void {
      lost = listener;
    },
    /**
     * Resolves with the epoch once this process holds the lease, a new one after it ran out; `null` when the signal aborts first.
     * `onHeldElsewhere`: called when another process lives that renews it. @throws ReadModelsUnavailableError
     */
    async hold(signal: AbortSignal, onHeldElsewhere?: () => void): Promise<number | null> {
      if (!isHeld()) lapsed = held;
      const refused = refusals(onHeldElsewhere);
      while (!signal.aborted && !closed) {
        const early = notBefore - now();
        const { epoch, askedAt } = early > 0 ? nothing : await take();
        if (epoch !== undefined && epoch !== lapsed) {
          [held, since] = [epoch, askedAt];
          renewIn(untilRenewal());
          return epoch;
        }
        if (epoch === undefined) refused(askedAt);
        else await readModels.lease(name, holder, 0);
        await pause(early > 0 ? Math.min(early, ttl / 8) : ttl / 8, signal);
      }
      return null;
    },
    /** To be called before anything is written under the lease. @throws LeaseLostError when another process may hold it */
    check(): void {
      if (!isHeld()) throw new LeaseLostError(`the lease ${name} is not held any more`);
    },
    /** Gives it back, and asks for it again only after other processes had time to take it. Never rejects. */
    async yield(): Promise<void> {
      notBefore = now() + 2 * ttl;
      await giveBack();
    },
    /** Gives it back, so that no process waits for it to run out. Never rejects. Safe to call twice. */
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      await giveBack();
    },
  };
}
