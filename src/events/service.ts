/** What can happen to the deployment itself: the facts of the stream `service`. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

export const serviceSchemas = {
  /** First event of every log: names the log, and which secret its stream names are derived from. */
  ServiceInitialised: z.object({ log_id: z.string(), secret_fingerprint: z.string() }),
};

export type ServiceEvent = EventOf<typeof serviceSchemas>;
