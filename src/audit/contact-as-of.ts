/** A contact as of a time: what was so of it then, and what changed that next. */
import { lifeChange } from '../events/contact.js';
import type { UnreadableEvent } from './answers.js';
import type { CataloguesAsOf } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
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
  const { stream, contactId, moment, signal, pace } = request;
  let cut: Cut = nothingUndated;
  let state = initialState;
  const unreadable: UnreadableEvent[] = [];
  const reading = { stream, from: 0n, size: firstPage, horizon: moment.horizon, signal, pace };
  for await (const page of streamPages(reader, reading))
    for (const stored of page) {
      const step = stepOf(stored, state, moment);
      cut = cutAfter(cut, step, request);
      if (step.type === 'unreadable' && cut.phase === 'before')
        unreadable.push(unreadableEvent(stored, state.contactId));
      state = step.after;
    }
  if (state === initialState) return undefined;
  const own = unreadable.filter(({ contact_id }) => contactId === undefined || (contact_id ?? contactId) === contactId);
  return { ...(cut.phase === 'after' ? cut : cutAt(state, cut, contactId)), unreadable: own };
}

/** Where the time is, seen from the events that have been read: times never run backwards in a stream. */
type Cut = BeforeTime | AfterTime;

interface BeforeTime {
  readonly phase: 'before';
  /** The first unreadable event after the last one with a time: it has none, and may be after the time. */
  readonly undated: UnreadableEvent | undefined;
}

interface AfterTime extends Omit<ContactAsOf, 'unreadable'> {
  readonly phase: 'after';
}

type Sought = AsOfRequest['contactId'];

const nothingUndated: BeforeTime = { phase: 'before', undated: undefined };

function cutAfter(cut: Cut, step: StreamStep, { time, contactId }: Pick<AsOfRequest, 'time' | 'contactId'>): Cut {
  if (cut.phase === 'after') return withStep(cut, step, contactId);
  if (step.type === 'unreadable' && step.at === undefined)
    return { phase: 'before', undated: cut.undated ?? unreadableEvent(step.stored, step.before.contactId) };
  const isLater = step.at !== undefined && step.at > time;
  // Events without a time, before one that is not later, were not later either.
  return isLater ? withStep(cutAt(step.before, cut, contactId), step, contactId) : nothingUndated;
}

/** An answer about one contact does not name another that had the address then. */
function cutAt(state: TimelineState, { undated }: BeforeTime, sought: Sought): AfterTime {
  const none = { phase: 'after', creation: undefined, end: undefined, changes: noChanges } as const;
  const isOfOther = sought !== undefined && state.contactId !== sought;
  return isOfOther
    ? { ...none, state: initialState, nextUnreadable: undefined }
    : { ...none, state, nextUnreadable: undated };
}

const noChanges: ContactAsOf['changes'] = new Map();

function withStep(cut: AfterTime, step: StreamStep, sought: Sought): AfterTime {
  if (step.type === 'unreadable') return withUnreadable(cut, step, sought);
  if (step.isVoid) return cut;
  const { recorded } = step;
  return recorded.event.type === 'ContactCreated'
    ? withCreation(cut, recorded, sought)
    : withChange(cut, recorded, sought);
}

function withUnreadable(
  cut: AfterTime,
  { stored, before: { contactId: current } }: Extract<StreamStep, { type: 'unreadable' }>,
  sought: Sought,
): AfterTime {
  if (cut.nextUnreadable !== undefined) return cut;
  // Before the creation is found, an event that names no contact may be the creation.
  const until = cut.state.contactId === null ? null : current;
  const owner = ownerOf(stored, until);
  // One that is certainly of another contact in the stream changes nothing here.
  const isOfOther = owner !== null && owner === current && owner !== contactIn(cut, sought);
  return isOfOther ? cut : { ...cut, nextUnreadable: unreadableEvent(stored, until) };
}

const contactIn = ({ state, creation }: AfterTime, sought: Sought): string | undefined =>
  state.contactId ?? sought ?? creation?.event.data.contact_id;

function withCreation(cut: AfterTime, recorded: ContactRecord, sought: Sought): AfterTime {
  if (cut.state.life !== undefined) return { ...cut, end: cut.end ?? recorded };
  const isSought = sought === undefined || sought === recorded.event.data.contact_id;
  return isSought ? { ...cut, creation: cut.creation ?? recorded } : cut;
}

function withChange(cut: AfterTime, recorded: ContactRecord, sought: Sought): AfterTime {
  const { event, revision } = recorded;
  if (event.data.contact_id !== contactIn(cut, sought)) return cut;
  const end = cut.end ?? (lifeChange(event, revision) === 'ends' ? recorded : undefined);
  const keys = factsChangedBy(event).filter((key) => !cut.changes.has(key));
  if (keys.length === 0) return end === cut.end ? cut : { ...cut, end };
  return { ...cut, end, changes: new Map([...cut.changes, ...keys.map((key) => [key, recorded] as const)]) };
}
