/** Checks, before the projector folds, that the views belong to this log and to this code. */
import { readLogId } from '../eventstore/log-id.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels, View } from '../readmodels/read-models.js';
import { dropAll, switchStorages } from './old-storages.js';
import { parkedView } from './parked.js';
import {
  checkpointName,
  isOf,
  projectionVersionOf,
  rebuildName,
  storedIn,
  storedViews,
  type ViewsWriter,
} from './storage.js';

interface StartInput extends ViewsWriter {
  readonly reader: EventReader;
  readonly views: readonly View[];
  /** Which views are built from the first event, and why; `new_views`: nothing is wrong. */
  readonly onRebuild: (kind: 'rebuild' | 'new_views', message: string) => void;
  /**
   * Views that were folded from another log, or from more of this one than there is: `rebuild` where only this process
   * uses them; `refuse` where others may use them, or the log may have lost its end.
   */
  readonly foreignViews: 'rebuild' | 'refuse';
  /** Awaited between removing the checkpoint and dropping storages that readers may still use. */
  readonly settle: () => Promise<void>;
}

/** The views do not belong to this log. Nothing was changed. */
export class ForeignViewsError extends Error {
  override readonly name = 'ForeignViewsError';
}

/** The views are those of a newer version of this service. Nothing was changed. */
export class NewerViewsError extends Error {
  override readonly name = 'NewerViewsError';
}

/**
 * Returns the checkpoint at which folding continues, or null if there are no views. Views without a storage in the checkpoint
 * are new or changed, and a rebuild builds them beside the others.
 *
 * @throws ForeignViewsError @throws NewerViewsError @throws StoreUnavailableError @throws ReadModelsUnavailableError
 */
export async function openCheckpoint(input: StartInput): Promise<Checkpoint | null> {
  const { readModels, views } = input;
  const found = await readModels.checkpoint(checkpointName);
  const isKept = found !== null && (await isOfThisLog(input, found));
  if (!isKept) await reset(input, found);
  await readModels.prepare(parkedView);
  if (!isKept) return null;
  const checkpoint = await withoutOthers(input, found);
  for (const view of storedIn(views, checkpoint.storages)) await readModels.prepare(view);
  return checkpoint;
}

/** Returns whether folding can continue at the checkpoint, at least for some of the views. */
async function isOfThisLog(
  { reader, views, onRebuild, foreignViews }: StartInput,
  found: Checkpoint,
): Promise<boolean> {
  const foreign = await whyForeign(found, reader);
  if (foreignViews === 'refuse') {
    if (foreign !== undefined) throw new ForeignViewsError(foreign);
    refuseNewer(found, views);
  }
  const changed = views.filter((view) => !isOf(view, found.storages[view.name]));
  const names = changed.map(({ name, version }) => `${name} version ${version}`).join(', ');
  if (foreign !== undefined) onRebuild('rebuild', `The views are rebuilt: ${foreign}`);
  else if (changed.length > 0) onRebuild('new_views', `These views are new or changed, and are built: ${names}`);
  return foreign === undefined;
}

async function reset(input: StartInput, found: Checkpoint | null): Promise<void> {
  const { readModels, views, check, settle, epoch } = input;
  // Forget the checkpoint first. After a crash in the middle of dropping, the next start then drops again.
  check();
  await readModels.forget({ name: checkpointName, previous: found, epoch });
  if (found !== null) await settle();
  const rebuild = await readModels.checkpoint(rebuildName);
  const known = [found, rebuild].flatMap((one) => storedViews(one?.storages ?? {}));
  // Otherwise a rebuild would continue in empty storages after a crash in the middle of dropping.
  check();
  await readModels.forget({ name: rebuildName, previous: rebuild });
  await dropAll(input, [...known, ...views, parkedView]);
}

/** Removes from the checkpoint the storages that this code does not fold, so that they are not read any more. */
async function withoutOthers(input: StartInput, found: Checkpoint): Promise<Checkpoint> {
  const isFolded = (name: string, storage: number): boolean =>
    input.views.some((view) => view.name === name && isOf(view, storage));
  const entries = Object.entries(found.storages);
  const kept = entries.filter((entry) => isFolded(...entry));
  if (kept.length === entries.length) return found;
  const { checkpoint } = await switchStorages(input, found, { storages: Object.fromEntries(kept), unparks: true });
  return checkpoint;
}

/** Returns why the views cannot have been folded from this log, or undefined if they can. */
async function whyForeign(found: Checkpoint, reader: EventReader): Promise<string | undefined> {
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

/** @throws ForeignViewsError if the views were folded from another log, or from more of this one than there is */
export async function checkViews(reader: EventReader, readModels: Pick<ReadModels, 'checkpoint'>): Promise<void> {
  const found = await readModels.checkpoint(checkpointName);
  const foreign = found === null ? undefined : await whyForeign(found, reader);
  if (foreign !== undefined) throw new ForeignViewsError(foreign);
}

/** Leaves the views to processes of a newer version. Otherwise, processes of two versions would rebuild the views in turns. */
function refuseNewer(found: Checkpoint, views: readonly View[]): void {
  const newer = views.filter(({ name, version }) => projectionVersionOf(found.storages[name] ?? 0) > version);
  if (newer.length === 0) return;
  throw new NewerViewsError(
    `the views ${newer.map(({ name }) => name).join(', ')} are those of a newer version of this service`,
  );
}
