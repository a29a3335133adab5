/** Folds events into the documents of views, in memory: for the projector batch by batch, for a bulk build into the documents that it holds. The caller commits the result. */
import { codec, UnreadableEventError, type DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { storageOf, type Document, type DocumentWrite, type ReadModels } from '../readmodels/read-models.js';
import { parkedId, parkedView, type ParkedStream } from './parked.js';
import { CannotFoldError, type Projection } from '../projections/projection.js';

interface FoldInput {
  readonly events: readonly StoredEvent[];
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
  readonly parked: ReadonlyMap<string, ParkedStream>;
  /** What a poison event does: park its stream for that view, or throw a PoisonEventError. */
  readonly park: boolean;
}

interface FoldResult {
  readonly parked: readonly ParkedStream[];
  readonly unknown: readonly string[];
  /** When the last event that a view handles happened. */
  readonly at: string | undefined;
}

export interface BatchFold extends FoldResult {
  readonly writes: readonly DocumentWrite[];
}

/** An event that cannot be folded, without its body. A plain object: it crosses threads. */
export type Poison = Omit<ParkedStream, 'storage'>;

/** Thrown for a poison event where it is tried again, or ends the caller's work. The message holds no personal data. */
export class PoisonEventError extends Error {
  override readonly name = 'PoisonEventError';

  constructor(readonly poison: Poison) {
    super(`${poison.view}, position ${poison.position}: ${poison.reason}`);
  }
}

type FoldStep = { readonly projection: Projection; readonly stored: StoredEvent } & (
  { readonly recorded: RecordedEvent<DomainEvent>; readonly keys: readonly string[] } | { readonly reason: string }
);

export interface Slot {
  document: Document | undefined;
  /** Of the last event folded into it; null when there is neither document nor tombstone. */
  position: string | null;
  stored: string | null;
  changed: boolean;
}

type SlotSource = (projection: Projection, ids: readonly string[]) => Promise<ReadonlyMap<string, Slot>>;

type Slots = ReadonlyMap<Projection, ReadonlyMap<string, Slot>>;

export function handlersOf(projections: readonly Projection[]): ReadonlyMap<string, readonly Projection[]> {
  const handlers = new Map<string, Projection[]>();
  for (const projection of projections)
    for (const type of projection.handles) handlers.set(type, [...(handlers.get(type) ?? []), projection]);
  return handlers;
}

/** Folds into freshly loaded documents. @throws PoisonEventError unless `park`. @throws ReadModelsUnavailableError */
export async function foldBatch({
  readModels,
  ...input
}: FoldInput & { readonly readModels: Pick<ReadModels, 'load'> }): Promise<BatchFold> {
  const slots = new Map<Projection, ReadonlyMap<string, Slot>>();
  const folded = await foldInto(input, async (projection, ids) => {
    const loaded = await loadSlots(readModels, projection, ids);
    slots.set(projection, loaded);
    return loaded;
  });
  return { ...folded, writes: [...changedDocuments(slots), ...folded.parked.map(parkedWrite)] };
}

/** Folds into the slots, which are loaded with one request per view. What was folded before a PoisonEventError stays in them. @throws as `foldBatch`. */
export async function foldInto(input: FoldInput, source: SlotSource): Promise<FoldResult> {
  const unknown: string[] = [];
  const steps: FoldStep[] = [];
  for (const stored of input.events) {
    const handlers = input.handlers.get(stored.type);
    if (handlers === undefined) {
      if (!codec.knows(stored.type)) unknown.push(stored.type);
    } else addSteps(steps, stored, unparked(handlers, stored, input.parked));
  }

  const slots = new Map<Projection, ReadonlyMap<string, Slot>>();
  for (const [projection, ids] of keysByView(steps)) slots.set(projection, await source(projection, [...ids]));
  const parked = new Map<string, ParkedStream>();
  for (const step of steps) {
    if (parked.size > 0 && parked.has(parkedId(step.projection.name, step.stored.stream))) continue;
    const reason = foldStep(step, slots);
    if (reason === undefined) continue;
    const poison = toPoison(step, reason);
    if (!input.park) throw new PoisonEventError(poison);
    parked.set(parkedId(poison.view, poison.stream), { ...poison, storage: storageOf(step.projection) });
  }
  return { parked: [...parked.values()], unknown, at: lastTime(steps) };
}

/** Events before the poison event are folded: after a crash the parked stream may be ahead of its documents. */
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

function addSteps(steps: FoldStep[], stored: StoredEvent, handlers: readonly Projection[]): void {
  if (handlers.length === 0) return;
  let recorded: RecordedEvent<DomainEvent>;
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

async function loadSlots(
  readModels: Pick<ReadModels, 'load'>,
  projection: Projection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Slot>> {
  const slots = new Map<string, Slot>();
  const found = await readModels.load(projection, ids);
  for (const id of ids) slots.set(id, toSlot(found.get(id)));
  return slots;
}

export function toSlot(found: { readonly document: Document | null; readonly position: string } | undefined): Slot {
  const stored = found?.position ?? null;
  return { document: found?.document ?? undefined, position: stored, stored, changed: false };
}

function keysByView(steps: readonly FoldStep[]): ReadonlyMap<Projection, ReadonlySet<string>> {
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
function foldStep(step: FoldStep, slots: Slots): string | undefined {
  if ('reason' in step) return step.reason;
  const { projection, recorded } = step;
  const ofView = slots.get(projection);
  const results: (readonly [Slot, Document | undefined])[] = [];
  try {
    for (const key of step.keys) {
      const slot = ofView?.get(key);
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
    for (const [id, { document, position, stored, changed }] of ofView)
      if (changed && position !== null) yield { view, id, document: document ?? null, position, loaded: stored };
}

export const parkedWrite = (document: ParkedStream): DocumentWrite => ({
  view: parkedView,
  id: parkedId(document.view, document.stream),
  document,
  position: document.position,
  loaded: null,
});

const toPoison = ({ projection, stored }: FoldStep, reason: string): Poison => ({
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

function lastTime(steps: readonly FoldStep[]): string | undefined {
  const last = steps.findLast((step) => 'recorded' in step);
  return last !== undefined && 'recorded' in last ? last.recorded.metadata.at : undefined;
}
