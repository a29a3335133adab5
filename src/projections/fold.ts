/** Folds one batch of events into the documents of all views, in memory; the caller commits what comes out. */
import { codec, UnreadableEventError, type DomainEvent } from '../events/codec.js';
import type { Recorded } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { Document, DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import { parkedId, parkedView, type ParkedStream } from './parked.js';
import { CannotFoldError, type Projection } from './projection.js';

export interface FoldInput {
  readonly events: readonly StoredEvent[];
  /** By event type; see `handlersOf`. */
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
  readonly readModels: Pick<ReadModels, 'load'>;
  /** Streams parked so far, by id. */
  readonly parked: ReadonlyMap<string, ParkedStream>;
  /** What a poison event does: park its stream for that view, or throw a PoisonEventError. */
  readonly park: boolean;
}

export interface Fold {
  readonly writes: readonly DocumentWrite[];
  /** Newly parked; their documents are among the writes. */
  readonly parked: readonly ParkedStream[];
  /** Types that nobody knows, once per event. */
  readonly unknown: readonly string[];
  /** When the last event that a view handles happened. */
  readonly at: string | undefined;
}

/** An event that cannot be folded, met while the caller still wants to try again or to stop. Its message holds no personal data. */
export class PoisonEventError extends Error {
  override readonly name = 'PoisonEventError';
  readonly view: string;
  readonly reason: string;
  readonly #event: StoredEvent;

  constructor(view: string, event: StoredEvent, reason: string) {
    super(`${view}, position ${event.position}: ${reason}`);
    this.view = view;
    this.reason = reason;
    this.#event = event;
  }

  /** With its body, for the operator's eyes alone: behind a getter, so that no logger takes it along. */
  get event(): StoredEvent {
    return this.#event;
  }
}

/** One event for one view: to be folded, or the reason why it cannot be. */
type Step = { readonly projection: Projection; readonly stored: StoredEvent } & (
  { readonly recorded: Recorded<DomainEvent>; readonly keys: readonly string[] } | { readonly reason: string }
);

/** A document on its way through the batch. */
interface Slot {
  document: Document | undefined;
  position: string | null;
  readonly loaded: string | null;
  changed: boolean;
}

type Slots = ReadonlyMap<Projection, ReadonlyMap<string, Slot>>;

export function handlersOf(projections: readonly Projection[]): ReadonlyMap<string, readonly Projection[]> {
  const handlers = new Map<string, Projection[]>();
  for (const projection of projections)
    for (const type of projection.handles) handlers.set(type, [...(handlers.get(type) ?? []), projection]);
  return handlers;
}

/** @throws PoisonEventError unless `park`. @throws ReadModelsUnavailableError */
export async function foldBatch(input: FoldInput): Promise<Fold> {
  const unknown: string[] = [];
  const steps: Step[] = [];
  for (const stored of input.events) {
    const handlers = input.handlers.get(stored.type);
    if (handlers === undefined) {
      if (!codec.knows(stored.type)) unknown.push(stored.type);
    } else addSteps(steps, stored, unparked(handlers, stored, input.parked));
  }

  const slots = await loadSlots(steps, input.readModels);
  const parked = new Map<string, ParkedStream>();
  for (const step of steps) {
    const id = parkedId(step.projection.name, step.stored.stream);
    if (parked.has(id)) continue;
    const reason = foldStep(step, slots);
    if (reason === undefined) continue;
    if (!input.park) throw new PoisonEventError(step.projection.name, step.stored, reason);
    parked.set(id, toParked(step, reason));
  }
  return {
    writes: [...changedDocuments(slots), ...[...parked].map(parkedWrite)],
    parked: [...parked.values()],
    unknown,
    at: lastTime(steps),
  };
}

/** What stands before the poison event is folded, again too: after a crash the parked stream may be ahead of its documents. */
function unparked(
  handlers: readonly Projection[],
  { stream, position }: StoredEvent,
  parked: ReadonlyMap<string, ParkedStream>,
): readonly Projection[] {
  if (parked.size === 0) return handlers;
  return handlers.filter(({ name }) => {
    const from = parked.get(parkedId(name, stream))?.position;
    return from === undefined || position < from;
  });
}

function addSteps(steps: Step[], stored: StoredEvent, handlers: readonly Projection[]): void {
  if (handlers.length === 0) return;
  let recorded: Recorded<DomainEvent>;
  try {
    recorded = codec.decode(stored);
  } catch (error) {
    for (const projection of handlers) steps.push({ projection, stored, reason: reasonOf(error) });
    return;
  }
  for (const projection of handlers) {
    try {
      steps.push({ projection, stored, recorded, keys: projection.keys(recorded) });
    } catch (error) {
      steps.push({ projection, stored, reason: reasonOf(error) });
    }
  }
}

async function loadSlots(steps: readonly Step[], readModels: Pick<ReadModels, 'load'>): Promise<Slots> {
  const slots = new Map<Projection, ReadonlyMap<string, Slot>>();
  for (const [projection, ids] of keysByView(steps)) {
    const stored = await readModels.load(projection, [...ids]);
    const ofView = new Map<string, Slot>();
    for (const id of ids) {
      const found = stored.get(id);
      const loaded = found?.position ?? null;
      ofView.set(id, { document: found?.document ?? undefined, position: loaded, loaded, changed: false });
    }
    slots.set(projection, ofView);
  }
  return slots;
}

function keysByView(steps: readonly Step[]): ReadonlyMap<Projection, ReadonlySet<string>> {
  const wanted = new Map<Projection, Set<string>>();
  for (const step of steps) {
    if (!('keys' in step)) continue;
    let ids = wanted.get(step.projection);
    if (ids === undefined) wanted.set(step.projection, (ids = new Set()));
    for (const key of step.keys) ids.add(key);
  }
  return wanted;
}

/** Folds the event into all its documents of the view, or into none; the reason when it cannot. */
function foldStep(step: Step, slots: Slots): string | undefined {
  if ('reason' in step) return step.reason;
  const { projection, recorded } = step;
  const results: (readonly [Slot, Document | undefined])[] = [];
  try {
    for (const key of step.keys) {
      const slot = slots.get(projection)?.get(key);
      if (slot === undefined || isFolded(slot, recorded.position)) continue;
      const document = projection.evolve(slot.document, recorded, key) ?? undefined;
      if (document !== slot.document) results.push([slot, document]);
    }
  } catch (error) {
    return reasonOf(error);
  }
  for (const [slot, document] of results) {
    slot.document = document;
    slot.position = recorded.position;
    slot.changed = true;
  }
  return undefined;
}

/** Folded before: the batch is read again after a crash, or the documents went ahead of the checkpoint. */
const isFolded = (slot: Slot, position: string): boolean => slot.position !== null && position <= slot.position;

function* changedDocuments(slots: Slots): Generator<DocumentWrite> {
  for (const [view, ofView] of slots)
    for (const [id, { document, position, loaded, changed }] of ofView)
      if (changed && position !== null) yield { view, id, document: document ?? null, position, loaded };
}

const parkedWrite = ([id, document]: readonly [string, ParkedStream]): DocumentWrite => ({
  view: parkedView,
  id,
  document,
  position: document.position,
  loaded: null,
});

const toParked = ({ projection, stored }: Step, reason: string): ParkedStream => ({
  view: projection.name,
  stream: stored.stream,
  position: stored.position,
  event_id: stored.id,
  event_type: stored.type,
  reason,
});

/** Only messages that are known to hold no personal data. */
function reasonOf(error: unknown): string {
  if (error instanceof CannotFoldError || error instanceof UnreadableEventError) return error.message;
  return `unexpected ${error instanceof Error ? error.name : 'failure'}`;
}

function lastTime(steps: readonly Step[]): string | undefined {
  const last = steps.findLast((step) => 'recorded' in step);
  return last !== undefined && 'recorded' in last ? last.recorded.metadata.at : undefined;
}
