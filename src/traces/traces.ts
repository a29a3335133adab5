/** The traces of a process. Loaded only if a collector is named, so that OpenTelemetry is not loaded otherwise. */
import type { Follow, Listener } from '../flow/observe.js';
import { followCommands } from './commands.js';
import { openExporting, type ExportingOptions } from './exporting.js';
import { followRequests } from './requests.js';
import { createShown } from './shown.js';
import { createUnderWay } from './under-way.js';
import { followWork, noteAttempts } from './work.js';

export type Traces = ReturnType<typeof openTraces>;

interface TracesOptions extends ExportingOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

export function openTraces(options: TracesOptions) {
  const { tracer, continuesTraces, close } = openExporting(options);
  const underWay = createUnderWay();
  const shown = createShown(tracer);
  return {
    begin: {
      request: followRequests({ tracer, underWay, continuesTraces }),
      ...followCommands({ tracer, underWay, shown }),
      ...followWork({ ...options, tracer, underWay }),
    } satisfies Follow,
    listener: { ...noteAttempts({ underWay }), shown: shown.onShown } satisfies Listener,
    /** Returns the id of the trace that is under way, for log lines. */
    traceId: (): string | undefined => underWay.current()?.span?.spanContext().traceId,
    close,
  };
}
