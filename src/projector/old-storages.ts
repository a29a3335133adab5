/** Switches live storages. Those that are live no more are noted before, and dropped when every reader has noticed it. */
import { storageOf, type Checkpoint, type ReadModels, type StoredView } from '../readmodels/read-models.js';
import { parkedView, readParked, type ParkedStream } from './parked.js';
import {
  checkpointName,
  rebuildName,
  storedViews,
  commitUnderLease,
  isAmong,
  type Storages,
  type ViewsWriter,
} from './storage.js';

/**
 * A checkpoint, without a position, that names the storages to be dropped, by `name/storage`. It is a checkpoint and not a
 * record, because `scrub` keeps what checkpoints name and the epoch fences off a former leader.
 */
export const oldStoragesName = 'old_storages';

/** Makes other storages live, in one commit; resolves with those that were live before it. They are noted first: a start after a crash then drops them. */
export async function switchStorages(
  writer: ViewsWriter,
  live: Checkpoint,
  { storages, unparks }: { readonly storages: Storages; readonly unparks: boolean },
): Promise<{ readonly checkpoint: Checkpoint; readonly old: readonly StoredView[] }> {
  const isChanged = (view: string): boolean => live.storages[view] !== storages[view];
  const old = storedViews(live.storages).filter(({ name }) => isChanged(name));
  if (old.length > 0) await noteOldStorages(writer, old);
  const checkpoint = { ...live, storages };
  await commitUnderLease(writer, { name: checkpointName, previous: live, next: checkpoint });
  if (unparks) await unpark(writer, ({ view }) => isChanged(view), checkpoint);
  return { checkpoint, old };
}

async function noteOldStorages(writer: ViewsWriter, old: readonly StoredView[]): Promise<void> {
  const previous = await writer.readModels.checkpoint(oldStoragesName);
  const storages = { ...previous?.storages, ...keyed(old) };
  await commitUnderLease(writer, { name: oldStoragesName, previous, next: { ...nowhere, storages } });
}

const nowhere = { logId: '', position: '', eventId: '' };
const keyed = (views: readonly StoredView[]): Storages =>
  Object.fromEntries(views.map((view) => [`${view.name}/${storageOf(view)}`, storageOf(view)]));

export const readOldStorages = async (readModels: Pick<ReadModels, 'checkpoint'>): Promise<readonly StoredView[]> =>
  viewsIn(await readModels.checkpoint(oldStoragesName));

const viewsIn = (old: Checkpoint | null): readonly StoredView[] =>
  Object.entries(old?.storages ?? {}).flatMap(([key, storage]) => storedViews({ [key.split('/')[0] ?? '']: storage }));

/** Drops these, unless they are live again or being built. To be called when every reader has noticed that they are old. */
export async function dropOldStorages(writer: ViewsWriter, old: readonly StoredView[]): Promise<void> {
  const { readModels, epoch, check } = writer;
  // As stored, not as this process remembers: another one may have led meanwhile.
  const used: StoredView[] = [];
  for (const name of [checkpointName, rebuildName])
    used.push(...storedViews((await readModels.checkpoint(name))?.storages ?? {}));
  await dropAll(
    writer,
    old.filter((view) => !isAmong(view, used)),
  );
  const previous = await readModels.checkpoint(oldStoragesName);
  const left = viewsIn(previous).filter((view) => !isAmong(view, old));
  const next = { ...nowhere, storages: keyed(left) };
  if (left.length > 0) return await commitUnderLease(writer, { name: oldStoragesName, previous, next });
  check();
  await readModels.forget({ name: oldStoragesName, previous, epoch });
}

/**
 * Ends the parking of streams. Only once the storages that hold them are live, in a commit of its own: without
 * transactions documents may be written and the checkpoint not. After a crash in between `unparkOldStorages` does it.
 */
async function unpark(writer: ViewsWriter, isOver: (parked: ParkedStream) => boolean, live: Checkpoint): Promise<void> {
  const { readModels } = writer;
  const parked = await readParked(readModels);
  const ids = [...parked].filter(([, stream]) => isOver(stream)).map(([id]) => id);
  if (ids.length === 0) return;
  const stored = await readModels.load(parkedView, ids);
  const writes = ids.map((id) => ({
    view: parkedView,
    id,
    document: null,
    position: live.position,
    loaded: stored.get(id)?.position ?? null,
  }));
  await commitUnderLease(writer, { name: checkpointName, previous: live, next: live }, writes);
}

/** Ends the parking of streams for all noted storages that are not live. To be called before anything is folded or dropped. */
export async function unparkOldStorages(writer: ViewsWriter, live: Checkpoint): Promise<void> {
  const noted = await readOldStorages(writer.readModels);
  const old = noted.filter((view) => live.storages[view.name] !== storageOf(view));
  if (old.length === 0) return;
  await unpark(writer, ({ view, storage }) => old.some((one) => one.name === view && storageOf(one) === storage), live);
}

export async function dropAll({ readModels, check }: ViewsWriter, views: readonly StoredView[]): Promise<void> {
  for (const view of views) {
    check();
    await readModels.drop(view);
  }
}
