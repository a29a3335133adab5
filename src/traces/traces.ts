/** The traces of a process. Loaded only where they go somewhere: nothing of OpenTelemetry is otherwise. */
import { traceCommands } from './commands.js';
import { openExporting, type ExportingOptions } from './exporting.js';
import { traceRequests } from './requests.js';
import { createShown } from './shown.js';
import { createUnderWay } from './under-way.js';
import { traceWork } from './work.js';

export type Traces = ReturnType<typeof openTraces>;

interface TracesOptions extends ExportingOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

export function openTraces(options: TracesOptions) {
  const { tracer, close } = openExporting(options);
  const underWay = createUnderWay();
  const shown = createShown(tracer);
  const { goesOn } = options.settings;
  return {
    beginRequest: traceRequests({ tracer, underWay, goesOn }),
    ...traceCommands({ tracer, underWay, shown }),
    ...traceWork({ ...options, tracer, underWay }),
    onShown: shown.onShown,
    /** Of what is under way, for log lines. */
    traceId: (): string | undefined => underWay.current()?.span?.spanContext().traceId,
    close,
  };
}
