/** How far the last complete verification of an embedded log came, kept with the views: the next start goes on from there. */
import type { ChainHead } from '../eventstore/chain.js';
import type { ReadModelReader, ReadModels, View } from '../readmodels/read-models.js';

const verifiedView: View = { name: 'verified', version: 1, indexes: [] };
const checkpointName = 'verified';
const id = 'head';

type VerifiedHead = Pick<ChainHead, 'count' | 'head'>;

/** Undefined where none is kept, or it is another log's. @throws ReadModelsUnavailableError */
export async function readVerifiedHead(
  readModels: Pick<ReadModelReader, 'checkpoint' | 'get'>,
  logId: string,
): Promise<ChainHead | undefined> {
  const checkpoint = await readModels.checkpoint(checkpointName);
  if (checkpoint?.logId !== logId) return undefined;
  const stored = await readModels.get<VerifiedHead>(verifiedView, id);
  return stored && { ...stored.document, position: checkpoint.position };
}

interface CompleteVerification extends ChainHead {
  readonly logId: string;
  readonly eventId: string;
}

/** @throws ReadModelsUnavailableError @throws CommitConflictError */
export async function keepVerifiedHead(
  readModels: ReadModels,
  { count, head, position, logId, eventId }: CompleteVerification,
): Promise<void> {
  await readModels.prepare(verifiedView);
  const previous = await readModels.checkpoint(checkpointName);
  const stored = await readModels.load(verifiedView, [id]);
  const document: VerifiedHead = { count, head };
  await readModels.commit({
    writes: [{ view: verifiedView, id, document, position, loaded: stored.get(id)?.position ?? null }],
    checkpoint: { name: checkpointName, previous, next: { logId, position, eventId, storages: {} } },
  });
}
