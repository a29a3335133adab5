/** What the stores hold of a person: what an erasure would take away, and what one that was begun still waits for. */
import { readableContact } from '../audit/decoding.js';
import type { Erasure } from '../commands/erasures.js';
import { lifeChange, lifeEvents } from '../events/contact.js';
import { contactStream, suppressionStream } from '../events/streams.js';
import { withDigests } from '../eventstore/leaf.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import { isInOutbox } from '../mailer/outbox.js';
import type { EmailDocument } from '../projections/emails.js';
import { emailPagesTo } from '../projections/email-worklist.js';
import type { ReadModelReader } from '../readmodels/read-models.js';

interface Stores {
  readonly log: EventReader;
  readonly views: ReadModelReader;
}

async function* emailsTo(recipientKey: string, views: ReadModelReader): AsyncGenerator<EmailDocument> {
  for await (const page of emailPagesTo(views, recipientKey)) for (const { document } of page) yield document;
}

interface StoresAndFiles extends Stores {
  /** The folder of e-mails that were written to files. */
  readonly outbox: string;
}

/** What would go: events with personal data, and e-mails whose text is there still. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function wouldGo(key: string, { log, views, outbox }: StoresAndFiles) {
  const found = { contact: false, events: 0, emails: 0, open: 0, files: 0 };
  for await (const stored of eventsOf(key, log)) {
    found.contact = livesAfter(stored) ?? found.contact;
    if (withDigests(stored.data) !== stored.data) found.events += 1;
  }
  for await (const { email_id, erased_at, open, state } of emailsTo(key, views)) {
    if (erased_at === null) found.emails += 1;
    if (open || state === 'held') found.open += 1;
    if (isInOutbox(outbox, email_id)) found.files += 1;
  }
  return found;
}

/** Those of the person as a contact, and of what the address refuses. */
async function* eventsOf(key: string, log: EventReader): AsyncGenerator<StoredEvent> {
  for (const stream of [contactStream(key), suppressionStream(key)])
    for await (const batch of log.readStream(stream)) yield* batch;
}

/** Undefined: the event says nothing of it. */
function livesAfter(stored: StoredEvent): boolean | undefined {
  if (!lifeEvents.has(stored.type)) return undefined;
  const recorded = readableContact(stored);
  if (recorded === undefined) return stored.type === 'ContactCreated';
  const change = lifeChange(recorded.event, stored.revision);
  return change && change === 'begins';
}

interface Scavenging {
  waitsForScavenge(stream: string): Promise<boolean>;
  scavenge(): Promise<readonly string[]>;
}

/** A log on EventStoreDB: what was erased is in its files until the next scavenge. */
export const isScavenged = (log: EventReader): log is EventReader & Scavenging => 'waitsForScavenge' in log;

interface SendingEmail {
  readonly email_id: string;
  /** When the attempt is over at the latest. */
  readonly until: string | null;
}

export interface ErasureWaits {
  /** Of a completed one. */
  readonly waits_for_scavenge: boolean;
  /** Of an unfinished one: those that are just being sent. */
  readonly waits_for_emails: readonly SendingEmail[];
}

/** @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function waitsOf({ subject_key, completed }: Erasure, { log, views }: Stores): Promise<ErasureWaits> {
  if (completed !== null)
    return { waits_for_scavenge: await waitsForScavenge(subject_key, { log, views }), waits_for_emails: [] };
  const sending: SendingEmail[] = [];
  for await (const { email_id, state, deadline } of emailsTo(subject_key, views))
    if (state === 'sending') sending.push({ email_id, until: deadline });
  return { waits_for_scavenge: false, waits_for_emails: sending };
}

async function waitsForScavenge(key: string, { log, views }: Stores): Promise<boolean> {
  if (!isScavenged(log)) return false;
  for (const stream of [contactStream(key), suppressionStream(key)])
    if (await log.waitsForScavenge(stream)) return true;
  for await (const { stream } of emailsTo(key, views)) if (await log.waitsForScavenge(stream)) return true;
  return false;
}
