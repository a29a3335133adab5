/** What the projector does before it folds: makes sure that the views belong to this log and to this code, else begins them anew. */
import { codec } from '../events/codec.js';
import { serviceStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels, View } from '../readmodels/read-models.js';
import { parkedView } from './parked.js';

export const checkpointName = 'views';

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
  /** Called before each change: throws when this process may not make it any more. */
  readonly check: () => void;
  /** Awaited between taking the checkpoint away and dropping what readers may still take for current. */
  readonly settle: () => Promise<void>;
}

/** The views do not belong to this log; nothing was changed. */
export class ForeignViewsError extends Error {
  override readonly name = 'ForeignViewsError';
}

/** The live version of each view by name. */
export const liveVersions = (views: readonly View[]): Readonly<Record<string, number>> =>
  Object.fromEntries(views.map(({ name, version }) => [name, version]));

/** Where folding goes on; `null` = at the first event. @throws ForeignViewsError @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function openViews(input: StartInput): Promise<Checkpoint | null> {
  const { reader, readModels, views, onRebuild, foreignViews } = input;
  const found = await readModels.checkpoint(checkpointName);
  const foreign = await foreignTo(found, reader);
  if (foreign !== undefined && foreignViews === 'refuse') throw new ForeignViewsError(foreign);
  if (foreignViews === 'refuse') refuseNewer(found, views);
  const reason = foreign ?? changedViews(found, views);
  if (reason !== undefined) onRebuild(reason);
  const checkpoint = reason === undefined ? found : null;
  const stored = [...views, parkedView];
  if (checkpoint === null) await beginAnew(input, { stored, wasThere: found !== null });
  await dropAll(input, retired(found, views));
  for (const view of stored) await readModels.prepare(view);
  return checkpoint;
}

async function beginAnew(
  input: StartInput,
  { stored, wasThere }: { readonly stored: readonly View[]; readonly wasThere: boolean },
): Promise<void> {
  // First: without a checkpoint a crash in the middle of dropping only means dropping again.
  input.check();
  await input.readModels.forget(checkpointName);
  if (wasThere) await input.settle();
  await dropAll(input, stored);
}

async function dropAll(
  { readModels, check }: StartInput,
  views: readonly Pick<View, 'name' | 'version'>[],
): Promise<void> {
  for (const view of views) {
    check();
    await readModels.drop(view);
  }
}

/** Views and versions that were live and are no more. */
function retired(found: Checkpoint | null, views: readonly View[]): readonly Pick<View, 'name' | 'version'>[] {
  const live = liveVersions(views);
  return Object.entries(found?.live ?? {})
    .map(([name, version]) => ({ name, version }))
    .filter(({ name, version }) => live[name] !== version);
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
function refuseNewer(found: Checkpoint | null, views: readonly View[]): void {
  const newer = views.filter(({ name, version }) => (found?.live[name] ?? 0) > version);
  if (newer.length === 0) return;
  throw new Error(`the views ${newer.map(({ name }) => name).join(', ')} are those of a newer version of this service`);
}

function changedViews(found: Checkpoint | null, views: readonly View[]): string | undefined {
  if (found === null) return undefined;
  const changed = views.filter(({ name, version }) => found.live[name] !== version);
  if (changed.length === 0) return undefined;
  return `new or changed views: ${changed.map(({ name, version }) => `${name} version ${version}`).join(', ')}`;
}

/** The log's name for itself, from its first event; undefined while the log is empty. */
export async function readLogId(reader: EventReader): Promise<string | undefined> {
  for await (const events of reader.readStream(serviceStream, { limit: 1 })) {
    for (const stored of events) {
      const { event } = codec.decode(stored);
      if (event.type === 'ServiceInitialised') return event.data.log_id;
    }
  }
  return undefined;
}
