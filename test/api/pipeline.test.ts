/** Tests each step of a request by itself, and the steps of each kind of endpoint. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { configuredKey, ended, fullGrant, type Grant } from '../../src/api/http/auth.js';
import type { Call } from '../../src/api/http/call.js';
import { endpointsWith, type Endpoint } from '../../src/api/http/endpoint.js';
import {
  authenticate,
  authorize,
  createExchange,
  demandIntactLog,
  handle,
  limit,
  prepare,
  receiveBody,
  respond,
  waitForPosition,
  validate,
  waitForViews,
  type PipelineOptions,
} from '../../src/api/http/pipeline.js';
import { createObserve } from '../../src/flow/observe.js';
import { createRateLimiter } from '../../src/api/http/rate-limit.js';
import { createRequestContext } from '../../src/api/http/request-context.js';

interface Parts {
  readonly greet: (name: string) => string;
}

const { read, readOfLog, write, lenientRead, lenientWrite } = endpointsWith<Parts>();
const parts: Parts = { greet: (name) => `Hello, ${name}!` };

const body = z.object({ name: z.string().optional() });
const about = { scope: 'lists:write', summary: '', answer: {} } as const;
const answerNothing = () => ({ data: {} });

const writing = write('write', '/v1/things', { ...about, body, handle: answerNothing });
const reading = read('read', '/v1/things', { ...about, handle: answerNothing });
const lenient = lenientWrite('lenient', '/v1/things', { ...about, body, handle: answerNothing });

const unlimited = createRateLimiter('default', 0, () => 0);

interface Given {
  readonly options?: Partial<PipelineOptions>;
  readonly headers?: IncomingMessage['headers'];
  readonly url?: string;
  readonly grant?: Grant;
}

function exchangeOf(endpoint: Endpoint<Parts>, { options = {}, headers = {}, url = '/', grant }: Given = {}) {
  const request = Object.assign(new IncomingMessage(new Socket()), { url, headers });
  request.method = endpoint.method === 'get' ? 'GET' : 'POST';
  const response = new ServerResponse(request);
  const whole: PipelineOptions = {
    authenticate: () => undefined,
    limits: { api: unlimited, email: unlimited, anonymous: unlimited, failures: unlimited },
    admit: () => undefined,
    waitForPosition: () => Promise.resolve(),
    observe: createObserve([]),
    now: () => 0,
    newUuid: () => 'an id',
    stopping: new AbortController().signal,
    ...options,
  };
  const express = Object.assign(request, {
    query: Object.fromEntries(new URL(url, 'http://x').searchParams),
    params: {},
  });
  const context = createRequestContext(whole, express as unknown as Request, response as Response);
  context.grant = grant;
  return createExchange(whole, prepare(endpoint, parts), context);
}

const key = () => fullGrant(configuredKey('shop:a-key'));
const withCode = (code: string): object => expect.objectContaining({ code }) as object;

test.each([
  ['a read', reading, 'authenticate limit authorize receiveBody validate waitForPosition handle respond'],
  ['a write', writing, 'authenticate limit authorize receiveBody validate waitForViews handle respond'],
  [
    'a read of the log',
    readOfLog('log', '/v1/log', { ...about, handle: answerNothing }),
    'authenticate limit authorize receiveBody validate waitForPosition demandIntactLog handle respond',
  ],
  [
    'an endpoint without a key',
    lenientRead('open', '/open', { ...about, scope: 'none', handle: answerNothing }),
    'validate handle respond',
  ],
])('%s has these steps in this order', (_, endpoint, names) => {
  expect(prepare(endpoint, parts).steps.map(({ name }) => name)).toEqual(names.split(' '));
});

describe('authenticate', () => {
  test('keeps the grant of the key', () => {
    const grant = key();
    const exchange = exchangeOf(reading, { options: { authenticate: () => grant } });
    expect(authenticate(exchange)).toBeUndefined();
    expect(exchange.context.grant).toBe(grant);
  });

  test('refuses a caller without a key, and counts the caller by its address', async () => {
    const anonymous = createRateLimiter('default', 1, () => 0);
    const limits = { api: unlimited, email: unlimited, anonymous, failures: unlimited };
    await expect(authenticate(exchangeOf(reading, { options: { limits } }))).rejects.toEqual(withCode('unauthorized'));
    await expect(authenticate(exchangeOf(reading, { options: { limits } }))).rejects.toEqual(withCode('rate_limited'));
  });
});

test('limit counts a key, and email by a limit of its own', () => {
  const [api, email] = [createRateLimiter('default', 1, () => 0), createRateLimiter('email', 1, () => 0)];
  const given = { options: { limits: { api, email, anonymous: unlimited, failures: unlimited } }, grant: key() };
  const sending = write('send', '/v1/send', { ...about, rateLimit: 'email', handle: answerNothing });
  limit(exchangeOf(writing, given));
  limit(exchangeOf(sending, given));
  expect(() => limit(exchangeOf(writing, given))).toThrow(withCode('rate_limited'));
  expect(() => limit(exchangeOf(sending, given))).toThrow(withCode('rate_limited'));
});

test('authorize refuses a key that lacks the scope', () => {
  const grant = { ...key(), scopes: new Set(['lists:read']) };
  expect(() => authorize(exchangeOf(writing, { grant }))).toThrow(withCode('forbidden'));
  authorize(exchangeOf(writing, { grant: key() }));
});

describe('receiveBody', () => {
  test('reads a JSON body', async () => {
    const exchange = exchangeOf(writing, { grant: key(), headers: { 'content-length': '14' } });
    const received = receiveBody(exchange);
    exchange.context.request.push('{"name":"Ada"}');
    exchange.context.request.push(null);
    await received;
    expect(exchange.context.body).toEqual({ name: 'Ada' });
  });

  test('refuses a key that is revoked while the body comes', async () => {
    const grant = key();
    const exchange = exchangeOf(writing, { grant, headers: { 'content-length': '2' } });
    const received = receiveBody(exchange);
    grant.until = ended;
    exchange.context.request.push('{}');
    exchange.context.request.push(null);
    await expect(received).rejects.toEqual(withCode('unauthorized'));
  });

  test('leaves an upload to the handler', () => {
    const upload = { type: 'lines', schema: body, title: 'Line' } as const;
    const bulk = write('bulk', '/v1/bulk', { ...about, upload, handle: answerNothing });
    const grant = key();
    const exchange = exchangeOf(bulk, { grant, headers: { 'content-length': '2' } });
    expect(receiveBody(exchange)).toBeUndefined();
    expect(exchange.context.request.listenerCount('data')).toBe(0);
    expect(grant.streams.size).toBe(1);
  });
});

describe('validate', () => {
  test('refuses unknown fields and parameters', () => {
    const exchange = exchangeOf(writing);
    exchange.context.body = { nam: 'Ada' };
    expect(() => validate(exchange)).toThrow(withCode('unknown_field_near'));
    expect(() => validate(exchangeOf(reading, { url: '/?x=1' }))).toThrow(withCode('unknown_parameter'));
  });

  test('drops unknown fields if the endpoint ignores them, and names them in a header', () => {
    const exchange = exchangeOf(lenient, { url: '/?x=1' });
    exchange.context.body = { name: 'Ada', nam: 'Ida' };
    validate(exchange);
    expect(exchange.input).toEqual({ name: 'Ada' });
    expect(exchange.context.headers).toEqual(['X-Ignored-Fields', 'nam']);
  });

  test('takes an Idempotency-Key only if the endpoint does', () => {
    const headers = { 'idempotency-key': 'a-key' };
    const create = write('create', '/v1/create', { ...about, takesIdempotencyKey: true, handle: answerNothing });
    const [taking, other] = [exchangeOf(create, { headers }), exchangeOf(writing, { headers })];
    validate(taking);
    validate(other);
    expect([taking.idempotencyKey, other.idempotencyKey]).toEqual(['a-key', undefined]);
  });
});

test('waitForPosition waits for the position that the header names, and does not wait without a header', async () => {
  const asked = vi.fn(async () => undefined);
  const options = { waitForPosition: asked };
  expect(waitForPosition(exchangeOf(reading, { options }))).toBeUndefined();
  await waitForPosition(exchangeOf(reading, { options, headers: { 'x-min-position': '7' } }));
  expect(asked.mock.calls).toEqual([['7']]);
});

test('waitForViews lets a write wait while the views lag', () => {
  const admitted = Promise.resolve();
  expect(waitForViews(exchangeOf(writing, { options: { admit: () => admitted } }))).toBe(admitted);
});

test('demandIntactLog refuses after the log was altered', () => {
  demandIntactLog(exchangeOf(reading, { options: { altered: () => undefined } }));
  const altered = exchangeOf(reading, { options: { altered: () => 'event 7 was altered' } });
  expect(() => demandIntactLog(altered)).toThrow(withCode('unavailable'));
});

test('handle calls the handler with the parsed request and the parts of the service', async () => {
  const seen: Pick<Call, 'context'>[] = [];
  const greeting = write('greet', '/v1/greet', {
    ...about,
    body,
    handle(call, { greet }) {
      seen.push(call);
      return { data: greet(call.input.name ?? '') };
    },
  });
  const exchange = exchangeOf(greeting, { grant: key() });
  exchange.input = { name: 'Ada' };
  await handle(exchange);
  expect(exchange.answer).toEqual({ data: 'Hello, Ada!' });
  expect(seen[0]?.context).toMatchObject({ actor: 'shop', requestId: 'an id', correlationId: 'an id' });
});

test('handle calls no handler of an endpoint with a key for a caller without one', async () => {
  const handler = vi.fn(answerNothing);
  const exchange = exchangeOf(write('write', '/v1/things', { ...about, handle: handler }));
  await expect(handle(exchange)).rejects.toThrow('without a key');
  expect(handler).not.toHaveBeenCalled();
});

test('respond sends the answer with the status and message of the endpoint', () => {
  const taking = write('take', '/v1/take', {
    ...about,
    message: 'Taken!',
    answer: { status: 202 },
    handle: answerNothing,
  });
  const exchange = exchangeOf(taking, { grant: key() });
  exchange.answer = { data: { id: 1 }, beside: { more: false } };
  const end = vi.spyOn(exchange.context.response, 'end');
  void respond(exchange);
  expect(exchange.status).toBe(202);
  const [text] = end.mock.calls[0] ?? [];
  expect(text).toBe('{"statusCode":202,"status":"Success","message":"Taken!","data":{"id":1},"more":false}');
});
