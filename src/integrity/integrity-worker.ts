/** The worker thread that reads a long embedded log back or verifies it. */
import { parentPort, workerData } from 'node:worker_threads';
import { doIntegrityJob, integrityJob, type FromIntegrityThread, type ToIntegrityThread } from './integrity-jobs.js';

const main = parentPort;
if (main === null) throw new Error('integrity-worker runs as a worker thread only');
const urgent = new AbortController();
main.on('message', (message: ToIntegrityThread) => {
  if (message === 'urgent') urgent.abort();
});
// The thread ends with its job.
main.unref();
const tell = (message: FromIntegrityThread): void => main.postMessage(message);

try {
  tell(await doIntegrityJob(integrityJob.parse(workerData), { urgent: urgent.signal }));
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) });
}
