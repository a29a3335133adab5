/** Composition root of the thread that verifies the embedded log at the start, off the HTTP thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { verifyLog, type Verification } from '../evidence/verify.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';

/** What the main thread hears, once. */
export type FromVerifier =
  | { readonly type: 'verified'; readonly result: Verification }
  /** The log could not be read to its end. */
  | { readonly type: 'failed'; readonly message: string };

const main = parentPort;
if (main === null) throw new Error('evidence-worker runs as a worker thread only');
const { file, until } = z.object({ file: z.string(), until: z.string() }).parse(workerData);

const tell = (message: FromVerifier): void => main.postMessage(message);
try {
  const source = openSqliteEventReader({ file, pollMs: 0 });
  tell({ type: 'verified', result: await verifyLog({ source, until, depth: 'chain' }) });
  await source.close();
} catch (error) {
  tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
}
