/** What can happen to a transactional e-mail: the facts of a stream `email-<key>`. Personal data stands under `message` only. */
import { z } from 'zod';
import { personal, type EventOf } from './envelope.js';
import { refusalKinds } from './refusal-kind.js';

const attempt = { email_id: z.string(), attempt: z.number().int().min(1) };
/** An SMTP reply quotes the address, so it is personal. */
const reply = personal({ response: z.string() }).optional();
const smtpCode = z.number().int().optional();
/** Enhanced status code of the reply (RFC 3463), such as `5.1.1`. */
const enhancedCode = z.string().optional();
const time = z.iso.datetime({ precision: 3 });
const text = z.string().optional();
/** `content` in base64; with a `content_id` the HTML shows it. */
const attachment = z.object({ filename: z.string(), content_type: z.string(), content: z.string(), content_id: text });

/** `verified`: it came with the proof of the e-mail's return path. `report_hash`: keyed, the same for the same report. */
const report = { email_id: z.string(), verified: z.boolean(), report_hash: z.string() };

const outcome = { ...attempt, smtp_code: smtpCode, enhanced_code: enhancedCode, reason: z.string(), message: reply };

export const emailSchemas = {
  /** Schema 2. Nothing writes `send_at`, `labels`, `template`, `reply_to`, `text`, `headers`, `attachments` yet. */
  EmailRequested: z.object({
    email_id: z.string(),
    recipient_key: z.string(),
    /** Absent where the request had no `Idempotency-Key`. */
    request_hash: text,
    /** It is mail to a subscriber of this list, which had this name then. */
    list_id: text,
    list_name: text,
    send_at: time.optional(),
    labels: z.array(z.string()).optional(),
    template: z.object({ template_id: z.string(), version: z.number().int().min(1) }).optional(),
    message: personal({
      from_email: z.string(),
      to_email: z.string(),
      subject: z.string(),
      mail_template: z.string(),
      /** Present: `subject` and `mail_template` are Mustache, rendered at each attempt. */
      variables: z.record(z.string(), z.unknown()).optional(),
      reply_to: text,
      text,
      headers: z.record(z.string(), z.string()).optional(),
      attachments: z.array(attachment).optional(),
    }),
  }),
  /** The claim of one attempt, appended before the connection is opened. After `deadline` others may judge it. */
  EmailDispatchStarted: z.object({ ...attempt, run_id: z.string(), deadline: time }),
  EmailSent: z.object(outcome),
  EmailDeferred: z.object({ ...outcome, next_attempt_at: time }),
  EmailFailed: z.object(outcome),
  /** Perhaps sent, perhaps not; `next_attempt_at` null = held. */
  EmailInDoubt: z.object({ ...attempt, reason: z.string(), next_attempt_at: time.nullable() }),
  /** Not tried again until an operator releases it. */
  EmailHeld: z.object({ email_id: z.string(), reason: z.string() }),
  EmailReleased: z.object({
    email_id: z.string(),
    next_attempt_at: time,
    /** If absent, the email was held. */
    previous_status: z.enum(['held', 'failed']).optional(),
  }),
  EmailCancelled: z.object({ email_id: z.string(), reason: z.string() }),
  /** A mail server that had taken the email reports that it could not be delivered. Schema 2: schema 1 had other kinds. */
  EmailBounced: z.object({
    ...report,
    kind: z.enum(refusalKinds),
    enhanced_code: enhancedCode,
    /** What the server said of it; it quotes the address. */
    message: personal({ diagnostic: z.string() }).optional(),
  }),
  /** The recipient called it spam. */
  EmailComplained: z.object(report),
  /** What the stream holds up to the revision `through` has no more personal data. */
  EmailErased: z.object({
    email_id: z.string(),
    through: z.number().int().min(0),
    reason: z.enum(['erasure', 'retention']),
  }),
};

export type EmailEvent = EventOf<typeof emailSchemas>;
