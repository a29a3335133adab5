/** Events of the stream `service`, which are about the deployment itself. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const serviceSchemas = {
  /** First event of every log: names the log, and which secret its stream names are derived from. */
  ServiceInitialised: z.object({ log_id: z.string(), secret_fingerprint: z.string() }),
  /**
   * The log was restored from a backup. Schema 2: schema 1 had the last link of the backup in place of the root, and no MAC,
   * so `root` and `mac` of schema 1 are null.
   */
  LogRestored: z.object({
    /** Number of events in the backup, and the root of the tree over these events. */
    count: z.int().min(1),
    root: hash.nullable(),
    /** The newest seal that was known at the restore; null if there was none. */
    superseded: z.object({ count: z.int().min(1), root: hash }).nullable(),
    /** HMAC-SHA-256 under a key from the secret (src/integrity/restores.ts). Without a valid MAC the event excuses no seal. */
    mac: hash.nullable(),
  }),
};

export type ServiceEvent = EventOf<typeof serviceSchemas>;
