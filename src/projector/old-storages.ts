/** Storages that are live no more: noted before they are, and dropped when everybody has noticed. */
import type { Checkpoint, DocumentWrite, ReadModels, View } from '../readmodels/read-models.js';
import { parkedView, readParked, type ParkedStream } from './parked.js';
import { checkpointName, fillName, firstFillName, storedViews, type Storages } from './storage.js';

/** A checkpoint whose `live` holds what is to be dropped, by `name/version`. */
const retiringName = 'retiring';

export interface Retiring {
  readonly readModels: ReadModels;
  /** Of the lease. */
  readonly epoch?: number | undefined;
  /** Called before each change: throws when this process may not make it any more. */
  readonly check: () => void;
}

/** Before they are live no more: whoever starts after a crash drops them. */
export async function noteRetiring({ readModels, epoch, check }: Retiring, storages: Storages): Promise<void> {
  const previous = await readModels.checkpoint(retiringName);
  const more = Object.fromEntries(Object.entries(storages).map(([name, version]) => [`${name}/${version}`, version]));
  const next = { logId: '', position: '', eventId: '', live: { ...previous?.live, ...more } };
  check();
  await readModels.commit({
    writes: [],
    checkpoint: { name: retiringName, previous, next, ...(epoch === undefined ? {} : { epoch }) },
  });
}

export type StoredView = Pick<View, 'name' | 'version'>;

/** What is to be dropped and still may be read. */
export const readRetiring = async (readModels: Pick<ReadModels, 'checkpoint'>): Promise<readonly StoredView[]> =>
  viewsIn(await readModels.checkpoint(retiringName));

function viewsIn(retiring: Checkpoint | null): readonly StoredView[] {
  return Object.entries(retiring?.live ?? {}).map(([key, version]) => ({ name: key.split('/')[0] ?? '', version }));
}

/** Drops what was to be dropped, unless it is live again or being filled. To be called when everybody has noticed. */
export async function dropRetired(input: Retiring, live: readonly StoredView[]): Promise<void> {
  const { readModels, epoch, check } = input;
  const retiring = await readModels.checkpoint(retiringName);
  const views = viewsIn(retiring);
  if (views.length === 0) return;
  // Not what this process remembers alone: somebody else may have gone on meanwhile.
  const inUse = [...live];
  for (const name of [checkpointName, firstFillName, fillName])
    inUse.push(...storedViews((await readModels.checkpoint(name))?.live ?? {}));
  await dropAll(
    input,
    views.filter(({ name, version }) => !inUse.some((one) => one.name === name && one.version === version)),
  );
  check();
  await readModels.forget({ name: retiringName, previous: retiring, epoch });
}

/**
 * Takes up the streams which these views have parked. Only once what holds them is live, in a commit of its own: documents
 * may be written and the checkpoint not. After a crash in between `unparkRetired` does it.
 */
export async function unpark(
  { readModels, epoch, check }: Retiring,
  isOver: (parked: ParkedStream) => boolean,
  live: Checkpoint,
): Promise<void> {
  const writes = await unparking(readModels, isOver, live.position);
  if (writes.length === 0) return;
  check();
  await readModels.commit({
    writes,
    checkpoint: { name: checkpointName, previous: live, next: live, ...(epoch === undefined ? {} : { epoch }) },
  });
}

/**
 * The same for all storages that are noted to be dropped and are not live. No rebuild fills one that is noted, so what
 * the next live one has parked is not among it. To be called before anything is folded or dropped.
 */
export async function unparkRetired(input: Retiring, live: Checkpoint): Promise<void> {
  const noted = await readRetiring(input.readModels);
  const retired = noted.filter(({ name, version }) => live.live[name] !== version);
  if (retired.length === 0) return;
  const isOver = ({ view, storage }: ParkedStream): boolean =>
    retired.some(({ name, version }) => name === view && version === storage);
  await unpark(input, isOver, live);
}

async function unparking(
  readModels: ReadModels,
  isOver: (parked: ParkedStream) => boolean,
  position: string,
): Promise<readonly DocumentWrite[]> {
  const parked = await readParked(readModels);
  const ids = [...parked].filter(([, stream]) => isOver(stream)).map(([id]) => id);
  const standing = await readModels.load(parkedView, ids);
  return ids.map((id) => ({
    view: parkedView,
    id,
    document: null,
    position,
    loaded: standing.get(id)?.position ?? null,
  }));
}

export async function dropAll(
  { readModels, check }: Pick<Retiring, 'readModels' | 'check'>,
  views: readonly StoredView[],
): Promise<void> {
  for (const view of views) {
    check();
    await readModels.drop(view);
  }
}
