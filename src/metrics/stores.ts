/** Round trips of the main thread to the servers of the stores. */
import { Histogram, type Registry } from '@prometheus-io/client';
import type { RoundTrip } from '../flow/observe.js';

export function countRoundTrips(registry: Registry): (trip: RoundTrip) => void {
  const durations = new Histogram({
    name: 'audience_store_request_duration_seconds',
    help: 'Round trips of the main thread to EventStoreDB and MongoDB, those that failed among them.',
    labelNames: ['store', 'operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ store, operation, milliseconds }) => durations.observe({ store, operation }, milliseconds / 1_000);
}
