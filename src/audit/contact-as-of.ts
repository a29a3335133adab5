/** A contact as of a time: what was so of it then, and what changed that next. */
import { lifeChange } from '../events/contact.js';
import type { ContactLife, UnreadableEvent } from './answers.js';
import { livesAfter, noLives } from './lives.js';
import type { CataloguesAsOf } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import {
  factsChangedBy,
  initialState,
  stepOf,
  type ContactRecord,
  type Memberships,
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

/** A life of the stream that has ended. */
interface EndedLife {
  readonly contactId: string | null;
  /** The memberships at the end of the life. */
  readonly memberships: Memberships;
  /** The erasure of the contact, or the creation of another contact. */
  readonly end: ContactRecord;
}

export interface ContactAsOf {
  /** Deleted lists and tags are still in it. */
  readonly state: TimelineState;
  /** All lives of the stream, also those that began after the time. */
  readonly lives: readonly ContactLife[];
  /** The lives that had ended at the time, oldest first: of the contact that was asked for, else all. */
  readonly ended: readonly EndedLife[];
  /** Ids of the lists that the contact was ever in, also after the time; without a contact id those of all lives. */
  readonly everIn: ReadonlySet<string>;
  /** The first status after the time in each list, by the id of the list; without a contact id also one of a later life. */
  readonly entries: ReadonlyMap<string, ContactRecord>;
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

/** Returns undefined if there is no such stream. @throws StoreUnavailableError */
export async function contactAsOf(reader: AuditReader, request: AsOfRequest): Promise<ContactAsOf | undefined> {
  const { stream, contactId, moment, signal, pace } = request;
  let cut: Cut = nothingUndated;
  let state = initialState;
  let lives = noLives;
  const ended: EndedLife[] = [];
  const unreadable: UnreadableEvent[] = [];
  const reading = { stream, from: 0n, size: firstPage, horizon: moment.horizon, signal, pace };
  for await (const page of streamPages(reader, reading))
    for (const stored of page) {
      const step = stepOf(stored, state, moment);
      cut = cutAfter(cut, step, { ...request, ended });
      if (step.type === 'unreadable' && cut.phase === 'before')
        unreadable.push(unreadableEvent(stored, state.contactId));
      const end = endOfLife(step);
      if (end !== undefined && isSought(end, contactId)) ended.push(end);
      lives = livesAfter(lives, stored);
      state = step.after;
    }
  if (state === initialState) return undefined;
  const own = unreadable.filter(({ contact_id }) => contactId === undefined || (contact_id ?? contactId) === contactId);
  const asOf = cut.phase === 'after' ? cut : cutAt(state, cut, { contactId, ended });
  const everIn = new Set([...ended, ...(isSought(state, contactId) ? [state] : [])].flatMap(listsOf));
  return { ...asOf, unreadable: own, lives: lives.lives, everIn };
}

const isSought = (one: Pick<EndedLife, 'contactId'>, contactId: string | undefined): boolean =>
  contactId === undefined || one.contactId === contactId;

const listsOf = ({ memberships }: Pick<EndedLife, 'memberships'>): readonly string[] => [...memberships.keys()];

function endOfLife(step: StreamStep): EndedLife | undefined {
  if (step.type === 'unreadable') return undefined;
  const { recorded, before } = step;
  const { contactId, life, memberships, erasure } = before;
  const { event, revision } = recorded;
  if (lifeChange(event, revision) === undefined) return undefined;
  if (event.type === 'ContactErased') return { contactId: event.data.contact_id, memberships, end: recorded };
  const isOver = life === undefined && memberships.size === 0 && erasure !== undefined;
  // The first contact, and one that follows an erasure, end nothing.
  return contactId === null || isOver ? undefined : { contactId, memberships, end: recorded };
}

/** Where the time is, seen from the events that have been read: times never run backwards in a stream. */
type Cut = BeforeTime | AfterTime;

interface BeforeTime {
  readonly phase: 'before';
  /** The first unreadable event after the last one with a time: it has none, and may be after the time. */
  readonly undated: UnreadableEvent | undefined;
}

interface AfterTime extends Omit<ContactAsOf, 'unreadable' | 'lives' | 'everIn'> {
  readonly phase: 'after';
}

type Sought = AsOfRequest['contactId'];

interface CutRequest extends Pick<AsOfRequest, 'contactId'> {
  readonly ended: readonly EndedLife[];
}

const nothingUndated: BeforeTime = { phase: 'before', undated: undefined };

function cutAfter(cut: Cut, step: StreamStep, request: CutRequest & Pick<AsOfRequest, 'time'>): Cut {
  const { time, contactId } = request;
  if (cut.phase === 'after') return withStep(cut, step, contactId);
  if (step.type === 'unreadable' && step.at === undefined)
    return { phase: 'before', undated: cut.undated ?? unreadableEvent(step.stored, step.before.contactId) };
  const isLater = step.at !== undefined && step.at > time;
  // Events without a time, before one that is not later, were not later either.
  return isLater ? withStep(cutAt(step.before, cut, request), step, contactId) : nothingUndated;
}

function cutAt(state: TimelineState, { undated }: BeforeTime, { contactId, ended }: CutRequest): AfterTime {
  const cut = { phase: 'after', ended: [...ended], creation: undefined, end: undefined } as const;
  const noneYet = { ...cut, changes: noChanges, entries: noChanges };
  if (contactId === undefined || state.contactId === contactId) return { ...noneYet, state, nextUnreadable: undated };
  // Another contact had the address then, so the contact that was asked for was not created yet, or was over.
  const end = ended.at(-1)?.end;
  const erasure = end?.event.type === 'ContactErased' ? end : undefined;
  const over = end === undefined ? initialState : { ...initialState, contactId, erasure };
  return { ...noneYet, state: over, nextUnreadable: undefined };
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
  const isWanted = sought === undefined || sought === recorded.event.data.contact_id;
  return isWanted ? { ...cut, creation: cut.creation ?? recorded } : cut;
}

function withChange(cut: AfterTime, recorded: ContactRecord, sought: Sought): AfterTime {
  const { event, revision } = recorded;
  if (event.data.contact_id !== contactIn(cut, sought)) return sought === undefined ? withEntry(cut, recorded) : cut;
  const end = cut.end ?? (lifeChange(event, revision) === 'ends' ? recorded : undefined);
  const keys = factsChangedBy(event).filter((key) => !cut.changes.has(key));
  if (keys.length === 0) return end === cut.end ? cut : { ...cut, end };
  const changes = new Map([...cut.changes, ...keys.map((key) => [key, recorded] as const)]);
  return withEntry({ ...cut, end, changes }, recorded);
}

/** Another contact of the address may enter a list that the contact of the time was not in. */
function withEntry(cut: AfterTime, recorded: ContactRecord): AfterTime {
  const { type, data } = recorded.event;
  if (type !== 'ContactSubscribed' && type !== 'ContactUnsubscribed') return cut;
  if (cut.entries.has(data.list_id)) return cut;
  return { ...cut, entries: new Map(cut.entries).set(data.list_id, recorded) };
}
