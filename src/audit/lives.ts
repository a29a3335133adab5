/** The lives of an address: every contact that its stream has held, each with its creation and its erasure. */
import { lifeChange, lifeEvents } from '../events/contact.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { ContactLife } from './answers.js';
import { readableContact } from './decoding.js';
import { citedEvent, summaryOf } from './event-descriptions.js';
import type { CataloguesAsOf } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { ownerOf, timeOfUnreadable } from './unreadable.js';

export interface LivesState {
  /** Oldest first. */
  readonly lives: readonly ContactLife[];
  /** The last life has not ended. */
  readonly isOpen: boolean;
}

export const noLives: LivesState = { lives: [], isOpen: false };

/** Returns the lives after the next event of the stream. */
export function livesAfter(state: LivesState, stored: StoredEvent, moment: CataloguesAsOf): LivesState {
  const last = state.isOpen ? state.lives.at(-1) : undefined;
  // Only these events begin or end a life, and most events are of a life that is known.
  if (last !== undefined && last.contact_id !== null && !lifeEvents.has(stored.type)) return state;
  const recorded = readableContact(stored);
  if (recorded === undefined) return last === undefined ? withUnreadable(state, stored) : state;
  const { event, metadata, revision } = recorded;
  const { contact_id } = event.data;
  const change = lifeChange(event, revision);
  // A later event of an erasure names a contact that an earlier one has ended.
  if (event.type === 'ContactErased' && change === undefined) return state;
  if (change === 'begins') {
    const created = citedEvent(recorded, summaryOf(recorded, moment));
    return { lives: [...state.lives, { ...unknownLife, contact_id, created_at: metadata.at, created }], isOpen: true };
  }
  const known = withOwner(state, contact_id);
  if (event.type !== 'ContactErased') return known;
  const erased = citedEvent(recorded, summaryOf(recorded, moment));
  const ended = { erased_at: metadata.at, erasure_id: event.data.erasure_id, erased };
  return { lives: withLast(known.lives, ended), isOpen: false };
}

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
  const last = state.isOpen ? state.lives.at(-1) : undefined;
  if (last?.contact_id === contact_id) return state;
  if (last?.contact_id === null) return { ...state, lives: withLast(state.lives, { contact_id }) };
  return { lives: [...state.lives, { ...unknownLife, contact_id }], isOpen: true };
}

const withLast = (lives: readonly ContactLife[], change: Partial<ContactLife>): readonly ContactLife[] =>
  lives.map((life, index) => (index === lives.length - 1 ? { ...life, ...change } : life));

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
      for (const stored of page)
        state = { ...livesAfter(state, stored, moment), nextRevision: stored.revision + 1n };
    kept.delete(stream);
    if (state.nextRevision > 0n) kept.set(stream, state);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptStreams) break;
      kept.delete(oldest);
    }
    return livesUntil(state.lives, moment.horizon);
  };
}

/** An answer shows nothing that came after its moment. */
const livesUntil = (lives: readonly ContactLife[], horizon: string): readonly ContactLife[] =>
  lives.flatMap((life) => {
    if ((life.created?.position ?? '') > horizon) return [];
    const isErasedLater = (life.erased?.position ?? '') > horizon;
    return [isErasedLater ? { ...life, erased_at: null, erasure_id: null, erased: null } : life];
  });
