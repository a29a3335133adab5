/** The worker thread that reads a long embedded log back or verifies it. */
import { parentPort, workerData } from 'node:worker_threads';
import { doIntegrityJob, integrityJob, type FromIntegrityThread } from './integrity-jobs.js';

const main = parentPort;
if (main === null) throw new Error('integrity-worker runs as a worker thread only');
const tell = (message: FromIntegrityThread): void => main.postMessage(message);

try {
  tell(await doIntegrityJob(integrityJob.parse(workerData)));
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) });
}
