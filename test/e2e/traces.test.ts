/** Traces of a running service, as a collector gets them: what hangs together, what is not in them, and what a collector that fails can do to the service. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveStreamKeys, deriveUnsubscribeKey } from '../../src/events/streams.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';
import { someAddress } from '../support/answers.js';
import { openCollector, type CollectedSpan, type Collector } from '../support/collector.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';

const secret = 'a secret of these tests, long enough for a key';
const [server, client] = [2, 3];

let collector: Collector;
let smtp: SmtpStandIn;
let service: Service;
let listId: string;

beforeAll(async () => {
  [collector, smtp] = await Promise.all([openCollector(), openSmtp(['accept'])]);
  service = await startService({
    env: {
      SECRET: secret,
      SMTP_URL: smtp.url,
      PUBLIC_URL: 'https://mail.example.com',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20a%3Ab',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
      OTEL_SERVICE_NAME: 'audience',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      // The SDK of OpenTelemetry for Node would look at the host and the process with it.
      OTEL_NODE_RESOURCE_DETECTORS: 'all',
    },
  });
  listId = await service.make('/v1/lists/create', { list_name: 'Gazette of Ada' }, 'list_id');
});
afterAll(async () => {
  await service.close();
  await Promise.all([collector.close(), smtp.close()]);
});

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
const createPath = (): string => `/v1/contacts/${listId}/create`;
const contact = (email = someAddress()) => ({ email, status: 'Subscribed', firstName: 'Wilhelmina' });

/** The first one that fits, once the collector has it. */
const collected = (fits: (span: CollectedSpan) => boolean, what: string): Promise<CollectedSpan> =>
  eventually(() => Promise.resolve(collector.spans.find(fits)), { within: 10_000, what });

const spansOf = (traceId: string): readonly CollectedSpan[] =>
  collector.spans.filter((span) => span.traceId === traceId);

/** A request with a trace of its own, and all of that trace once the views show what was written. */
async function traced(method: string, target: string, body?: object) {
  const [traceId, caller, requestId] = [hex(16), hex(8), hex(12)];
  const answer = await service.request(method, target, {
    body,
    headers: { traceparent: `00-${traceId}-${caller}-01`, 'x-request-id': requestId },
  });
  const isOfIt = (span: CollectedSpan): boolean => span.traceId === traceId;
  await collected((span) => isOfIt(span) && span.kind === server, 'the request');
  if (method === 'POST' && answer.status < 300)
    await collected((span) => isOfIt(span) && span.name === 'projection', 'what the views show');
  const spans = spansOf(traceId);
  const named = (name: string): CollectedSpan | undefined => spans.find((span) => span.name.startsWith(name));
  return { answer, traceId, caller, requestId, named };
}

/** Log lines that have this text, once there is one. */
const lines = (text: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  eventually(
    async () => {
      const found = service
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.includes(text))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      return found.length > 0 ? found : undefined;
    },
    { within: 10_000, what: `a log line with ${text}` },
  );

describe('a create of a caller that has a trace', () => {
  test('is one trace, from the request to what the views show, and each span has the correlation id', async () => {
    const { traceId, caller, requestId, named } = await traced('POST', createPath(), contact());
    const [request, command, append, projection] = ['POST', 'command', 'append', 'projection'].map(named);
    const events = await service.events(requestId);
    const correlated = { 'audience.correlation_id': events[0]?.metadata['$correlationId'] };
    expect(request).toMatchObject({
      name: 'POST /v1/contacts/{list_id}/create',
      kind: server,
      parentSpanId: caller,
      attributes: {
        ...correlated,
        'http.request.method': 'POST',
        'http.route': '/v1/contacts/{list_id}/create',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'audience.commands': 1,
      },
      status: { code: 0 },
      resource: {
        'service.name': 'audience',
        'service.version': '0.1.0',
        'deployment.environment.name': 'test',
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      },
    });
    expect(command).toMatchObject({
      name: 'command contact Create',
      parentSpanId: request?.spanId,
      attributes: { ...correlated, 'audience.command.type': 'Create', 'audience.command.outcome': 'changed' },
    });
    expect(append).toMatchObject({
      name: 'append contact',
      parentSpanId: command?.spanId,
      attributes: { ...correlated, 'audience.stream.kind': 'contact', 'audience.append.events': events.length },
    });
    expect(projection).toMatchObject({ parentSpanId: append?.spanId, attributes: correlated });
    expect(projection?.end).toBeGreaterThanOrEqual(append?.start ?? Infinity);
    expect(await lines(`"request_id":"${requestId}"`)).toMatchObject([{ trace_id: traceId, msg: 'request' }]);
  });

  test('keeps its trace state, and takes nothing of its baggage', async () => {
    const traceId = hex(16);
    await service.post(createPath(), contact(), {
      traceparent: `00-${traceId}-${hex(8)}-01`,
      tracestate: 'vendor=opaque',
      baggage: 'customer=baggage-of-grace',
    });
    const span = await collected((one) => one.traceId === traceId && one.kind === server, 'the request');
    expect(span.traceState).toBe('vendor=opaque');
    expect(collector.received()).not.toContain('baggage-of-grace');
  });

  test('is left alone where the caller says that it is not sampled; its log line names the trace', async () => {
    const [traceId, requestId] = [hex(16), hex(12)];
    await service.post(createPath(), contact(), {
      traceparent: `00-${traceId}-${hex(8)}-00`,
      'x-request-id': requestId,
    });
    expect(await lines(`"request_id":"${requestId}"`)).toMatchObject([{ trace_id: traceId }]);
    await traced('POST', createPath(), contact());
    expect(spansOf(traceId)).toEqual([]);
  });
});

test('what the collector is sent goes where and as the variables say', () => {
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { authorization: 'Basic a:b', 'content-encoding': 'gzip', 'content-type': 'application/json' },
  });
});

describe('refusals and faults', () => {
  test('a refused command says why, and is no error', async () => {
    const email = someAddress();
    await service.make(createPath(), contact(email), 'contact_id');
    const { named, answer } = await traced('POST', createPath(), contact(email));
    expect(answer.status).toBe(400);
    expect(named('command')).toMatchObject({
      attributes: { 'audience.command.outcome': 'refused', 'audience.command.refusal': 'duplicate_email' },
      status: { code: 0 },
    });
  });

  test('a path that there is not and a method that there is not are in no name', async () => {
    await service.get('/v1/nothing-of-ada');
    await service.request('PROPFIND', '/v1/lists');
    expect(
      await collected(
        ({ attributes }) => attributes['http.request.method'] === '_OTHER',
        'the request with the odd method',
      ),
    ).toMatchObject({ name: 'HTTP', attributes: { 'http.response.status_code': 405 } });
    expect(collector.received()).not.toMatch(/nothing-of-ada|PROPFIND/);
  });

  test('health and metrics are not traced', async () => {
    await service.get('/health/live');
    await service.get('/health/ready');
    await service.get('/metrics');
    await traced('POST', createPath(), contact());
    expect(collector.received()).not.toMatch(/metrics|health/);
  });
});

describe('what other processes do', () => {
  const message = {
    from_email: 'news@example.com',
    subject: 'Birthday of Grace',
    mail_template: '<p>Dear Barbara</p>',
  };

  async function attempted(to_email: string) {
    const { named, traceId } = await traced('POST', '/v1/email/send', { ...message, to_email });
    const id = named('command')?.attributes['audience.correlation_id'];
    const attempt = await collected(
      ({ name, attributes }) => name === 'email attempt' && attributes['audience.correlation_id'] === id,
      'the attempt',
    );
    return { traceId, attempt, spans: spansOf(attempt.traceId), id };
  }

  test('an attempt to send an e-mail is a trace of its own, with the correlation id of the request', async () => {
    const { traceId, attempt, spans, id } = await attempted(someAddress());
    expect(attempt.traceId).not.toBe(traceId);
    expect(attempt).toMatchObject({
      attributes: { 'audience.email.attempt': 1, 'audience.email.outcome': 'sent', 'audience.email.smtp_code': 250 },
    });
    expect(attempt.parentSpanId ?? '').toBe('');
    const children = spans.filter(({ parentSpanId }) => parentSpanId === attempt.spanId);
    expect(children.map(({ name }) => name)).toEqual([
      'command email StartDispatch',
      'hand over',
      'command email RecordSent',
    ]);
    expect(children[1]).toMatchObject({ kind: client, status: { code: 0 } });
    for (const span of spans) expect(span.attributes['audience.correlation_id']).toBe(id);
    expect(await lines(`"trace_id":"${attempt.traceId}","type":"recorded"`)).toMatchObject([{ outcome: 'sent' }]);
  });

  test('one that the server refuses says so by its codes', async () => {
    smtp.behave('recipient 550');
    const { attempt, spans } = await attempted(someAddress());
    smtp.behave('accept');
    const codes = { 'audience.email.outcome': 'failed', 'audience.email.reason': 'smtp_5xx' };
    expect(attempt).toMatchObject({ attributes: { ...codes, 'audience.email.smtp_code': 550 } });
    expect(spans.find(({ name }) => name === 'hand over')).toMatchObject({
      attributes: { ...codes, 'error.type': 'smtp_5xx' },
      status: { code: 2 },
    });
  });

  test('an erasure goes on in a trace of its own', async () => {
    const email = someAddress();
    await service.make(createPath(), contact(email), 'contact_id');
    const { named } = await traced('POST', '/v1/privacy/erasures', { email });
    const request = named('POST');
    const erased = await collected(
      ({ name, attributes }) =>
        name === 'command erasures Complete' &&
        attributes['audience.correlation_id'] === request?.attributes['audience.correlation_id'],
      'the completion',
    );
    await collected(({ spanId }) => spanId === erased.parentSpanId, 'the work of the subscriber');
    expect(collector.spans.find(({ spanId }) => spanId === erased.parentSpanId)).toMatchObject({ name: 'erasures' });
  });
});

test('nothing personal and no secret is in traces or log lines', async () => {
  const email = `ada.${hex(4)}@example.com`;
  const keys = deriveStreamKeys(secret);
  const emailId = 'eml_01KQPH1RM0W7X9YABCDEFGHJKM';
  const tokens = createUnsubscribeTokens(deriveUnsubscribeKey(secret));
  const contactKey = keys.contactKey(email);
  const token = tokens.make({ emailId, contactKey, listId });
  const contactId = await service.make(createPath(), contact(email), 'contact_id');
  const requestId = `of-${hex(6)}`;
  await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`, { 'x-request-id': requestId });
  await service.get(`/v1/contacts/${contactId}`, { 'user-agent': 'agent-of-ada' });
  const page = await fetch(`${service.url()}/u/${token}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(page.status).toBe(200);
  const click = await collected(({ name }) => name === 'POST /u/{token}', 'the click');
  expect(click.attributes['audience.commands']).toBeGreaterThan(0);
  const words = [email, encodeURIComponent(email), 'example.com', 'Wilhelmina', 'Grace', 'Barbara', 'Gazette'];
  const ids = [token, contactKey, contactId, listId, service.key, 'agent-of-ada', '127.0.0.1'];
  for (const word of [...words, ...ids, requestId]) expect(collector.received(), word).not.toContain(word);
  const log = service.output().replaceAll('mail.example.com', '').replaceAll('127.0.0.1', '');
  for (const word of [...words, token, service.key, 'agent-of-ada']) expect(log, word).not.toContain(word);
});

test('spans and their resource have only the attributes that the documentation lists', () => {
  const attributesOfSpans = [
    ...['http.request.method', 'http.route', 'http.response.status_code', 'url.scheme', 'error.type'],
    ...['audience.correlation_id', 'audience.commands', 'audience.stream.kind'],
    ...['audience.command.type', 'audience.command.outcome', 'audience.command.refusal'],
    ...['audience.append.events', 'audience.append.commands', 'audience.append.conflict'],
    ...['audience.email.attempt', 'audience.email.outcome', 'audience.email.reason'],
    ...['audience.email.smtp_code', 'audience.email.enhanced_code'],
  ];
  const attributesOfResource = [
    ...['service.name', 'service.version', 'service.instance.id', 'deployment.environment.name'],
    ...['telemetry.sdk.language', 'telemetry.sdk.name', 'telemetry.sdk.version'],
  ];
  const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect(attributesOfSpans).toEqual(expect.arrayContaining([...names]));
  expect(names.size).toBeGreaterThan(12);
  for (const { resource, events } of collector.spans) {
    expect(Object.keys(resource).sort()).toEqual(attributesOfResource.sort());
    expect(events).toEqual([]);
  }
});

describe('a collector that fails', () => {
  const failures = async () => (await lines('traces cannot be sent')).length;
  const create = async () => expect((await service.post(createPath(), contact())).status).toBe(200);

  test('is told of once until it takes traces again, and the service goes on', async () => {
    collector.behave(500);
    const tried = collector.requests.length;
    for (let count = 0; count < 5; count += 1) {
      const before = collector.requests.length;
      await create();
      await eventually(async () => collector.requests.length > before || undefined);
    }
    expect(collector.requests.length).toBeGreaterThan(tried + 4);
    expect(await failures()).toBe(1);
    expect(await lines('traces cannot be sent')).toMatchObject([{ level: 40, reason: 500 }]);
    collector.behave('take');
    await create();
    expect(await lines('traces are sent again')).toMatchObject([{ level: 30, spans: expect.any(Number) as unknown }]);
  });

  test('and never answers holds neither a request nor the stop', async () => {
    collector.behave('hang');
    const before = collector.requests.length;
    await create();
    await eventually(async () => collector.requests.length > before || undefined);
    await create();
    const began = performance.now();
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
    // Two seconds, and what a stop takes anyway.
    expect(performance.now() - began).toBeLessThan(8_000);
    collector.behave('take');
  });
});

describe('a start and its stop', () => {
  /** The bundled ones, with the SDK and the exporter. */
  const ofTraces = ['traces.js', 'exporting.js'];
  const folder = freshFolder();
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The scripts that the process had loaded at its end, in all its threads. */
  async function stopped(coverage: string): Promise<readonly string[]> {
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
    return readdirSync(coverage).flatMap((name) =>
      (JSON.parse(readFileSync(path.join(coverage, name), 'utf8')) as { result: { url: string }[] }).result.map(
        ({ url }) => path.basename(url),
      ),
    );
  }

  test('the last spans are sent at the stop', async () => {
    const coverage = path.join(folder, 'on');
    await service.start({ OTEL_BSP_SCHEDULE_DELAY: '60000', NODE_V8_COVERAGE: coverage });
    const traceId = hex(16);
    await service.post(createPath(), contact(), { traceparent: `00-${traceId}-${hex(8)}-01` });
    expect(spansOf(traceId)).toEqual([]);
    expect(await stopped(coverage)).toEqual(expect.arrayContaining(ofTraces));
    expect(spansOf(traceId).map(({ name }) => name)).toContain('POST /v1/contacts/{list_id}/create');
  });

  test('a wrong variable is named in the log, and its default holds', async () => {
    const wrong = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4317', OTEL_TRACES_SAMPLER: 'always_of' };
    await service.start(wrong);
    const traceId = hex(16);
    await service.post(createPath(), contact(), { traceparent: `00-${traceId}-${hex(8)}-01` });
    await collected((span) => span.traceId === traceId, 'a span');
    const faults = (await lines('a variable of OpenTelemetry')).map(({ fault }) => String(fault).split(' ', 1)[0]);
    expect(faults.sort()).toEqual(Object.keys(wrong));
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('without an endpoint nothing of the SDK is loaded, and log lines name no trace', async () => {
    const coverage = path.join(folder, 'off');
    const earlier = service.output().length;
    await service.start({ OTEL_EXPORTER_OTLP_ENDPOINT: '', NODE_V8_COVERAGE: coverage });
    await service.make(createPath(), contact(), 'contact_id');
    const scripts = await stopped(coverage);
    expect(scripts).toContain('run-service.js');
    expect(scripts.filter((script) => ofTraces.includes(script))).toEqual([]);
    expect(service.output().slice(earlier)).toContain('"msg":"request"');
    expect(service.output().slice(earlier)).not.toContain('trace_id');
  });
});
