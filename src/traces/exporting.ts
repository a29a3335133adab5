/** Sends spans to the collector in batches. A collector that is slow, refuses or is absent neither blocks nor stops the service. */
import {
  ExportResultCode,
  getNumberFromEnv,
  getStringFromEnv,
  getStringListFromEnv,
  type ExportResult,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { within } from '../flow/abort.js';

/** Milliseconds for sending the last spans when the service ends. */
const flushTimeoutMs = 2_000;
/** Milliseconds for the answer of a collector that is only tried. */
const trialMs = 3_000;

export interface ExportingOptions {
  readonly version: string;
  /** Names this start among the processes of the service. */
  readonly instance: string;
  /** Writes a line of the log. */
  readonly say: (level: 'info' | 'warn', about: object, message: string) => void;
}

/** Opens the exporter and the tracer as the environment says. Registers nothing for the whole process. */
export function openExporting({ version, instance, say }: ExportingOptions) {
  // No limit, because the queue bounds the posts under way, and all waiting spans may be sent at once at the end.
  const exporter = tellingFaults(new OTLPTraceExporter({ concurrencyLimit: Infinity }), say);
  const own = { 'service.name': 'audience-ledger', 'service.version': version, 'service.instance.id': instance };
  const provider = new TracerProvider({
    // Add only what the operator names, because detectors of the host and the process would reveal host names, owners and arguments.
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(detectResources({ detectors: [serviceNameEnvDetector] })),
    sampler: samplerFromEnv(),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchesFromEnv() })],
  });
  const propagators = getStringListFromEnv('OTEL_PROPAGATORS')?.map((name) => name.toLowerCase());
  return {
    tracer: provider.getTracer('audience-ledger', version),
    /** Whether a request continues the trace of its caller. */
    continuesTraces: propagators?.includes('tracecontext') ?? true,
    /** Sends what waits, within a bound. Never rejects. */
    async close(): Promise<void> {
      // The exporter has already reported what could not be sent.
      const sent = provider.shutdown().catch(() => undefined);
      await within(flushTimeoutMs, sent, () => undefined);
    },
  };
}

/** Tries the collector without any spans. Resolves with the reason of a refusal, or undefined if the collector takes spans. */
export const refusalOfCollector = (): Promise<string | number | undefined> =>
  new Promise((resolve) =>
    new OTLPTraceExporter({ timeoutMillis: trialMs }).export([], ({ code, error }) =>
      resolve(code === ExportResultCode.SUCCESS ? undefined : reasonOf(error)),
    ),
  );

/** Returns the options of the batch processor that variables set. The processor has defaults for the others. */
const batchesFromEnv = (): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [
      ['maxQueueSize', 'OTEL_BSP_MAX_QUEUE_SIZE'] as const,
      ['maxExportBatchSize', 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'] as const,
      ['scheduledDelayMillis', 'OTEL_BSP_SCHEDULE_DELAY'] as const,
      ['exportTimeoutMillis', 'OTEL_BSP_EXPORT_TIMEOUT'] as const,
    ].flatMap(([option, name]) => {
      const value = getNumberFromEnv(name);
      return value === undefined ? [] : [[option, value]];
    }),
  );

/**
 * Returns the sampler that the variables name. In the SDK, only `@opentelemetry/sdk-node` reads the variables of samplers and
 * batches. That package takes 41 MB with its dependencies, and registers itself for the whole process.
 */
function samplerFromEnv(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER')?.trim().toLowerCase() ?? 'parentbased_always_on';
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1;
  const root = new TraceIdRatioBasedSampler(name.endsWith('traceidratio') ? ratio : Number(name.endsWith('always_on')));
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
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
