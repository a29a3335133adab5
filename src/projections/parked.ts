/** The system view `parked`: streams that a view no longer folds because an event of theirs could not be. Only a rebuild takes them up again. */
import type { ReadModelReader, View } from '../readmodels/read-models.js';

export type ParkedStream = {
  readonly view: string;
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

/** All parked streams by id. */
export async function readParked(readModels: ReadModelReader): Promise<ReadonlyMap<string, ParkedStream>> {
  const parked = new Map<string, ParkedStream>();
  let cursor: string | undefined;
  do {
    const page = await readModels.find<ParkedStream>(parkedView, {
      limit: 1_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { id, document } of page.documents) parked.set(id, document);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return parked;
}
