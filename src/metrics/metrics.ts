/** The metrics of a process: one registry in its main thread. It listens to what the service does, and asks for states when the metrics are read. */
import { Registry } from '@prometheus-io/client';
import { createSerialQueue } from '../flow/serial.js';
import type { Listener } from '../flow/observe.js';
import { countCommands } from './commands.js';
import { countCommits } from './log.js';
import { countMail, mailStates, type MailSources } from './mail.js';
import { watchProcess } from './process.js';
import { countRequests } from './requests.js';
import { serviceStates, type ServiceSources } from './service.js';
import { watchStates } from './states.js';
import { countRoundTrips } from './stores.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** The form that is asked for. */
export type MetricsForm = 'prometheus' | 'openmetrics';

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

/** Before anything is opened. */
export function createMetrics() {
  const registry = new Registry();
  const close = watchProcess(registry);
  return {
    listener: {
      request: countRequests(registry),
      ...countCommands(registry),
      ...countMail(registry),
      commit: countCommits(registry),
      roundTrip: countRoundTrips(registry),
    } satisfies Listener,
    /** Called once, when the service is put together. */
    watch(sources: ServiceSources & MailSources): void {
      watchStates(registry, serviceStates, sources);
      watchStates(registry, mailStates(sources), sources);
    },
    read: createReader(registry),
    close,
  };
}

/** One reader after the other: the registry has one form at a time. */
function createReader(registry: Registry): (form: MetricsForm) => Promise<MetricsText> {
  const names = new WeakMap<object, string>();
  const queue = createSerialQueue();

  async function read(form: MetricsForm): Promise<MetricsText> {
    // The library takes `_total` from the names of counters when it writes OpenMetrics, and never puts it back.
    for (const metric of registry.getMetricsAsArray()) {
      metric.name = names.get(metric) ?? metric.name;
      names.set(metric, metric.name);
    }
    const contentType = form === 'prometheus' ? Registry.PROMETHEUS_CONTENT_TYPE : Registry.OPENMETRICS_CONTENT_TYPE;
    registry.setContentType(contentType);
    return { contentType, text: await registry.metrics() };
  }

  return (form) => queue.run(() => read(form));
}
