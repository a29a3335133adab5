/** The process of the service. Signals are handled before anything is loaded: process 1 of a container has no default for them. */
import { demandNode } from './app/node-version.js';

demandNode();
const stopping = new AbortController();
/** A signal to a terminal's process group comes twice, the second time from npm. */
const oneSignalMs = 500;
let firstAt: number | undefined;

for (const [signal, number] of [
  ['SIGTERM', 15],
  ['SIGINT', 2],
] as const)
  process.on(signal, () => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > oneSignalMs) process.exit(128 + number);
    stopping.abort(signal);
  });

/** npm gives a SIGTERM to the shell between, which ends and passes nothing on. */
if (process.env['npm_lifecycle_event'] !== undefined) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stopping.abort('SIGTERM');
  }, 500).unref();
}

const { runService } = await import('./app/run-service.js');
await runService(stopping.signal);
