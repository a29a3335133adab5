/** Checks the standard variables of OpenTelemetry, and tries the collector with an empty request. */
import { checkTraceVariables } from '../traces/variables.js';
import { green, yellow, type Diagnosis } from './diagnosis.js';
import type { Patient } from './patient.js';

/** Returns undefined if the configuration asks for no traces. */
export async function checkCollector({ env, signal }: Patient): Promise<Diagnosis | undefined> {
  const { isOn, wrong } = checkTraceVariables(env);
  if (wrong.size > 0)
    return yellow(
      `not understood, and ignored: ${[...wrong].map(([name, fault]) => `${name} ${fault}`).join('; ')}`,
      'Correct what is named, as in "Traces" of docs/operations.md.',
    );
  if (!isOn) return undefined;
  const { refusalOfCollector } = await import('../traces/exporting.js');
  const refusal = await refusalOfCollector();
  signal.throwIfAborted();
  if (refusal === undefined) return green('the collector takes traces');
  return yellow(
    `the collector takes no traces: ${refusal}`,
    'See that OTEL_EXPORTER_OTLP_ENDPOINT names a collector that speaks OTLP over HTTP, and that it runs: traces are lost meanwhile, and nothing else.',
  );
}
