/** The register of erasures: the facts of the stream `erasures`. Nothing in it is personal. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

/** Of a reason: a code, never text. */
export const reasonForm = /^[a-z0-9_]{1,40}$/;

export const erasureSchemas = {
  ErasureRequested: z.object({
    erasure_id: z.string(),
    /** The key of the person's stream as a contact, and of the recipient of e-mails. */
    subject_key: z.string(),
    reason: z.string().optional(),
  }),
  /** How many contacts and e-mails there were. */
  ErasureCompleted: z.object({
    erasure_id: z.string(),
    contacts: z.number().int().min(0),
    emails: z.number().int().min(0),
  }),
};

export type ErasureEvent = EventOf<typeof erasureSchemas>;
