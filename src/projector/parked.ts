/** The system view `parked`: streams that a view no longer folds because one of their events could not be folded. Only a rebuild folds them again. */
import type { DocumentWrite, ReadModelReader, ReadModels, View } from '../readmodels/read-models.js';
import { everyPage } from '../projections/every-page.js';

export type ParkedStream = {
  readonly view: string;
  /** Storage version that was not folded on: tells whether an old storage parked the stream or the live one. */
  readonly storage?: number;
  readonly stream: string;
  readonly position: string;
  readonly event_id: string;
  readonly event_type: string;
  /** Without personal data. */
  readonly reason: string;
};

export const parkedView: View = { name: 'parked', version: 1, indexes: [] };

export const parkedId = (view: string, stream: string): string => `${view}/${stream}`;

export const withParked = (
  parked: ReadonlyMap<string, ParkedStream>,
  more: readonly ParkedStream[],
): ReadonlyMap<string, ParkedStream> =>
  more.length === 0
    ? parked
    : new Map([...parked, ...more.map((one): [string, ParkedStream] => [parkedId(one.view, one.stream), one])]);

export async function readParked(readModels: ReadModelReader): Promise<ReadonlyMap<string, ParkedStream>> {
  const parked = new Map<string, ParkedStream>();
  for await (const page of everyPage<ParkedStream>(readModels, parkedView))
    for (const { id, document } of page) parked.set(id, document);
  return parked;
}

/** Where a stream was parked, folded again by a rebuild and is parked once more, writes over the tombstone. */
export async function overTombstones(
  readModels: Pick<ReadModels, 'load'>,
  writes: readonly DocumentWrite[],
): Promise<readonly DocumentWrite[]> {
  const ids = writes.filter(({ view }) => view === parkedView).map(({ id }) => id);
  if (ids.length === 0) return writes;
  const stored = await readModels.load(parkedView, ids);
  return writes.map((write) =>
    write.view === parkedView ? { ...write, loaded: stored.get(write.id)?.position ?? null } : write,
  );
}
