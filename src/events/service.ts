/** What can happen to the deployment itself: the facts of the stream `service`. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

export const serviceSchemas = {
  /** First event of every log: names the log, and which secret its stream names are derived from. */
  ServiceInitialised: z.object({ log_id: z.string(), secret_fingerprint: z.string() }),
  /** The log was put back from a backup, which had this many events and this link at its end. What came after it before is gone. */
  LogRestored: z.object({ count: z.int().min(1), head: z.string().regex(/^[0-9a-f]{64}$/) }),
};

export type ServiceEvent = EventOf<typeof serviceSchemas>;
