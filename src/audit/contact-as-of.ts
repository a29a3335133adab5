/** A contact as of a time: what was so of it then, and what changed that next. */
import { lifeChange } from '../events/contact.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { UnreadableEvent } from './answers.js';
import type { CataloguesAsOf } from './names.js';
import { streamPages, type AuditReader, type ReplayPace } from './reading.js';
import {
  factsChangedBy,
  initialState,
  stepOf,
  type ContactRecord,
  type StreamStep,
  type TimelineState,
} from './timeline.js';
import { ownerOf, unreadableEvent } from './unreadable.js';

interface AsOfRequest {
  readonly stream: string;
  readonly contactId?: string | undefined;
  readonly time: string;
  readonly moment: CataloguesAsOf;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: ReplayPace | undefined;
}

export interface ContactAsOf {
  /** Deleted lists and tags are still in it. */
  readonly state: TimelineState;
  /** Events at or before the time, in log order: what they changed is not known. */
  readonly unreadable: readonly UnreadableEvent[];
  /** Where there was no contact: the creation that came. */
  readonly creation: ContactRecord | undefined;
  /** What ended the contact, and with it all facts: an erasure, or a new contact in the stream. */
  readonly end: ContactRecord | undefined;
  /** The first event that changed a fact, by its key. */
  readonly changes: ReadonlyMap<string, ContactRecord>;
  /** The first unreadable event that may be after the time and about this contact: what comes after it may not be the next change. */
  readonly nextUnreadable: UnreadableEvent | undefined;
}

/** Most contacts have fewer events. Many replays may begin in one turn of the event loop. */
const firstPage = 64;

/** Undefined: there is no such stream. @throws StoreUnavailableError */
export async function contactAsOf(reader: AuditReader, request: AsOfRequest): Promise<ContactAsOf | undefined> {
  const { stream, moment, signal, pace } = request;
  const cut = cutAt(request);
  let state = initialState;
  const reading = { stream, from: 0n, size: firstPage, horizon: moment.horizon, signal, pace };
  for await (const page of streamPages(reader, reading))
    for (const stored of page) {
      const step = stepOf(stored, state, moment);
      cut.take(step);
      state = step.after;
    }
  return state === initialState ? undefined : cut.contact(state);
}

function cutAt({ time, contactId: asked }: Pick<AsOfRequest, 'time' | 'contactId'>) {
  /** Undefined: the time has not come yet. */
  let then: TimelineState | undefined;
  const changes = new Map<string, ContactRecord>();
  const unreadable: UnreadableEvent[] = [];
  let creation: ContactRecord | undefined;
  let end: ContactRecord | undefined;
  let nextUnreadable: UnreadableEvent | undefined;

  /** An answer about one contact does not name another that had the address then. */
  function cut(state: TimelineState): TimelineState {
    if (asked === undefined || state.contactId === asked) return state;
    nextUnreadable = undefined;
    return initialState;
  }

  function noteUnreadable(stored: StoredEvent, { contactId: current }: TimelineState): void {
    // Before the creation is found, an event that names no contact may be the creation.
    const until = then?.contactId === null ? null : current;
    const owner = ownerOf(stored, until);
    // One that is certainly of another contact in the stream changes nothing here.
    const isOfOther = then !== undefined && owner !== null && owner === current && owner !== soughtIn(then);
    if (!isOfOther) nextUnreadable ??= unreadableEvent(stored, until);
  }

  const soughtIn = ({ contactId }: TimelineState): string | undefined =>
    contactId ?? asked ?? creation?.event.data.contact_id;

  function noteCreation(recorded: ContactRecord, { life }: TimelineState): void {
    if (life !== undefined) end ??= recorded;
    else if (asked === undefined || asked === recorded.event.data.contact_id) creation ??= recorded;
  }

  function noteChange(recorded: ContactRecord, state: TimelineState): void {
    const { event } = recorded;
    if (event.type === 'ContactCreated') return noteCreation(recorded, state);
    if (event.data.contact_id !== soughtIn(state)) return;
    if (lifeChange(event, recorded.revision) === 'ends') end ??= recorded;
    for (const key of factsChangedBy(event)) if (!changes.has(key)) changes.set(key, recorded);
  }

  function goTo(at: string, before: TimelineState): void {
    if (at > time) then ??= cut(before);
    // Events without a time were before it as well: times never run backwards in a stream.
    else if (then === undefined) nextUnreadable = undefined;
  }

  return {
    take(step: StreamStep): void {
      if (step.at !== undefined) goTo(step.at, step.before);
      if (step.type === 'unreadable') {
        if (then === undefined) unreadable.push(unreadableEvent(step.stored, step.before.contactId));
        if (then !== undefined || step.at === undefined) noteUnreadable(step.stored, step.before);
      } else if (then !== undefined && !step.isVoid) noteChange(step.recorded, then);
    },
    contact(last: TimelineState): ContactAsOf {
      const state = then ?? cut(last);
      const own = unreadable.filter(({ contact_id }) => asked === undefined || (contact_id ?? asked) === asked);
      return { state, unreadable: own, creation, end, changes, nextUnreadable };
    },
  };
}
