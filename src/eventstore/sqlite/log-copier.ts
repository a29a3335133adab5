/** The process that copies the embedded log: from, to. It ends with the process that started it, whose end closes its standard input: else a copy that nobody waits for would go on to fill the disk. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { vacuumInto } from './log-copy.js';

if (isMainThread) watch();
else parentPort?.postMessage(vacuumInto(...(workerData as [string, string])));

function watch(): void {
  const [file = '', to = ''] = process.argv.slice(2);
  process.stdin.once('end', () => process.kill(process.pid, 'SIGKILL')).resume();
  // The statement holds up its thread until the copy is made.
  new Worker(new URL(import.meta.url), { workerData: [file, to] }).once('message', (fault: string | undefined) => {
    if (fault !== undefined) {
      process.stderr.write(fault);
      process.exitCode = 1;
    }
    process.stdin.destroy();
  });
}
