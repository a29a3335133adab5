/** Reads states at each scrape. A new state is one entry of a list. */
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { within } from '../flow/abort.js';

type Labels = Readonly<Record<string, string>>;
/** One value, or one for each set of labels. Undefined: another process knows it. */
type State = number | boolean | readonly (readonly [Labels, number])[] | undefined;

export interface StateMetric<Sources> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** It never falls while the process runs. */
  readonly isCounter?: true;
  /** Where it fails, or takes too long, the metric is left out. */
  read(sources: Sources): State | Promise<State>;
}

/** The most milliseconds that a scrape waits for a state, because a store that does not answer must not take away the other metrics. */
const longestRead = 1_000;

export function watchStates<Sources>(
  registry: Registry,
  metrics: readonly StateMetric<Sources>[],
  sources: Sources,
): void {
  for (const { name, help, labels = [], isCounter, read } of metrics) {
    const configuration = { name, help, labelNames: labels, registers: [registry] };
    const metric = isCounter ? new Counter(configuration) : new Gauge(configuration);
    Object.assign(metric, {
      async collect() {
        const state = await inTime(async () => await read(sources));
        metric.reset();
        if (typeof state === 'object') for (const [of, value] of state) metric.inc(of, value);
        else if (state === undefined) metric.remove();
        else metric.inc(Number(state));
      },
    });
  }
}

async function inTime(read: () => Promise<State>): Promise<State> {
  try {
    return await within(longestRead, read(), () => undefined);
  } catch {
    return undefined;
  }
}

/** How often each value occurs, under the label of this name. */
export function countedBy(label: string, values: readonly string[]): readonly (readonly [Labels, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => [{ [label]: value }, count]);
}

/** A number for each name of an object. */
export const eachOf = (
  label: string,
  numbers: Readonly<Record<string, number>>,
): readonly (readonly [Labels, number])[] => Object.entries(numbers).map(([name, value]) => [{ [label]: name }, value]);

/** The value is asked for again when it is older than this. One that fails is asked for at the next call. */
export function cached<Value>(milliseconds: number, read: () => Promise<Value>): () => Promise<Value> {
  let last: { readonly at: number; readonly value: Promise<Value> } | undefined;
  return () => {
    const now = performance.now();
    if (last !== undefined && now - last.at < milliseconds) return last.value;
    const value = read();
    last = { at: now, value };
    value.catch(() => (last = undefined));
    return value;
  };
}
