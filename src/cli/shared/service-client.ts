/** A client of the running service, for the command line. */
import { X509Certificate } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { z } from 'zod';
import { CommandFailedError, UsageError } from '../../failures.js';
import type { Fault } from '../../stores/data-folder.js';
import { isProof, newNonce, otherEnd } from '../../stores/identity.js';

interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** With its query, from the slash on. */
  readonly path: string;
  /** Sent as JSON; a text as NDJSON, bytes as an e-mail. */
  readonly body?: object | string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends no API key, because the endpoint needs none. */
  readonly keyless?: true;
}

export interface ServiceAnswer {
  readonly status: number;
  /** Where the answer is NDJSON, an array of its lines. */
  readonly data: unknown;
  readonly message: string;
  readonly nextCursor?: string | undefined;
  /** Seconds. */
  readonly retryAfter: number;
}

/** A client of the running service. Requests carry the API key and are aborted with the command. */
export interface ServiceClient {
  readonly url: string;
  readonly isNamed: boolean;
  /**
   * Returns any answer of the service, refusals included.
   * @throws CommandFailedError the service does not answer, refuses the key, may not be sent the key, or answers no JSON
   */
  ask(request: ServiceRequest): Promise<ServiceAnswer>;
  /** Returns why the key of the data folder is not sent; undefined if it is, or if another key is used. @throws CommandFailedError the service does not answer */
  whyNoKey(): Promise<Fault | undefined>;
}

export interface ServicePlace {
  /** Named by the operator, who wants this service and no other. */
  readonly named: string | undefined;
  /** As the service wrote it into the data folder when it last started. */
  readonly written: string | undefined;
  /** In PEM, of the service at the written address: trusted there without an issuer, whatever name it is for. */
  readonly certificate: string | undefined;
  /** The key that the operator gave. It is sent to any service. */
  readonly key: string | undefined;
  /** Used if no key was given. Undefined if the folder has none. */
  readonly folderKey?: FolderKey | undefined;
  /** Returns whether a service runs on the data folder. If not, the address may have come with a copy of the folder. */
  isRunning(): boolean;
  onNotice(notice: string): void;
  readonly signal: AbortSignal;
}

/** The API key in the data folder, and what decides whether a service gets it. */
export interface FolderKey {
  readonly key: string;
  /** Why nothing in the folder is trusted. */
  readonly fault: Fault | undefined;
  /** Why the address in the folder is not trusted. */
  readonly addressFault: Fault | undefined;
  /** Secrets, one of which the service of this folder has. */
  readonly secrets: readonly string[];
}

const lookMs = 3_000;

/**
 * Returns undefined if no service runs there, as far as is known. The key is not sent before `ask` is called.
 * @throws UsageError an address that cannot be used @throws CommandFailedError the named one does not answer
 */
export async function findService(place: ServicePlace): Promise<ServiceClient | undefined> {
  const { named, signal } = place;
  const url = named === undefined ? originOf(place.written) : demandAddress(named);
  if (url === undefined) return undefined;
  const target = targetAt(url, trustFor(url, place));
  const client = createServiceClient(target, place);
  const silence = await silenceOf(target, signal);
  if (named !== undefined && silence !== undefined)
    throw new CommandFailedError(`No service answers at ${client.url} (${silence}).`, { type: 'no_service' });
  if (silence !== undefined || (named === undefined && !isOwn(client, place))) return undefined;
  place.onNotice(`Through the service at ${client.url}.`);
  return client;
}

/** Without a port that its scheme stands for. */
const originOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;

const trustFor = (url: string, { written, certificate }: ServicePlace): Trust =>
  certificate !== undefined && url === originOf(written) ? trustOf(certificate) : {};

function isOwn({ url }: ServiceClient, { isRunning, onNotice }: ServicePlace): boolean {
  if (isRunning()) return true;
  onNotice(
    `The service at ${url} does not run on this data folder, though its address stands there, as in a copy: it is not asked. Name it with --url if it is the one.`,
  );
  return false;
}

function demandAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Not shown: it may hold a password.
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError('--url (or AUDIENCE_URL) must be an address that begins with http:// or https://');
  return url.origin;
}

interface Target {
  /** Without a slash at its end. */
  readonly url: string;
  readonly trust: Trust;
  readonly fetching: Fetch;
}

const targetAt = (url: string, trust: Trust): Target => ({
  url,
  trust,
  fetching: 'ca' in trust ? pinnedFetch(trust) : fetch,
});

const alive = z.object({ data: z.object({ alive: z.literal(true) }) });

const ofCertificate = /CERT|SIGNATURE/;

/** Why no service answers; undefined: one does. */
async function silenceOf({ url, fetching }: Target, signal: AbortSignal): Promise<string | undefined> {
  try {
    const answer = await fetching(`${url}/health/live`, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(lookMs)]),
    });
    return alive.safeParse(await answer.json()).success
      ? undefined
      : `what answers is not this service: status ${answer.status}`;
  } catch (error) {
    signal.throwIfAborted();
    const reason = reasonOf(error);
    return ofCertificate.test(reason)
      ? `its certificate is not trusted: ${reason}; that of your own CA is with NODE_EXTRA_CA_CERTS=/path/to/ca.pem`
      : reason;
  }
}

const envelope = z.object({
  data: z.unknown().optional(),
  message: z.string().optional(),
  next_cursor: z.string().optional(),
});

function createServiceClient(target: Target, place: ServicePlace): ServiceClient {
  const { url, fetching } = target;
  const { key: given, folderKey, named, signal } = place;
  const key = given ?? folderKey?.key;
  /** The result of the check. Undefined until a key is needed, and again after a failure, because another process may take the port. */
  let checked: Promise<Fault | undefined> | undefined;

  function broken(error: unknown): never {
    checked = undefined;
    signal.throwIfAborted();
    if (error instanceof CommandFailedError) throw error;
    throw new CommandFailedError(`The service at ${url} does not answer (${reasonOf(error)}).`, {
      type: 'no_service',
      cause: error,
    });
  }

  async function whyNoKey(): Promise<Fault | undefined> {
    if (given !== undefined || folderKey === undefined) return undefined;
    return await (checked ??= whyKeptBack(target, place, folderKey)).catch(broken);
  }

  async function headersOf({ body, headers: more = {}, keyless }: ServiceRequest): Promise<Headers> {
    const headers = new Headers({ ...more, 'content-type': typeOf(body) });
    if (keyless === true) return headers;
    const fault = await whyNoKey();
    if (fault !== undefined) throw keptBack(url, fault);
    if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
    return headers;
  }

  return {
    url,
    isNamed: named !== undefined,
    whyNoKey,
    async ask(request) {
      const { method, path, body } = request;
      const headers = await headersOf(request);
      const isRaw = typeof body === 'string' || body instanceof Uint8Array;
      const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
      const init: RequestInit = { method, headers, ...sent, redirect: 'error', signal };
      const answer = await fetching(url + path, init).catch(broken);
      if (answer.status === 401) throw unauthorized(url, key);
      const { data, message = '', next_cursor: nextCursor } = await contentOf(answer).catch(broken);
      const retryAfter = Number(answer.headers.get('retry-after') ?? 0);
      return { status: answer.status, data, message, nextCursor, retryAfter };
    },
  };
}

/** Returns why the key of the data folder must not be sent, or undefined if it may be sent. @throws what the network throws */
async function whyKeptBack(
  target: Target,
  { named, signal }: ServicePlace,
  { fault, addressFault, secrets }: FolderKey,
): Promise<Fault | undefined> {
  const distrust = fault ?? (named === undefined ? addressFault : undefined);
  if (distrust !== undefined) return distrust;
  if (secrets.length === 0)
    return {
      reason: 'the secret of the service is not known here, so the proof of the service cannot be checked',
      remedy: 'Set SECRET, or give the key with AUDIENCE_KEY.',
    };
  if (await provesItself(target, secrets, signal)) return undefined;
  return {
    reason:
      'that address does not prove that it has the secret of this data folder. Another service answers there, or a proxy or a mapped port is in between',
    remedy: 'If the address is right, give the key with AUDIENCE_KEY.',
  };
}

const keptBack = (url: string, { reason, remedy }: Fault): CommandFailedError =>
  new CommandFailedError(`The API key of the data folder is not sent to ${url}: ${reason}. ${remedy}`, {
    type: 'key_withheld',
  });

const identity = z.object({ data: z.object({ proof: z.string() }) });
/** Bytes of an answer with a proof. Anything may listen at the address and answer without an end. */
const longestProof = 4_096;

/** Returns undefined if the answer is longer. @throws if the answer is not JSON or breaks off */
async function jsonWithin(most: number, incoming: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

async function provesItself({ url, trust }: Target, secrets: readonly string[], signal: AbortSignal): Promise<boolean> {
  const nonce = newNonce();
  const init = { signal: AbortSignal.any([signal, AbortSignal.timeout(lookMs)]) };
  const incoming = await exchange(`${url}/health/identity?nonce=${nonce}`, init, trust);
  const end = otherEnd(incoming.socket);
  const answer = identity.safeParse(await jsonWithin(longestProof, incoming).catch(() => undefined)).data;
  return answer !== undefined && secrets.some((secret) => isProof(answer.data.proof, secret, { nonce, end }));
}

function typeOf(body: ServiceRequest['body']): string {
  if (body instanceof Uint8Array) return 'message/rfc822';
  return typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
}

function unauthorized(url: string, key: string | undefined): CommandFailedError {
  const known = key === undefined ? 'No API key is known here' : 'The service refuses the API key';
  return new CommandFailedError(
    `${known}: set AUDIENCE_KEY to a key of the service at ${url}, or keep the generated one in api-key.txt of its data folder.`,
    { type: 'unauthorized' },
  );
}

async function contentOf(answer: Response): Promise<z.output<typeof envelope>> {
  const text = await answer.text();
  try {
    if (answer.headers.get('content-type')?.includes('ndjson') !== true) return envelope.parse(JSON.parse(text));
    const lines = text.split('\n').slice(0, -1);
    return { data: lines.map((line): unknown => JSON.parse(line)) };
  } catch {
    throw new CommandFailedError(`What answers is not this service: status ${answer.status}, and none of its JSON.`, {
      type: 'no_service',
    });
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error) return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return 'no reason known';
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The certificates that are trusted. If empty, those of the system. */
type Trust = ReturnType<typeof trustOf> | Readonly<Record<string, never>>;

/** Returns the options that trust exactly this certificate (PEM), under any name. */
function trustOf(certificate: string) {
  const { raw } = new X509Certificate(certificate);
  return {
    ca: certificate,
    // Trust the certificate without its issuer, because it need not be self-signed.
    allowPartialTrustChain: true,
    checkServerIdentity: (_: string, shown: { readonly raw: Buffer }) =>
      shown.raw.equals(raw) ? undefined : new Error('another certificate than that of the service'),
  };
}

/** Sends one request on a connection of its own. Redirects are not followed. */
async function exchange(url: string, init: RequestInit, trust: Trust): Promise<IncomingMessage> {
  const { method, headers, body } = new Request(url, init);
  // Not the signal of the request: it follows the given one only until the request is garbage-collected.
  const signal = init.signal ?? undefined;
  const sent = body === null ? undefined : Buffer.from(await new Response(body).arrayBuffer());
  const { request } = url.startsWith('https:') ? https : http;
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers), agent: false, ...(signal && { signal }), ...trust };
    request(url, options).on('response', resolve).on('error', reject).end(sent);
  });
}

const pinnedFetch =
  (trust: Trust): Fetch =>
  async (url, init) => {
    const incoming = await exchange(url, init, trust);
    const answered = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(incoming, { status: incoming.statusCode ?? 0, headers: answered });
  };
