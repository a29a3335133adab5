/** Where spans go: to the collector in batches, which neither blocks nor ends anything when it is slow, refuses or is not there. */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { TraceSettings } from './variables.js';

/** What the last spans get when the service ends. */
const flushTimeoutMs = 2_000;
/** What a collector gets that is only tried. */
const trialMs = 3_000;

export interface ExportingOptions {
  readonly settings: TraceSettings;
  readonly version: string;
  /** Names this start among the processes of the service. */
  readonly instance: string;
  /** Writes a line of the log. */
  readonly say: (level: 'info' | 'warn', about: object, message: string) => void;
}

/** Nothing of it is registered for the whole process. */
export function openExporting({ settings, version, instance, say }: ExportingOptions) {
  const { url, sampler, batches } = settings;
  // All that may wait can be sent at the end, and one batch may be on its way then.
  const concurrencyLimit = Math.ceil(batches.maxQueueSize / batches.maxExportBatchSize) + 1;
  const exporter = tellingFaults(new OTLPTraceExporter({ url, concurrencyLimit }), say);
  const own = { 'service.name': 'audience-ledger', 'service.version': version, 'service.instance.id': instance };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batches })],
  });
  return {
    tracer: provider.getTracer('audience-ledger', version),
    /** Sends what waits, within a bound. Never rejects. */
    async close(): Promise<void> {
      let handle: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => (handle = setTimeout(resolve, flushTimeoutMs)));
      // What could not be sent was said by the exporter.
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
      clearTimeout(handle);
    },
  };
}

/** It is given no span. Undefined: it takes them. */
export const refusalOfCollector = ({ url }: TraceSettings): Promise<string | number | undefined> =>
  new Promise((resolve) =>
    new OTLPTraceExporter({ url, timeoutMillis: trialMs }).export([], ({ code, error }) =>
      resolve(code === ExportResultCode.SUCCESS ? undefined : reasonOf(error)),
    ),
  );

function samplerOf({ share, asksParent }: TraceSettings['sampler']): Sampler {
  const root = new TraceIdRatioBasedSampler(share);
  return asksParent ? new ParentBasedSampler({ root }) : root;
}

/** One line when it begins to fail, and one when it goes well again. */
function tellingFaults(exporter: SpanExporter, say: ExportingOptions['say']): SpanExporter {
  let lost = 0;

  function note({ code, error }: ExportResult, spans: number): void {
    if (code === ExportResultCode.SUCCESS) {
      if (lost > 0) say('info', { spans: lost }, 'traces are sent again; these spans were lost');
      lost = 0;
      return;
    }
    if (lost === 0) say('warn', { reason: reasonOf(error) }, 'traces cannot be sent to the collector');
    lost += spans;
  }

  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result, spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** A code of Node, a status of HTTP, or the words of the exporter. */
function reasonOf(error: Error | undefined): string | number {
  const code: unknown = error !== undefined && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : (error?.message ?? 'unknown');
}
