/** Carries one erasure through, from its request to its completion, and tells how far it reaches. Every step may be repeated: after a crash all of them are done again. */
import { setTimeout as rest } from 'node:timers/promises';
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { ContactState } from '../commands/contact-state.js';
import type { SuppressionHandler } from '../commands/suppression-requests.js';
import type { ContactCommand } from '../commands/contact.js';
import type { EmailCommand, EmailState } from '../commands/email.js';
import { unfinishedOf, type ErasureCommand, type ErasuresState } from '../commands/erasures.js';
import { codec, type DomainEvent } from '../events/codec.js';
import { lifeChange, type ContactEvent } from '../events/contact.js';
import type { EmailEvent } from '../events/email.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { ErasureEvent } from '../events/erasures.js';
import { contactStream, erasuresStream } from '../events/streams.js';
import type { EventStore } from '../eventstore/event-store.js';
import { eraseSuppression, eventsSince, hasSuppressionLeft } from './erase-suppression.js';

/** An e-mail as the views know it. */
export interface EmailOfPerson {
  readonly stream: string;
  /** Position of its request. */
  readonly first: string;
}

export interface EraseOptions {
  readonly store: Pick<EventStore, 'readStream' | 'redact'>;
  readonly contacts: CommandHandler<ContactState, ContactCommand, ContactEvent>;
  readonly emails: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  readonly suppressions: SuppressionHandler;
  readonly erasures: CommandHandler<ErasuresState, ErasureCommand, ErasureEvent>;
  readonly views: {
    /** Resolves when they show everything up to this position. @throws ServiceError `unavailable` */
    shown(position: string): Promise<void>;
    /** In the order of their requests. */
    emailsTo(recipientKey: string): AsyncIterable<readonly EmailOfPerson[]>;
    /** When it resolves nothing is left in their files of what was deleted. */
    scrub(): Promise<void>;
  };
  /** Removes the files of these e-mails. */
  readonly removeFiles: (emailIds: readonly string[]) => Promise<void>;
}

/** E-mails that are decided at once. Then others have as much time as these took. */
const emailsAtOnce = 4;

type Requested = Extract<ErasureEvent, { type: 'ErasureRequested' }>;

type EndOptions = Pick<EraseOptions, 'store' | 'contacts'>;

/** A request, and what is written on account of it. */
interface RequestedErasure {
  readonly requested: RecordedEvent<Requested>;
  readonly context: CommandContext;
}
type EraseSteps = EraseOptions & RequestedErasure;

/** What is left of an erasure is its completion. */
export interface ErasureCompletion {
  readonly context: CommandContext;
  /** Views held something personal. */
  readonly isInViews: boolean;
  readonly counts: Extract<ErasureEvent, { type: 'ErasureCompleted' }>['data'];
}

/** An e-mail that is being sent, as its stream has it. */
export interface RunningEmail {
  readonly stream: string;
  readonly email_id: string;
  /** When the attempt is over at the latest. */
  readonly until: string;
}

/** @returns what it waits for, where e-mails are being sent: ask again later. @throws what the stores throw: ask again */
export async function erase(
  options: EraseOptions,
  erasureId: string,
): Promise<ErasureCompletion | readonly RunningEmail[]> {
  const { store, views } = options;
  const request = await requestedErasure(store, erasureId);
  const { requested, context } = request;
  const erasing = { ...options, ...request };
  const contact = await eraseContact(erasing);
  const { subject_key: subjectKey } = requested.event.data;
  const suppression = await eraseSuppression({ ...options, subjectKey, requested: requested.position }, context);
  const ended = [contact ?? [], suppression ?? []].flat();
  const until = contact?.position ?? requested.position;
  await views.shown([until, ...ended.map(({ last }) => last)].sort().at(-1) ?? until);
  const { emails, running } = await eraseEmails(erasing, until);
  for (const { stream, through } of ended) await store.redact(stream, through);
  if (running.length > 0) return running;
  const counts = { erasure_id: erasureId, contacts: contact === undefined ? 0 : 1, emails };
  return { context, isInViews: ended.length > 0, counts };
}

/** Ends the contact. A contact that is created at the address afterwards is another one, which this erasure leaves alone. @throws what the stores throw */
export async function endContact(options: EndOptions, erasureId: string): Promise<void> {
  await eraseContact({ ...options, ...(await requestedErasure(options.store, erasureId)) });
}

async function requestedErasure(store: EndOptions['store'], erasureId: string): Promise<RequestedErasure> {
  const requested = await requestOf(store, erasureId);
  const { metadata, id: causationId } = requested;
  const { $correlationId: correlationId, request_id: requestId, actor } = metadata;
  return { requested, context: { correlationId, causationId, requestId, actor } };
}

/** Several at a time: to leave nothing in the files of the views takes as long for many. @throws what the stores throw: ask again */
export async function complete({ views, erasures }: EraseOptions, erased: readonly ErasureCompletion[]): Promise<void> {
  // E-mails have nothing personal there.
  if (erased.some(({ isInViews }) => isInViews)) await views.scrub();
  for (const { counts, context } of erased)
    await erasures.execute({ stream: erasuresStream, command: { type: 'Complete', ...counts }, context });
}

/** It is among the last ones. */
async function requestOf(store: Pick<EventStore, 'readStream'>, erasureId: string): Promise<RecordedEvent<Requested>> {
  for await (const batch of store.readStream(erasuresStream, { direction: 'backwards' }))
    for (const stored of batch) {
      const { event, ...recorded } = codec.decode(stored);
      if (event.type === 'ErasureRequested' && event.data.erasure_id === erasureId) return { ...recorded, event };
    }
  throw new Error(`the log has no request of the erasure ${erasureId}`);
}

interface ErasedContact {
  readonly stream: string;
  readonly through: bigint;
  /** Of ContactErased, of the first where there are several. */
  readonly position: string;
  readonly last: string;
}

/** Undefined: there was no contact when the erasure was requested. */
async function eraseContact({
  store,
  contacts,
  requested,
  context,
}: EndOptions & RequestedErasure): Promise<ErasedContact | undefined> {
  const { erasure_id, subject_key, reason } = requested.event.data;
  const stream = contactStream(subject_key);
  let { state } = await contacts.fresh(stream);
  const since = await eventsSince(store, stream, requested.position);
  const earlier = erasedAmong(since, erasure_id);
  // A contact that was created after the request is another one, and stays.
  const isOver = state.contactId === null || since.some(({ event }) => event.type === 'ContactCreated');
  if (earlier === undefined && isOver) return undefined;
  const command = { type: 'Erase', erasure_id, reason } as const;
  if (earlier === undefined) ({ state } = await contacts.execute({ stream, command, context }));
  // Each is an append of its own.
  while (state.unnamed.has(erasure_id)) ({ state } = await contacts.execute({ stream, command, context }));
  return erasedAmong(await eventsSince(store, stream, requested.position), erasure_id);
}

function erasedAmong(events: readonly RecordedEvent<DomainEvent>[], erasureId: string): ErasedContact | undefined {
  let erased: ErasedContact | undefined;
  for (const { event, stream, position } of events)
    if (event.type === 'ContactErased' && event.data.erasure_id === erasureId)
      erased = { stream, through: BigInt(event.data.through), position, last: erased?.last ?? position };
  return erased;
}

/** The number of e-mails that were requested before this position and not erased before the request, and those that are being sent. */
async function eraseEmails(erasing: EraseSteps, until: string) {
  const { store, emails, views, removeFiles, requested, context } = erasing;
  const command = { type: 'EraseEmail', reason: 'erasure' } as const;
  let count = 0;
  const running: RunningEmail[] = [];
  for await (const page of views.emailsTo(requested.event.data.subject_key)) {
    const before = page.filter(({ first }) => first < until);
    const erased: { stream: string; state: EmailState }[] = [];
    for (let from = 0; from < before.length; from += emailsAtOnce) {
      const startedAt = performance.now();
      const some = before.slice(from, from + emailsAtOnce);
      const handled = some.map(async ({ stream }) => {
        const { state } = await emails.execute({ stream, command, context });
        if (state.running !== null) running.push({ stream, email_id: state.email_id, until: state.running.deadline });
        else erased.push({ stream, state });
      });
      await Promise.all(handled);
      await rest(performance.now() - startedAt);
    }
    // An earlier run may have come as far as this, so all of them: many at once cost little more than one.
    await Promise.all(erased.map(({ stream, state }) => store.redact(stream, BigInt(state.erased_through ?? -1))));
    await removeFiles(erased.map(({ state }) => state.email_id));
    const positions = await Promise.all(erased.map(({ stream, state }) => erasedAt(store, stream, state)));
    count += positions.filter((position) => position > requested.position).length;
  }
  return { emails: count, running };
}

/** Position of EmailErased. By positions, for clocks can be set back. */
async function erasedAt(store: EraseOptions['store'], stream: string, { erased_through }: EmailState): Promise<string> {
  const from = BigInt(erased_through ?? -1) + 1n;
  for await (const [erased] of store.readStream(stream, { from, limit: 1 })) return erased?.position ?? '';
  return '';
}

type Reader = Pick<EventStore, 'readStream'>;
interface ReachOptions {
  readonly store: Reader & Pick<EventStore, 'head'>;
  readonly suppressions: SuppressionHandler;
  readonly views: Pick<EraseOptions['views'], 'shown' | 'emailsTo'>;
}

/** Whether it takes all that is stored of the person now. @throws ServiceError `unavailable` @throws what the stores throw */
export async function takesAll({ views, ...options }: ReachOptions, erasureId: string): Promise<boolean> {
  const { store } = options;
  const { reach, subjectKey, requested, hasNewContact } = await reachOf(store, erasureId);
  if (hasNewContact || (await hasSuppressionLeft({ ...options, subjectKey, requested }))) return false;
  await views.shown(await store.head());
  for await (const page of views.emailsTo(subjectKey)) if (page.some(({ first }) => first > reach)) return false;
  return true;
}

/** Tells the mailer whom it must not write to. By the log: the leader is asked, where there are servers. */
export const createErasureCheck =
  (
    store: Reader,
    erasures: Pick<CommandHandler<ErasuresState, ErasureCommand, ErasureEvent>, 'fresh'>,
  ): ((email: { readonly recipientKey: string; readonly position: string }) => Promise<boolean>) =>
  async ({ recipientKey, position }) => {
    const open = unfinishedOf((await erasures.fresh(erasuresStream)).state, recipientKey);
    return open !== undefined && position <= (await reachOf(store, open.erasure_id)).reach;
  };

/** The position up to which it takes what is stored of the person. */
async function reachOf(store: Reader, erasureId: string) {
  const { event, position } = await requestOf(store, erasureId);
  const subjectKey = event.data.subject_key;
  const contact = await lastLifeChange(store, contactStream(subjectKey));
  const isItsEnd = contact?.event.type === 'ContactErased' && contact.event.data.erasure_id === erasureId;
  const hasNewContact = contact?.event.type === 'ContactCreated' && contact.position > position;
  return { reach: isItsEnd ? contact.position : position, subjectKey, requested: position, hasNewContact };
}

/** The last beginning or end of a contact. */
async function lastLifeChange(store: Reader, stream: string) {
  for await (const batch of store.readStream(stream, { direction: 'backwards' }))
    for (const stored of batch) {
      const recorded = codec.decode(stored);
      if (lifeChange(recorded.event, recorded.revision) !== undefined) return recorded;
    }
  return undefined;
}
