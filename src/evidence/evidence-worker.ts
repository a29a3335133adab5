/** Composition root of the thread that verifies the embedded log: at the start first its tail, then the whole; later what came since. */
import { readLogId } from '../eventstore/log-id.js';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import type { ChainHead } from '../eventstore/chain.js';
import { openSqliteEventReader, type SqliteEventReader } from '../eventstore/sqlite/reader.js';
import { keepVerifiedHead, readVerifiedHead } from './verified-head.js';
import type { Difference } from './verify-difference.js';
import { outcomeOf, verifyOn, verifyTail, type VerificationOutcome } from './verify-on.js';
import { verifyLog, type Verification } from './verify.js';
import { openReadModels, longBusyTimeoutMs, storeSettings } from '../stores/stores.js';

/** Messages to the main thread: first the result of the tail, then of the whole log; none after a difference or a failure. */
export type FromVerifier =
  | { readonly type: 'tail'; readonly difference: Difference | undefined }
  | ({ readonly type: 'whole' } & VerificationOutcome)
  | { readonly type: 'failed'; readonly message: string };

const chainHead = z.object({ count: z.number(), head: z.string(), position: z.string() });

/** What the thread is started with; `until` is where the log ended then. */
const verifierData = z.object({
  file: z.string(),
  until: chainHead,
  since: z.object({ verified: chainHead, headKey: z.instanceof(Uint8Array) }).optional(),
  views: storeSettings.shape.views,
});

const main = parentPort;
if (main === null) throw new Error('evidence-worker runs as a worker thread only');
const { file, until, since, views } = verifierData.parse(workerData);
const tell = (message: FromVerifier): void => main.postMessage(message);

try {
  const source = openSqliteEventReader({ file, pollMs: 0 });
  if (since === undefined) await verifyWhole(source);
  else tell({ type: 'whole', ...(await verifyOn({ log: source, source, since })) });
  await source.close();
} catch (error) {
  tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
}

async function verifyWhole(source: SqliteEventReader): Promise<void> {
  const verified = await verifiedBefore(await readLogId(source));
  tell({ type: 'tail', difference: await verifyTail({ source, until, verified }) });
  const result = await verifyLog({ source, until: until.position, depth: 'chain' });
  tell({ type: 'whole', ...outcomeOf(result) });
  if (result.intact) await keep(result);
}

/** The views may be missing, damaged or out of reach: then more is verified. */
async function verifiedBefore(logId: string | undefined): Promise<ChainHead | undefined> {
  try {
    const models = await openReadModels(views, { readOnly: true });
    try {
      return logId === undefined ? undefined : await readVerifiedHead(models, logId);
    } finally {
      await models.close();
    }
  } catch {
    return undefined;
  }
}

/** If this fails, the next start verifies more before it serves. */
async function keep({ count, head, position, log_id: logId }: Verification): Promise<void> {
  if (logId === null) return;
  try {
    const models = await openReadModels(views, { busyTimeout: longBusyTimeoutMs });
    try {
      await keepVerifiedHead(models, { count, head, position, logId });
    } finally {
      await models.close();
    }
  } catch {
    return;
  }
}
