/** The standard variables of OpenTelemetry, as its specification has them. */
import { describe, expect, test } from 'vitest';
import { readTraceVariables } from '../../src/traces/variables.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const settingsOf = (environment: Record<string, string>) =>
  readTraceVariables({ ...endpoint, ...environment }).settings;

describe('where traces go', () => {
  test.each([
    ['http://collector:4318', 'http://collector:4318/v1/traces'],
    ['http://collector:4318/', 'http://collector:4318/v1/traces'],
    ['https://example.com/otlp/', 'https://example.com/otlp/v1/traces'],
  ])('%s for all that is told: %s', (url, to) => {
    expect(readTraceVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: url }).settings?.url).toBe(to);
  });

  test('an address for traces is taken as it is, and comes before the general one', () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/here' };
    expect(readTraceVariables(own).settings?.url).toBe('http://traces:4318/here');
    expect(settingsOf(own)?.url).toBe('http://traces:4318/here');
  });

  test.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_TRACES_SAMPLER: 'always_on', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...endpoint, OTEL_SDK_DISABLED: 'True' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ])('nowhere: %j', (environment) => {
    expect(readTraceVariables(environment)).toEqual({ settings: undefined, ignored: [] });
  });
});

test('an address that is none is named, and no traces are made', () => {
  const { settings, ignored } = readTraceVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' });
  expect(settings).toBeUndefined();
  expect(ignored).toEqual(['OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://']);
});

test.each([
  [undefined, undefined, { share: 1, asksParent: true }],
  ['always_on', undefined, { share: 1, asksParent: false }],
  ['always_off', undefined, { share: 0, asksParent: false }],
  ['traceidratio', '0.25', { share: 0.25, asksParent: false }],
  ['traceidratio', undefined, { share: 1, asksParent: false }],
  ['parentbased_always_on', '0.25', { share: 1, asksParent: true }],
  ['parentbased_always_off', undefined, { share: 0, asksParent: true }],
  ['ParentBased_TraceIdRatio', '0.01', { share: 0.01, asksParent: true }],
])('the sampler %s with the argument %s', (name = '', argument = '', sampler) => {
  expect(settingsOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument })?.sampler).toEqual(sampler);
});

test.each([
  ['tracecontext,baggage', true],
  ['baggage, TraceContext', true],
  ['baggage', false],
  ['none', false],
])('with the propagators %s a trace of a caller is gone on with: %s', (names, goesOn) => {
  expect(settingsOf({ OTEL_PROPAGATORS: names })?.goesOn).toBe(goesOn);
});

test('batches: the defaults of the specification, and no batch is larger than what may wait', () => {
  expect(settingsOf({})?.batches).toEqual({
    maxQueueSize: 2_048,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 5_000,
    exportTimeoutMillis: 30_000,
  });
  expect(settingsOf({ OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_SCHEDULE_DELAY: '0' })?.batches).toMatchObject({
    maxQueueSize: 100,
    maxExportBatchSize: 100,
    scheduledDelayMillis: 0,
  });
});

test('what is not understood is named without its value, and its default holds', () => {
  const { settings, ignored } = readTraceVariables({
    ...endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:secret@4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '10%',
    OTEL_PROPAGATORS: 'b3,xray',
    OTEL_BSP_MAX_QUEUE_SIZE: 'many',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem',
  });
  expect(settings).toEqual(settingsOf({}));
  expect(ignored.map((line) => line.split(' ')[0]).sort()).toEqual([
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_EXPORTER_OTLP_CERTIFICATE',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_PROPAGATORS',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ]);
  expect(ignored.join()).not.toMatch(/secret|jaeger_remote|10%|xray/);
});
