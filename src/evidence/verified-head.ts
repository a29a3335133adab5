/** How far the last complete verification of an embedded log came, noted beside the views: the next start goes on from there. */
import { z } from 'zod';
import type { ChainHead } from '../eventstore/chain.js';
import type { ReadModelReader, ReadModels } from '../readmodels/read-models.js';

const name = 'verified';

const verifiedHead = z.object({ log_id: z.string(), count: z.int().min(0), head: z.string(), position: z.string() });
type VerifiedHead = z.infer<typeof verifiedHead>;

/** Undefined where none is kept, or it is another log's. @throws ReadModelsUnavailableError */
export async function readVerifiedHead(
  readModels: Pick<ReadModelReader, 'readRecord' | 'checkpoint'>,
  logId: string,
): Promise<ChainHead | undefined> {
  const record = await readModels.readRecord(name);
  const found = record === null ? await keptByEarlierVersion(readModels) : verifiedHead.safeParse(record.value).data;
  if (found?.log_id !== logId) return undefined;
  const { count, head, position } = found;
  return { count, head, position };
}

/** In a checkpoint, with the link for the id of an event. */
async function keptByEarlierVersion(
  readModels: Pick<ReadModelReader, 'checkpoint'>,
): Promise<VerifiedHead | undefined> {
  const { logId: log_id, position, eventId: head, storages } = (await readModels.checkpoint(name)) ?? {};
  return verifiedHead.safeParse({ log_id, position, head, count: storages?.['events'] }).data;
}

/** Where somebody else has written it meanwhile, theirs stays. @throws ReadModelsUnavailableError */
export async function keepVerifiedHead(
  readModels: ReadModels,
  { count, head, position, logId }: ChainHead & { readonly logId: string },
): Promise<void> {
  const previous = (await readModels.readRecord(name))?.version ?? null;
  const value: VerifiedHead = { log_id: logId, count, head, position };
  await readModels.putRecord({ name, value, previous });
}
