/** The lives of an address: every contact that its stream has held, each with its creation and its erasure. */
import { lifeChange, lifeEvents } from '../events/contact.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { ContactLife } from './answers.js';
import { readableContact } from './decoding.js';
import { eventReference } from './event-descriptions.js';
import type { CataloguesAsOf } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { ownerOf, timeOfUnreadable } from './unreadable.js';

interface LivesState {
  /** Oldest first. */
  readonly lives: readonly ContactLife[];
  /** The last life has not ended. */
  readonly isOpen: boolean;
}

export const noLives: LivesState = { lives: [], isOpen: false };

/** Returns the lives after the next event of the stream. */
export function livesAfter(state: LivesState, stored: StoredEvent): LivesState {
  const last = openLife(state);
  // Only these events begin or end a life, and most events are of a life that is known.
  if (typeof last?.contact_id === 'string' && !lifeEvents.has(stored.type)) return state;
  const recorded = readableContact(stored);
  if (recorded === undefined) return last === undefined ? withUnreadable(state, stored) : state;
  const { event, metadata, revision } = recorded;
  const { contact_id } = event.data;
  const cited = eventReference(recorded);
  if (event.type === 'ContactCreated') {
    const begun = { ...unknownLife, contact_id, created_at: metadata.at, created: cited };
    return { lives: [...state.lives, begun], isOpen: true };
  }
  if (event.type !== 'ContactErased') return withOwner(state, contact_id);
  // A later event of an erasure names a contact that an earlier one has ended.
  if (lifeChange(event, revision) === undefined) return state;
  const end = { erased_at: metadata.at, erasure_id: event.data.erasure_id, erased: cited };
  return { lives: withLast(withOwner(state, contact_id).lives, end), isOpen: false };
}

const openLife = ({ lives, isOpen }: LivesState): ContactLife | undefined => (isOpen ? lives.at(-1) : undefined);

const unknownLife: ContactLife = {
  contact_id: null,
  created_at: null,
  created: null,
  erased_at: null,
  erasure_id: null,
  erased: null,
};

/** A creation that cannot be read begins a life all the same. */
function withUnreadable(state: LivesState, stored: StoredEvent): LivesState {
  if (stored.type !== 'ContactCreated') return state;
  const begun = { contact_id: ownerOf(stored, null), created_at: timeOfUnreadable(stored) ?? null };
  return { lives: [...state.lives, { ...unknownLife, ...begun }], isOpen: true };
}

/** The contact of an event is alive, so a life whose creation cannot be read has begun before. */
function withOwner(state: LivesState, contact_id: string): LivesState {
  const last = openLife(state);
  if (last?.contact_id === contact_id) return state;
  if (last?.contact_id === null) return { ...state, lives: withLast(state.lives, { contact_id }) };
  return { lives: [...state.lives, { ...unknownLife, contact_id }], isOpen: true };
}

const withLast = (lives: readonly ContactLife[], change: Partial<ContactLife>): readonly ContactLife[] =>
  lives.map((life, index) => (index === lives.length - 1 ? { ...life, ...change } : life));

/** Returns the life in words, such as "con_01, created at 2026-03-01T10:00:00.000Z, erased at … by shop". */
export function lifeInWords({ contact_id, created_at, erased }: ContactLife): string {
  const begin = created_at === null ? 'created at an unknown time' : `created at ${created_at}`;
  const end = erased === null ? '' : `, erased at ${erased.at} by ${erased.actor}`;
  return `${contact_id ?? 'a contact without a known id'}, ${begin}${end}`;
}

interface LivesRequest {
  readonly stream: string;
  readonly moment: CataloguesAsOf;
  readonly pace: ReplayPace;
  readonly signal: AbortSignal | undefined;
}

const keptStreams = 1_000;

interface KeptLives extends LivesState {
  readonly nextRevision: bigint;
}

/**
 * Reads the lives of a stream. What was read of a stream is kept, so that each page of a long history reads only the
 * events that came since.
 */
export function createLivesReader(reader: Pick<AuditReader, 'readStream'>) {
  const kept = new Map<string, KeptLives>();

  /** @throws StoreUnavailableError */
  return async ({ stream, moment, pace, signal }: LivesRequest): Promise<readonly ContactLife[]> => {
    let state = kept.get(stream) ?? { ...noLives, nextRevision: 0n };
    const reading = { stream, from: state.nextRevision, pace, signal };
    for await (const page of streamPages(reader, reading))
      for (const stored of page) state = { ...livesAfter(state, stored), nextRevision: stored.revision + 1n };
    kept.delete(stream);
    if (state.nextRevision > 0n) kept.set(stream, state);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptStreams) break;
      kept.delete(oldest);
    }
    return livesUntil(state.lives, moment.horizon);
  };
}

/** Removes what came after the moment of the answer. */
const livesUntil = (lives: readonly ContactLife[], horizon: string): readonly ContactLife[] =>
  lives.flatMap((life) => {
    if ((life.created?.position ?? '') > horizon) return [];
    const isErasedLater = (life.erased?.position ?? '') > horizon;
    return [isErasedLater ? { ...life, erased_at: null, erasure_id: null, erased: null } : life];
  });
