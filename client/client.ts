/** The typed client: a method for each operation of the API, which returns the answer or throws, and sends again what is safe to repeat. */
import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { operationTable, type paths } from './api.js';
import { ConnectionError, errorOf } from './errors.js';
import { createIterables, type Iterables } from './iterables.js';
import type { AnswerOf, InputOf, OperationId } from './operations.js';
import { fetchWithRepeats, type RepeatOptions } from './repeats.js';

export { AudienceError, ConnectionError, type ErrorType } from './errors.js';
export type { components, operations, paths } from './api.js';
export type { Progress } from './iterables.js';
export type { AnswerOf, InputOf, OperationId } from './operations.js';

export interface ClientOptions {
  /** Without a path: `https://audience.example.com`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Repeats after the first attempt. Default: 4. */
  readonly retries?: number;
  /** Milliseconds: a longer `Retry-After` is not waited for. Default: 60,000. */
  readonly maxWait?: number;
  /** Default: that of the platform. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

type Call<Id extends OperationId> =
  Partial<InputOf<Id>> extends InputOf<Id>
    ? (input?: InputOf<Id>) => Promise<AnswerOf<Id>>
    : (input: InputOf<Id>) => Promise<AnswerOf<Id>>;

export type AudienceClient = { readonly [Id in OperationId]: Call<Id> } & Iterables & {
    /** The client below, for other answers in lines and streams; it repeats, and leaves errors to the caller. */
    readonly http: FetchClient<paths>;
  };

interface AnyInput {
  readonly path?: object;
  readonly query?: object;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

type Send = (
  method: string,
  path: string,
  init: object,
) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>;

/** @throws TypeError the address or the key cannot be one */
export function createClient(options: ClientOptions): AudienceClient {
  const { baseUrl, apiKey, retries = 4, maxWait = 60_000, fetch = (request) => globalThis.fetch(request) } = options;
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError('baseUrl must be the address of a service: https://…');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key, without blanks');
  const repeats: RepeatOptions = { retries, maxWait, fetch };
  const http = createFetchClient<paths>({
    baseUrl,
    // What can be answered as a page, too, is wanted as JSON.
    headers: { Authorization: `Bearer ${apiKey}`, Accept: 'application/json, */*;q=0.1' },
    fetch: (request) => fetchWithRepeats(request, isSafe(request), repeats),
  });
  const send: Send = http.request as Send;

  async function call(id: OperationId, { path, query, header, body, signal }: AnyInput): Promise<unknown> {
    const [method, route, repeat] = operationTable[id];
    const headers =
      repeat === 'key' ? { ...header, 'Idempotency-Key': header?.['Idempotency-Key'] ?? newKey() } : header;
    const { data, error, response } = await send(method, route, {
      params: { path, query, header: headers },
      ...(typeof body === 'string' && mail),
      body,
      signal,
      fetch: (request: Request) => fetchWithRepeats(request, repeat !== 'unsafe', repeats),
    }).catch((fault: unknown) => {
      signal?.throwIfAborted();
      throw new ConnectionError(`no answer to ${id}`, { cause: fault });
    });
    if (response.ok) return data;
    throw errorOf(error, response);
  }

  async function postLines(path: string, lines: string, signal?: AbortSignal): Promise<string> {
    const { data, error, response } = await send('post', path, {
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines,
      bodySerializer: (text: string) => text,
      parseAs: 'text',
      signal,
      fetch: (request: Request) => fetchWithRepeats(request, true, repeats),
    }).catch((fault: unknown) => {
      signal?.throwIfAborted();
      throw new ConnectionError('no answer to saveContacts', { cause: fault });
    });
    if (response.ok) return String(data);
    throw errorOf(error, response);
  }

  const ids = Object.keys(operationTable) as OperationId[];
  const calls = Object.fromEntries(ids.map((id) => [id, (input: AnyInput = {}) => call(id, input)]));
  // The types say what the table says: both are made from one document.
  return { ...calls, ...createIterables({ call, postLines }), http } as unknown as AudienceClient;
}

/** A body that is an e-mail goes out as it is. */
const mail = { headers: { 'Content-Type': 'message/rfc822' }, bodySerializer: (text: string) => text };

const isSafe = ({ method, headers }: Request): boolean =>
  method === 'GET' || method === 'HEAD' || headers.has('idempotency-key');

/** 128 random bits. Not `randomUUID`, which browsers have on secure pages only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
