/** The standard variables of OpenTelemetry: the values that are understood, and those that are reported as wrong. */
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { checkTraceVariables } from '../../src/traces/variables.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const nothingWrong = new Map();

test.each([
  endpoint,
  { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces:4318/here' },
  { ...endpoint, OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' },
])('traces are made with %j', (environment) => {
  expect(checkTraceVariables(environment)).toEqual({ isOn: true, wrong: nothingWrong });
});

test('traces go to the general endpoint if the endpoint for traces is wrong', () => {
  const { isOn, wrong } = checkTraceVariables({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4317' });
  expect(isOn).toBe(true);
  expect([...wrong.keys()]).toEqual(['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
});

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_TRACES_SAMPLER: 'always_on', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { ...endpoint, OTEL_SDK_DISABLED: 'True' },
  { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
])('no traces are made with %j, and nothing is reported as wrong', (environment) => {
  expect(checkTraceVariables(environment)).toEqual({ isOn: false, wrong: nothingWrong });
});

test('no traces are made if the only endpoint is not an address, which is reported', () => {
  const { isOn, wrong } = checkTraceVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' });
  expect(isOn).toBe(false);
  expect(wrong).toEqual(
    new Map([['OTEL_EXPORTER_OTLP_ENDPOINT', 'must be an address that begins with http:// or https://']]),
  );
});

test.each([
  { OTEL_TRACES_SAMPLER: 'ParentBased_TraceIdRatio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
  { OTEL_PROPAGATORS: 'baggage, TraceContext' },
  { OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=shop%2Ccorner, empty=,' },
  { OTEL_BSP_SCHEDULE_DELAY: '0', OTEL_BSP_MAX_QUEUE_SIZE: ' 100 ' },
  { OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
])('%j is understood', (environment) => {
  expect(checkTraceVariables({ ...endpoint, ...environment }).wrong).toEqual(nothingWrong);
});

test.each(['a=b=c', 'token', '=secret', 'token=%zz', `token=${'a'.repeat(256)}`])(
  'resource attributes that the SDK would drop without a word are reported: %s',
  (pair) => {
    const { wrong } = checkTraceVariables({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: `service.namespace=shop,${pair}` });
    expect([...wrong.keys()]).toEqual(['OTEL_RESOURCE_ATTRIBUTES']);
  },
);

test('a folder in place of a certificate is reported', () => {
  const { wrong } = checkTraceVariables({ ...endpoint, OTEL_EXPORTER_OTLP_CERTIFICATE: tmpdir() });
  expect([...wrong.keys()]).toEqual(['OTEL_EXPORTER_OTLP_CERTIFICATE']);
});

test('each wrong variable is reported by name, without its value', () => {
  const { isOn, wrong } = checkTraceVariables({
    ...endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:secret@4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TIMEOUT: '0',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '10%',
    OTEL_PROPAGATORS: 'b3,xray',
    OTEL_BSP_MAX_QUEUE_SIZE: 'many',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem',
  });
  expect(isOn).toBe(true);
  expect([...wrong.keys()].sort()).toEqual([
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_EXPORTER_OTLP_CERTIFICATE',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_EXPORTER_OTLP_TIMEOUT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_PROPAGATORS',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
  ]);
  expect([...wrong.values()].join()).not.toMatch(/secret|jaeger_remote|10%|xray/);
});
