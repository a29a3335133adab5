/** A thread that looks through one stretch of the embedded log. */
import { parentPort, workerData } from 'node:worker_threads';
import { proveStretch, type Stretch, type StretchProof } from './range.js';

/** What it says; `proof` ends it. */
export type FromProver =
  | { readonly type: 'count'; readonly events: number }
  | { readonly type: 'proof'; readonly proof: StretchProof | undefined };

const main = parentPort;
if (main === null) throw new Error('sqlite-proof-worker runs as a worker thread only');
const say = (message: FromProver): void => main.postMessage(message);
say({ type: 'proof', proof: proveStretch(workerData as Stretch, (events) => say({ type: 'count', events })) });
