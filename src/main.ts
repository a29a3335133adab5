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

const { runService } = await import('./app/run-service.js');
await runService(stopping.signal);
