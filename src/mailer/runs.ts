/**
 * Under which run this mailer makes its attempts, and which runs of others have ended. Where mailers share the log, each
 * keeps a lease beside the views. A run is the time for which that lease was held without a break: its id is the
 * mailer's and the epoch of the lease.
 */
import { pause, unlessAborted } from '../flow/abort.js';
import type { WorkLease } from '../flow/subscriber.js';

export interface Runs {
  /** Under which an attempt may be claimed now; undefined: none may be. */
  current(): string | undefined;
  /** Whether an attempt of this run may still be handed over. Once false, never true again. */
  isCertain(runId: string): boolean;
  /** Of this process, also an earlier run of it: it knows what became of its attempts. */
  isOwn(runId: string): boolean;
  /** Undefined while the run may hand over, or while this cannot be told; so it is when it rejects. */
  endOf(runId: string): Promise<RunEnd | undefined>;
  /** Gives the lease back. To be called when no attempt runs. Never rejects. */
  close(): Promise<void>;
}

/** The run is over: it hands over nothing more. */
export interface RunEnd {
  /** Position in the log: what the run claimed after it, it has not handed over. Undefined: nothing is known of its claims. */
  readonly silentSince?: string;
}

/** No other process can write to the log, so every other run has ended. */
export const soleRun = (id: string): Runs => ({
  current: () => id,
  isCertain: () => true,
  isOwn: (runId) => runId === id,
  endOf: () => Promise.resolve({}),
  close: () => Promise.resolve(),
});

/** Milliseconds that the lease of a mailer is valid. */
export const runLeaseMs = 10_000;
export const runLeaseName = (mailerId: string): string => `mailer-${mailerId}`;

/** Held by the monotonic and the wall clock; after it ran out it has a new epoch. */
interface RunLease extends WorkLease {
  /** The store has answered for one whole ttl without a break: each mailer that lives has renewed its lease. */
  isSteady(): boolean;
}

export interface LeasedRunsOptions {
  /** Of this mailer and no other, not even of an earlier start. */
  readonly mailerId: string;
  readonly lease: RunLease;
  /** That of the read models. */
  readonly fenceOff: (name: string, epoch: number) => Promise<boolean>;
  readonly head: () => Promise<string>;
  readonly ttl: number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** There is a new run: attempts may be claimed. */
  readonly onRun: () => void;
  readonly onLapsed: (runId: string) => void;
  /** Called once until the lease is held again. */
  readonly onFault: (error: unknown) => void;
}

export function createLeasedRuns(options: LeasedRunsOptions): Runs {
  const { mailerId, lease, fenceOff, head, ttl, monotonic } = options;
  const closing = new AbortController();
  let run: string | undefined;
  /** Mailers whose lease ran out and was taken from them: up to which epoch, and when. */
  const fenced = new Map<string, { readonly epoch: number; readonly at: number; end?: RunEnd }>();

  /** After a break there is a new run: the old one gives no final dot any more, though its attempts are recorded. */
  async function keep(): Promise<void> {
    let faults = 0;
    while (!closing.signal.aborted) {
      const lost = new Promise<void>((resolve) => lease.onLost(resolve));
      try {
        const epoch = await lease.hold(closing.signal);
        if (epoch === null) return;
        const id = `${mailerId}.${epoch}`;
        run = id;
        faults = 0;
        options.onRun();
        await unlessAborted(lost, closing.signal, () => undefined);
        run = undefined;
        if (!closing.signal.aborted) options.onLapsed(id);
      } catch (error) {
        if ((faults += 1) === 1) options.onFault(error);
        await pause(ttl / 20, closing.signal);
      }
    }
  }

  const kept = keep();
  return {
    current: () => (lease.isHeld() ? run : undefined),
    isCertain: (runId) => runId === run && lease.isHeld(),
    isOwn: (runId) => parseRun(runId)?.mailerId === mailerId,
    /**
     * First the lease is taken from the run: it cannot be renewed any more. One ttl later the run knows that, too, whatever
     * the clocks of the servers say, and what the log holds of its claims from then on was never handed over.
     */
    async endOf(runId) {
      const other = parseRun(runId);
      if (other === undefined) return undefined;
      const known = fenced.get(other.mailerId);
      if (known === undefined || known.epoch < other.epoch) {
        if (lease.isSteady() && (await fenceOff(runLeaseName(other.mailerId), other.epoch)))
          fenced.set(other.mailerId, { epoch: other.epoch, at: monotonic() });
        return undefined;
      }
      if (known.end === undefined && monotonic() - known.at >= ttl) known.end = { silentSince: await head() };
      return known.end;
    },
    async close() {
      closing.abort();
      await kept;
      await lease.close();
    },
  };
}

/** Undefined for a run without a lease: of an embedded service, or of an earlier release. */
function parseRun(runId: string): { readonly mailerId: string; readonly epoch: number } | undefined {
  const [, mailerId, epoch] = /^(.+)\.(\d+)$/.exec(runId) ?? [];
  return mailerId === undefined ? undefined : { mailerId, epoch: Number(epoch) };
}
