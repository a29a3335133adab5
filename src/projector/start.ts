/** What the projector does before it folds: makes sure that the views belong to this log and to this code, else says what is to be filled. */
import { codec } from '../events/codec.js';
import { serviceStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels, View } from '../readmodels/read-models.js';
import { parkedView } from './parked.js';
import { rebuildsView } from './rebuild-record.js';
import { dropAll, noteRetiring, unpark } from './old-storages.js';
import {
  checkpointName,
  fillName,
  firstFillName,
  firstStorages,
  isOf,
  projectionVersionOf,
  sameStorages,
  storedAs,
  storedViews,
  type Storages,
} from './storage.js';

export interface StartInput {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly views: readonly View[];
  /** The views are dropped and folded from the first event, for this reason. */
  readonly onRebuild: (reason: string) => void;
  /**
   * Views that were folded from another log, or from more of this one than there is: `rebuild` where they are this
   * process's own; `refuse` where they may be somebody else's, or the log has lost its end.
   */
  readonly foreignViews: 'rebuild' | 'refuse';
  /** Only the views that have changed are filled, beside the others; else all are begun anew. */
  readonly fillsBeside: boolean;
  /** Epoch of the lease. */
  readonly epoch?: number | undefined;
  /** Called before each change: throws when this process may not make it any more. */
  readonly check: () => void;
  /** Awaited between taking the checkpoint away and dropping what readers may still take for current. */
  readonly settle: () => Promise<void>;
}

export interface OpenedViews {
  /** Where folding goes on; `null` = at the first event. */
  readonly checkpoint: Checkpoint | null;
  /** Storages of the views that are folded on from there. */
  readonly live: Storages;
  /** Views that nothing is live of: to be filled beside. */
  readonly missing: readonly string[];
}

/** The views do not belong to this log; nothing was changed. */
export class ForeignViewsError extends Error {
  override readonly name = 'ForeignViewsError';
}

/** The views are those of a newer version of this service; nothing was changed. */
export class NewerViewsError extends Error {
  override readonly name = 'NewerViewsError';
}

/** @throws ForeignViewsError @throws NewerViewsError @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function openViews(input: StartInput): Promise<OpenedViews> {
  const { readModels, views, fillsBeside } = input;
  const found = await readModels.checkpoint(checkpointName);
  const kept = await keepable(input, found);
  if (kept === null) await beginAnew(input, found);
  for (const view of [parkedView, rebuildsView]) await readModels.prepare(view);
  const checkpoint = kept === null ? null : await withoutOthers(input, kept);
  const live = checkpoint?.live ?? firstStorages(views);
  // Views that are filled are made by who fills them.
  const isFilled = checkpoint === null && fillsBeside;
  for (const { view, storage } of isFilled ? [] : stored(views, live))
    await readModels.prepare(storedAs(view, storage));
  return { checkpoint, live, missing: views.filter(({ name }) => live[name] === undefined).map(({ name }) => name) };
}

/** The checkpoint where folding can go on, at least for some of the views; null: all are begun anew. */
async function keepable(input: StartInput, found: Checkpoint | null): Promise<Checkpoint | null> {
  if (found === null) return null;
  const { reader, views, onRebuild, foreignViews, fillsBeside } = input;
  const foreign = await foreignTo(found, reader);
  if (foreignViews === 'refuse') {
    if (foreign !== undefined) throw new ForeignViewsError(foreign);
    refuseNewer(found, views);
  }
  const changed = views.filter((view) => !isOf(view, found.live[view.name]));
  const reason = foreign ?? (changed.length === 0 ? undefined : wordsOf(changed));
  if (reason === undefined) return found;
  onRebuild(reason);
  return foreign === undefined && fillsBeside ? found : null;
}

const stored = (views: readonly View[], storages: Storages): readonly { view: View; storage: number }[] =>
  views.flatMap((view) => {
    const storage = storages[view.name];
    return storage === undefined ? [] : [{ view, storage }];
  });

async function beginAnew(input: StartInput, found: Checkpoint | null): Promise<void> {
  const { readModels, reader, views, check, settle, epoch } = input;
  // First: without a checkpoint a crash in the middle of dropping only means dropping again.
  check();
  await readModels.forget({ name: checkpointName, previous: found, epoch });
  if (found !== null) await settle();
  const filled = await readModels.checkpoint(firstFillName);
  // A first fill that was interrupted goes on where it was.
  const goesOn =
    found === null && filled !== null && isFirstFill(filled, views) && (await foreignTo(filled, reader)) === undefined;
  if (goesOn) return;
  const rebuild = await readModels.checkpoint(fillName);
  const known = [found, filled, rebuild].flatMap((one) => storedViews(one?.live ?? {}));
  // No fill may go on in storages that are empty after a crash in the middle of dropping.
  check();
  await readModels.forget({ name: firstFillName, previous: filled, epoch });
  await readModels.forget({ name: fillName, previous: rebuild });
  await dropAll(input, [...known, ...views, parkedView]);
}

const isFirstFill = ({ live }: Checkpoint, views: readonly View[]): boolean => sameStorages(live, firstStorages(views));

/** Takes from the checkpoint what this code does not fold, so that nobody goes on reading what nobody feeds any more. */
async function withoutOthers(input: StartInput, found: Checkpoint): Promise<Checkpoint> {
  const { readModels, views, epoch, check } = input;
  const byName = new Map(views.map((view) => [view.name, view]));
  const isOurs = ([name, storage]: readonly [string, number]): boolean => {
    const view = byName.get(name);
    return view !== undefined && isOf(view, storage);
  };
  const entries = Object.entries(found.live);
  const kept = entries.filter(isOurs);
  if (kept.length === entries.length) return found;
  const gone = Object.fromEntries(entries.filter((entry) => !isOurs(entry)));
  await noteRetiring(input, gone);
  const next = { ...found, live: Object.fromEntries(kept) };
  check();
  await readModels.commit({
    writes: [],
    checkpoint: { name: checkpointName, previous: found, next, ...(epoch === undefined ? {} : { epoch }) },
  });
  await unpark(input, ({ view }) => gone[view] !== undefined, next);
  return next;
}

/** Why the views cannot have been folded from this log. */
async function foreignTo(found: Checkpoint | null, reader: EventReader): Promise<string | undefined> {
  if (found === null) return undefined;
  const { logId, position, eventId } = found;
  const present = await readLogId(reader);
  if (present === undefined) return 'the log is empty, but the views were folded from one';
  if (present !== logId) return 'the views were folded from another log';
  const event = await reader.readAt(position);
  if (event?.id === eventId) return undefined;
  const head = await reader.head();
  return head < position
    ? `the log ends at position ${head}, before position ${position} that the views were folded up to: it was restored or shortened`
    : `the log has another event at position ${position}: it was restored or altered`;
}

/** @throws ForeignViewsError when the views were folded from another log, or from more of this one than there is. */
export async function checkViews(reader: EventReader, readModels: Pick<ReadModels, 'checkpoint'>): Promise<void> {
  const foreign = await foreignTo(await readModels.checkpoint(checkpointName), reader);
  if (foreign !== undefined) throw new ForeignViewsError(foreign);
}

/** While processes of two versions run, the older ones leave the views to the newer ones: else they would rebuild in turns. */
function refuseNewer(found: Checkpoint, views: readonly View[]): void {
  const newer = views.filter(({ name, version }) => projectionVersionOf(found.live[name] ?? 0) > version);
  if (newer.length === 0) return;
  throw new NewerViewsError(
    `the views ${newer.map(({ name }) => name).join(', ')} are those of a newer version of this service`,
  );
}

const wordsOf = (changed: readonly View[]): string =>
  `new or changed views: ${changed.map(({ name, version }) => `${name} version ${version}`).join(', ')}`;

/** The log's name for itself, from its first event; undefined while the log is empty. */
export async function readLogId(reader: Pick<EventReader, 'readStream'>): Promise<string | undefined> {
  for await (const events of reader.readStream(serviceStream, { limit: 1 })) {
    for (const stored of events) {
      const { event } = codec.decode(stored);
      if (event.type === 'ServiceInitialised') return event.data.log_id;
    }
  }
  return undefined;
}

/** The same of a log that has events. */
export async function demandLogId(reader: Pick<EventReader, 'readStream'>): Promise<string> {
  const logId = await readLogId(reader);
  if (logId === undefined) throw new Error('the log does not say which log it is: it has no ServiceInitialised');
  return logId;
}
