/** Whether traces get where they should: the standard variables of OpenTelemetry, and an empty request to the collector. */
import { readTraceVariables } from '../traces/variables.js';
import { green, yellow, type Diagnosis } from './diagnosis.js';
import type { Patient } from './patient.js';

/** Undefined: no traces are asked for. */
export async function checkCollector({ env, signal }: Patient): Promise<Diagnosis | undefined> {
  const { settings, ignored } = readTraceVariables(env);
  if (ignored.length > 0)
    return yellow(
      `not understood, and ignored: ${ignored.join('; ')}`,
      'Correct what is named, as in "Traces" of docs/operations.md.',
    );
  if (settings === undefined) return undefined;
  const { refusalOfCollector } = await import('../traces/exporting.js');
  const refusal = await refusalOfCollector(settings);
  signal.throwIfAborted();
  if (refusal === undefined) return green('the collector takes traces');
  return yellow(
    `the collector takes no traces: ${refusal}`,
    'See that OTEL_EXPORTER_OTLP_ENDPOINT names a collector that speaks OTLP over HTTP, and that it runs: traces are lost meanwhile, and nothing else.',
  );
}
