/** Runs the built service as its users run it: `node dist/main.js` on a data folder of its own, spoken to over HTTP only. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type AudienceClient } from '../../client/client.js';
import { checkAnswer } from './api-description.js';
import { realTime } from './real-time.js';
import { openServiceLog, type LoggedEvent } from './service-log.js';
import { storeVariables, type Overrides } from './stores.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export type { LoggedEvent, Overrides };

interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Overrides;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** Parsed JSON; undefined where the answer is none. */
  readonly body: unknown;
  /** A string in `data`. */
  field(name: string): string;
  /** `data` as an array of objects. */
  items(): readonly Readonly<Record<string, unknown>>[];
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Standard output and standard error of that run. */
  readonly output: string;
}

export interface Service {
  readonly dataDir: string;
  readonly key: string;
  url(): string;
  /** Process id of the current run. */
  pid(): number;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, headers?: Overrides): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Overrides): Promise<Answer>;
  /** The typed client, with the key of the service. Its answers are held against the description, too. */
  client(): AudienceClient;
  /** POSTs what must succeed and returns one string of the answer's `data`. */
  make(path: string, body: unknown, field: string): Promise<string>;
  /** Writes bytes to a socket and returns all that comes back until the service closes it. */
  raw(bytes: string | Buffer, timeout?: number): Promise<string>;
  /** Events in log order; of one request where its id is given. */
  events(requestId?: string): Promise<LoggedEvent[]>;
  countEvents(): Promise<number>;
  /** Standard output and standard error of all runs so far. */
  output(): string;
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit>;
  /** Starts again on the same data folder; kill it first. */
  start(env?: Overrides): Promise<void>;
  /** Kills it and removes its data folder. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly env?: Overrides;
  /** A folder that exists; it is then the caller's to remove. */
  readonly dataDir?: string;
  /** A file descriptor in place of a pipe that is read. What is written there is not in `output`. */
  readonly stdout?: number;
  /** What it takes to trust the certificate of a service with HTTPS. */
  readonly tls?: https.AgentOptions;
  /** Called with each piece of output as it comes. */
  readonly onOutput?: (text: string) => void;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export const freshFolder = (): string => mkdtempSync(path.join(tmpdir(), 'audience-e2e-'));

/** Starts a service and waits until it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? freshFolder();
  const key = randomBytes(24).toString('base64url');
  const env: Overrides = { ...environment(dataDir), API_KEYS: `test:${key}`, ...options.env };
  const log = openServiceLog(env, dataDir);
  let run: Run | undefined;
  let earlier = '';
  const newAgent = (): http.Agent => {
    const settings = { keepAlive: true, maxSockets: 64, ...options.tls };
    return options.tls === undefined ? new http.Agent(settings) : new https.Agent(settings);
  };
  let agent = newAgent();

  const running = (): Run => {
    if (run === undefined) throw new Error('the service does not run');
    return run;
  };

  async function start(changes: Overrides = {}): Promise<void> {
    if (run !== undefined) throw new Error('the service runs already');
    agent = newAgent();
    rmSync(path.join(dataDir, 'address'), { force: true });
    const started = launch({ ...env, ...changes }, options);
    run = { ...started, url: '' };
    try {
      run = { ...started, url: await ready(started, dataDir, options.tls) };
    } catch (error) {
      await stop('SIGKILL');
      throw error;
    }
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
    const stopping = running();
    run = undefined;
    stopping.child.kill(signal);
    const exit = await stopping.exited;
    earlier += exit.output;
    agent.destroy();
    return exit;
  }

  function request(method: string, target: string, { body, raw, headers }: RequestOptions = {}): Promise<Answer> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const given: Overrides = {
      authorization: `Bearer ${key}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    return send({ url: new URL(running().url), agent, method, path: target, headers: present(given), payload });
  }

  const post = (target: string, body?: unknown, headers: Overrides = {}): Promise<Answer> =>
    request('POST', target, { body, headers });

  await start();
  return {
    dataDir,
    key,
    url: () => running().url,
    pid: () => running().child.pid ?? 0,
    request,
    get: (target, headers = {}) => request('GET', target, { headers }),
    post,
    client: () => createClient({ baseUrl: running().url, apiKey: key, fetch: fetchChecked }),
    async make(target, body, field) {
      const answer = await post(target, body);
      if (answer.status !== 200) throw new Error(`POST ${target} answered ${answer.status}: ${answer.text}`);
      return answer.field(field);
    },
    raw: (bytes, timeout = 5_000) => converse(new URL(running().url), bytes, timeout),
    events: (requestId) => (requestId === undefined ? log.events() : log.eventsOf(requestId)),
    countEvents: log.count,
    output: () => earlier + (run?.output() ?? ''),
    kill: stop,
    start,
    async close() {
      if (run !== undefined) await stop('SIGKILL');
      await log.close();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs a service that is expected to end by itself, or by a signal after some output; it is killed after `timeout`, which then shows as its signal. */
export async function runToExit(
  dataDir: string,
  env: Overrides,
  {
    timeout = 30_000,
    stopAt,
    signal = 'SIGTERM',
  }: { readonly timeout?: number; readonly stopAt?: string; readonly signal?: 'SIGTERM' | 'SIGKILL' } = {},
): Promise<Exit> {
  const onOutput = (text: string): void => {
    if (stopAt !== undefined && text.includes(stopAt)) child.kill(signal);
  };
  const given = { ...environment(dataDir), API_KEYS: 'test:a-key-that-nobody-uses', ...env };
  const { child, exited } = launch(given, { onOutput });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}

/** Polls until `probe` gives something; for what the service does in its own time. The bound is for a machine that does much else. */
export async function eventually<Value>(
  probe: () => Promise<Value | undefined>,
  { within = 30_000, what = 'it' }: { within?: number; what?: string } = {},
): Promise<Value> {
  const deadline = Date.now() + within;
  for (;;) {
    const value = await probe();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${within} ms`);
    await realTime(20);
  }
}

interface Launched {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  output(): string;
}

interface Run extends Launched {
  readonly url: string;
}

const environment = (dataDir: string): Overrides => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  HOST: '127.0.0.1',
  PORT: '0',
  DATA_DIR: dataDir,
  RATE_LIMIT: '0',
  RATE_LIMIT_EMAIL: '0',
  ...storeVariables(dataDir),
});

const present = (values: Overrides): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

function launch(env: Overrides, { stdout, onOutput }: Pick<ServiceOptions, 'stdout' | 'onOutput'>): Launched {
  // A folder of its own to stand in: a `.env` in the checkout would speak for every variable that a test leaves out.
  const cwd = env['DATA_DIR'];
  const child = spawn(process.execPath, [main], {
    cwd,
    env: present(env),
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
  children.add(child);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      onOutput?.(chunk.toString('utf8'));
    });
  const output = (): string => Buffer.concat(chunks).toString('utf8');
  const exited = once(child, 'close').then(() => {
    children.delete(child);
    return { code: child.exitCode, signal: child.signalCode, output: output() };
  });
  return { child, exited, output };
}

/** The address, once the service says that it is ready. */
async function ready({ child, output }: Launched, dataDir: string, tls?: https.AgentOptions): Promise<string> {
  const file = path.join(dataDir, 'address');
  return await eventually(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the service ended before it was ready (${String(child.exitCode)}):\n${output()}`);
      if (!existsSync(file)) return undefined;
      const address = readFileSync(file, 'utf8').trim();
      if (address === '') return undefined;
      try {
        const url = new URL(address);
        const agent = tls === undefined ? false : new https.Agent(tls);
        const answer = await send({ url, agent, method: 'GET', path: '/health/ready', headers: {} });
        return answer.status === 200 ? url.origin : undefined;
      } catch {
        return undefined;
      }
    },
    // After a kill the projector's lease has to run out first, where views are shared.
    { within: 40_000, what: `readiness (output so far: ${output()})` },
  );
}

async function fetchChecked(request: Request): Promise<Response> {
  const response = await fetch(request);
  const { pathname, search } = new URL(request.url);
  checkAnswer({
    method: request.method,
    target: pathname + search,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.clone().text(),
  });
  return response;
}

interface Sent {
  readonly url: URL;
  readonly agent: http.Agent | false;
  readonly method: string;
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly payload?: string | Buffer | undefined;
}

function send({ url, agent, method, path: target, headers, payload }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isPlain = payload !== undefined && headers['transfer-encoding'] === undefined;
    const length = isPlain ? { 'content-length': Buffer.byteLength(payload) } : {};
    const { request } = url.protocol === 'https:' ? https : http;
    const outgoing = request(
      { host: url.hostname, port: url.port, agent, method, path: target, headers: { ...length, ...headers } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const answer = answerOf(incoming, Buffer.concat(chunks).toString('utf8'));
          try {
            checkAnswer({ ...answer, method, target });
            resolve(answer);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      },
    );
    // A refusal may arrive, and the connection close, before all of the body is written; then the answer has resolved.
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function answerOf(incoming: http.IncomingMessage, text: string): Answer {
  const isJson = (incoming.headers['content-type'] ?? '').startsWith('application/json');
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
  const data: unknown = isObject(body) ? body['data'] : undefined;
  const status = incoming.statusCode ?? 0;
  return {
    status,
    headers: incoming.headers,
    text,
    body,
    field(name) {
      const value = isObject(data) ? data[name] : undefined;
      if (typeof value !== 'string') throw new Error(`no string ${name} in the data of ${status}: ${text}`);
      return value;
    },
    items() {
      if (!Array.isArray(data)) throw new Error(`no array in the data of ${status}: ${text}`);
      return data.filter(isObject);
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function converse(url: URL, bytes: string | Buffer, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(url.port), url.hostname, () => socket.write(bytes));
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`not closed within ${timeout} ms; so far: ${Buffer.concat(chunks).toString('latin1')}`));
    }, timeout);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A reset after the answer is a close; one without an answer shows as an empty text.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}
