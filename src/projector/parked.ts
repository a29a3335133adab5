/** The system view `parked`: streams that a view no longer folds because an event of theirs could not be. Only a rebuild takes them up again. */
import type { DocumentWrite, ReadModelReader, ReadModels, View } from '../readmodels/read-models.js';
import { everyPage } from '../projections/every-page.js';

export type ParkedStream = {
  readonly view: string;
  /**
   * Storage version that was not folded on. Absent in what was parked before this was written down: then nothing tells
   * whether a retired storage parked it or the one that is live, so no start takes it up after a crash between a switch
   * and its unparking. The next rebuild of the view does.
   */
  readonly storage?: number;
  readonly stream: string;
  /** Of the event that could not be folded. */
  readonly position: string;
  readonly event_id: string;
  readonly event_type: string;
  /** Without personal data. */
  readonly reason: string;
};

export const parkedView: View = { name: 'parked', version: 1, indexes: [{ fields: ['view'] }] };

export const parkedId = (view: string, stream: string): string => `${view}/${stream}`;

/** By id, as `readParked` answers. */
export const withParked = (
  parked: ReadonlyMap<string, ParkedStream>,
  more: readonly ParkedStream[],
): ReadonlyMap<string, ParkedStream> =>
  new Map([...parked, ...more.map((one): [string, ParkedStream] => [parkedId(one.view, one.stream), one])]);

/** All parked streams by id. */
export async function readParked(readModels: ReadModelReader): Promise<ReadonlyMap<string, ParkedStream>> {
  const parked = new Map<string, ParkedStream>();
  for await (const page of everyPage<ParkedStream>(readModels, parkedView))
    for (const { id, document } of page) parked.set(id, document);
  return parked;
}

/** A stream that was parked, taken up by a rebuild and is parked again: its tombstone is written over. */
export async function overTombstones(
  readModels: Pick<ReadModels, 'load'>,
  writes: readonly DocumentWrite[],
): Promise<readonly DocumentWrite[]> {
  const ids = writes.filter(({ view }) => view === parkedView).map(({ id }) => id);
  if (ids.length === 0) return writes;
  const standing = await readModels.load(parkedView, ids);
  return writes.map((write) =>
    write.view === parkedView ? { ...write, loaded: standing.get(write.id)?.position ?? null } : write,
  );
}
