/** How far the last complete verification of an embedded log came, kept with the views: the next start goes on from there. */
import type { ChainHead } from '../eventstore/chain.js';
import type { ReadModelReader, ReadModels } from '../readmodels/read-models.js';

const name = 'verified';

/** Undefined where none is kept, or it is another log's. @throws ReadModelsUnavailableError */
export async function readVerifiedHead(
  readModels: Pick<ReadModelReader, 'checkpoint'>,
  logId: string,
): Promise<ChainHead | undefined> {
  const found = await readModels.checkpoint(name);
  const count = found?.storages['events'];
  if (found?.logId !== logId || count === undefined) return undefined;
  return { count, head: found.eventId, position: found.position };
}

/** The event is known by its link rather than by its id. @throws ReadModelsUnavailableError @throws CommitConflictError */
export async function keepVerifiedHead(
  readModels: ReadModels,
  { count, head, position, logId }: ChainHead & { readonly logId: string },
): Promise<void> {
  const previous = await readModels.checkpoint(name);
  const next = { logId, position, eventId: head, storages: { events: count } };
  await readModels.commit({ writes: [], checkpoint: { name, previous, next } });
}
