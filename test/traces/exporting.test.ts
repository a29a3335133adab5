/** The effect of the variables that the SDK reads: where spans go, which spans are sampled, and in which batches they are posted. */
import { ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openExporting } from '../../src/traces/exporting.js';
import { openCollector } from '../support/collector.js';

afterEach(() => void vi.unstubAllEnvs());

type Environment = Readonly<Record<string, string>>;

function exporting(environment: Environment = {}) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return openExporting({ version: '1.2.3', instance: 'one', say: () => undefined });
}

async function collecting(environmentOf: (url: string) => Environment) {
  const collector = await openCollector();
  onTestFinished(() => collector.close());
  return { collector, ...exporting(environmentOf(collector.url)) };
}

/** The context of a request whose caller has a trace. */
const calledBy = (traceFlags: TraceFlags) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', traceFlags, isRemote: true },
  });

describe('the exporter', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '', '/v1/traces'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '/', '/v1/traces'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '/otlp/', '/otlp/v1/traces'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/here', '/here'],
  ])('spans for %s with the path %j are posted to %s', async (name, path, to) => {
    const { collector, tracer, close } = await collecting((url) => ({ [name]: url + path }));
    tracer.startSpan('span').end();
    await close();
    expect(collector.requests.map((request) => request.path)).toEqual([to]);
  });

  test('spans are posted in batches of the configured size, and all of them at the end', async () => {
    const { collector, tracer, close } = await collecting((url) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
    }));
    for (let count = 0; count < 35; count += 1) tracer.startSpan(`span ${count}`).end();
    await close();
    // More posts at once than the exporter allows by default.
    expect(collector.requests).toHaveLength(35);
    expect(collector.spans).toHaveLength(35);
  });
});

describe('the sampler', () => {
  test.each([
    [undefined, undefined, { root: true, sampled: true, unsampled: false }],
    ['always_on', undefined, { root: true, sampled: true, unsampled: true }],
    ['always_off', undefined, { root: false, sampled: false, unsampled: false }],
    ['traceidratio', undefined, { root: true, sampled: true, unsampled: true }],
    ['traceidratio', '0', { root: false, sampled: false, unsampled: false }],
    ['parentbased_always_on', '0', { root: true, sampled: true, unsampled: false }],
    ['parentbased_always_off', '1', { root: false, sampled: true, unsampled: false }],
    ['ParentBased_TraceIdRatio', '0', { root: false, sampled: true, unsampled: false }],
  ])('the sampler %s with the argument %s records the right spans', async (name = '', argument = '', expected) => {
    const { tracer, close } = exporting({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });
    const isRecorded = (context = ROOT_CONTEXT): boolean => tracer.startSpan('span', {}, context).isRecording();
    expect({
      root: isRecorded(),
      sampled: isRecorded(calledBy(TraceFlags.SAMPLED)),
      unsampled: isRecorded(calledBy(TraceFlags.NONE)),
    }).toEqual(expected);
    await close();
  });

  test('the sampler records about the configured share of traces', async () => {
    const { tracer, close } = exporting({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' });
    const recorded = Array.from({ length: 4_000 }, () => tracer.startSpan('span')).filter((span) => span.isRecording());
    // Seven standard deviations.
    expect(Math.abs(recorded.length - 1_000)).toBeLessThan(200);
    await close();
  });
});

test.each([
  [undefined, true],
  ['tracecontext,baggage', true],
  ['baggage, TraceContext', true],
  ['baggage', false],
  ['none', false],
])('with the propagators %s the trace of a caller is continued: %s', async (names = '', continuesTraces) => {
  const opened = exporting({ OTEL_PROPAGATORS: names });
  expect(opened.continuesTraces).toBe(continuesTraces);
  await opened.close();
});

test('the resource has the attributes that variables name, and none of the host or the process', async () => {
  const { collector, tracer, close } = await collecting((url) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20test,service.name=other',
    OTEL_SERVICE_NAME: 'audience',
    OTEL_NODE_RESOURCE_DETECTORS: 'all',
  }));
  tracer.startSpan('span').end();
  await close();
  expect(collector.spans.map(({ resource }) => resource)).toEqual([
    {
      'service.name': 'audience',
      'service.version': '1.2.3',
      'service.instance.id': 'one',
      'deployment.environment.name': 'a test',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
    },
  ]);
});
