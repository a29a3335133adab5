/** One subscription of the projector, and what ends it. */
import type { RebuildOrders } from '../rebuild/shadow-views.js';
import type { Lease } from './lease.js';

export interface Surroundings {
  readonly signal: AbortSignal;
  readonly lease?: Pick<Lease, 'onLost'>;
  readonly rebuilds?: Pick<RebuildOrders, 'orders'>;
}

/** Aborts with the run, or when the lease is lost or an order is given while nothing happens. */
export function sessionOf({ signal, lease, rebuilds }: Surroundings): { readonly signal: AbortSignal; end(): void } {
  const session = new AbortController();
  const abort = (): void => session.abort();
  lease?.onLost(abort);
  rebuilds?.orders.onGiven(abort);
  signal.addEventListener('abort', abort);
  if (signal.aborted || rebuilds?.orders.isWaiting() === true) abort();
  return { signal: session.signal, end: () => signal.removeEventListener('abort', abort) };
}
