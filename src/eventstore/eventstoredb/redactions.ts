/**
 * Redaction on EventStoreDB, which changes no event. Redacted copies go to a stream of the adapter's own, then the stream is
 * truncated: reads of it end there at once, reads of the log still yield the originals until a scavenge, and nothing
 * afterwards. So every read puts the copies in their places.
 */
import { BACKWARDS, END, jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { createSingleFlight } from '../../flow/single-flight.js';
import { withDigests } from '../leaf.js';
import { StoreUnavailableError, type Position, type StoredEvent } from '../event-store.js';
import type { Connection, Timings } from './connection.js';
import { createCopies, type Copies } from './copies.js';
import { serverUnavailable } from './faults.js';
import { eventsPerPage, type PageReader } from './pages.js';
import { readEvents, type ServerEvent } from './read-events.js';
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { ServerAddress } from './url.js';

const charactersPerAppend = 64 * 1024;
/** Streams that are redacted at a time; what they copy is written together. With more of them others wait longer. */
const streamsAtOnce = 4;

interface Redactions extends Copies {
  redact(stream: string, through: bigint): Promise<number>;
  /** Whether originals of the stream that were redacted are still in the log, until a scavenge. @throws StoreUnavailableError */
  waitsForScavenge(stream: string): Promise<boolean>;
}

interface RedactionParts {
  readonly connection: Connection;
  readonly pages: PageReader;
  readonly prefix: string;
  readonly timings: Pick<Timings, 'appendMs' | 'silenceMs'>;
}

export function createRedactions({ connection, pages, prefix, timings }: RedactionParts): Redactions {
  const copies = createCopies(connection, { prefix, silenceMs: timings.silenceMs });
  const gathered: StoredEvent[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;

  /** What a read of the stream shows of it, without the copies. */
  async function* originals(stream: string, through: bigint): AsyncGenerator<readonly StoredEvent[]> {
    for (let from = 0n; from <= through;) {
      const { events, ended } = await pages.ofStream(stream, from, { backwards: false, limit: eventsPerPage });
      yield events.filter(({ revision }) => revision <= through);
      const last = events.at(-1);
      if (ended || last === undefined) return;
      from = last.revision + 1n;
    }
  }

  async function append(events: readonly StoredEvent[]): Promise<void> {
    const next = [...events];
    while (next.length > 0) {
      const startedAt = performance.now();
      let characters = 0;
      const fits = next.findIndex((event) => (characters += sizeOf(event)) > charactersPerAppend);
      const some = next.splice(0, fits < 0 ? next.length : Math.max(1, fits));
      const copied = some.map(({ revision, ...event }) =>
        jsonEvent({ id: randomUUID(), type: 'Redacted', data: { ...event, revision: `${revision}` } }),
      );
      const call = { stream: copies.stream, events: copied, expectedRevision: 'any' } as const;
      await connection.append(call, timings.appendMs);
      if (next.length > 0) await rest(performance.now() - startedAt);
    }
  }

  /** Moves only forwards, also where another process moves it at the same time. Most streams have no settings yet. */
  async function truncate(stream: string, before: bigint): Promise<void> {
    const settings = `$$${prefix}${stream}`;
    for (let current: ServerEvent | undefined; ; current = await lastSettings(settings)) {
      const data = JSON.parse(current?.data.toString() ?? '{}') as { readonly $tb?: number };
      if (BigInt(data.$tb ?? 0) >= before) return;
      const events = [jsonEvent({ id: randomUUID(), type: '$metadata', data: { ...data, $tb: Number(before) } })];
      const call = { stream: settings, events, expectedRevision: current?.revision ?? 'no_stream' } as const;
      try {
        await connection.append(call, timings.appendMs);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedVersionError)) throw error;
      }
    }
  }

  async function lastSettings(settings: string): Promise<ServerEvent | undefined> {
    let last: ServerEvent | undefined;
    const look = { stream: settings, direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
    await connection.read({
      start: (client, base) => readEvents(client, base, look),
      take: (event) => void (last = event) === undefined,
      silenceMs: timings.silenceMs,
    });
    return last;
  }

  /** Those that are not there yet. @returns all as they stand there */
  async function writeCopies(redacted: readonly StoredEvent[]): Promise<ReadonlyMap<Position, StoredEvent>> {
    const read = await copies.written(() => append(redacted.filter(({ position }) => !copies.has(position))));
    const others = redacted.map(({ position }) => position).filter((position) => !read.has(position));
    return new Map([...read, ...(await copies.at(others))]);
  }

  const writeGathered = createSingleFlight(() => writeCopies(gathered.splice(0)));

  /** What comes while other copies are written is written together. @throws StoreUnavailableError what was read back is something else */
  async function copy(redacted: readonly StoredEvent[]): Promise<void> {
    gathered.push(...redacted);
    const stored = await writeGathered();
    for (const event of redacted)
      if (!isSame(event, stored.get(event.position)) || withDigests(event.data) !== event.data)
        throw new StoreUnavailableError(`the redacted copy of event ${event.id} is not what was written`);
  }

  /** Before anything goes there are copies of all that is still to be seen, up to the last that changes. */
  async function redact(stream: string, through: bigint): Promise<number> {
    let count = 0;
    let before = 0n;
    const unchanged: StoredEvent[] = [];
    for await (const page of originals(stream, through)) {
      const redacted = page.map((event) => ({ ...event, data: withDigests(event.data) }));
      const isChanged = ({ data }: StoredEvent, at: number): boolean => data !== page[at]?.data;
      const end = redacted.findLastIndex(isChanged) + 1;
      const last = redacted[end - 1];
      if (last !== undefined) {
        await copy([...unchanged.splice(0), ...redacted.slice(0, end)]);
        before = last.revision + 1n;
        count += redacted.filter(isChanged).length;
      }
      unchanged.push(...redacted.slice(end));
    }
    if (count > 0) await truncate(stream, before);
    return count;
  }

  /** Where there are many streams, others have as much time as they take. */
  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < streamsAtOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      void leave(waiting.length > 0 ? performance.now() - startedAt : 0);
    }
  }

  async function leave(restMs: number): Promise<void> {
    if (restMs > 0) await rest(restMs);
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    ...copies,
    redact: (stream, through) =>
      inTurn(() => redact(stream, through)).catch((error: unknown) => {
        throw serverUnavailable(error);
      }),
    async waitsForScavenge(stream) {
      await copies.load();
      const places: readonly Position[] = copies.of(stream);
      const found = await Promise.all(places.slice(-1).map((position) => pages.at(position)));
      return found.some((event) => event !== undefined);
    },
  };
}

const sizeOf = ({ data, metadata }: StoredEvent): number => data.length + metadata.length + 500;

function isSame(event: StoredEvent, copy: StoredEvent | undefined): boolean {
  if (copy === undefined) return false;
  return (Object.keys(event) as (keyof StoredEvent)[]).every((key) => event[key] === copy[key]);
}

/** Returns the ids of the scavenges, one for each node. @throws StoreUnavailableError a node did not answer, or refused */
export async function startScavenges({ nodes, credentials }: ServerAddress, timeoutMs: number): Promise<string[]> {
  const ids: string[] = [];
  let before: ScavengedNode | undefined;
  for (const node of nodes) {
    // At once, all but one would fail and say so in their logs only: each would write the point up to which all scavenge.
    if (before !== undefined) await underWay(before);
    before = scavengedNode(new URL(node.replace(/^esdb:/, 'http:')), { credentials, timeoutMs });
    ids.push(await startScavenge(before));
  }
  return ids;
}

interface ScavengedNode {
  readonly host: string;
  readonly url: string;
  readonly options: RequestOptions;
}

function scavengedNode(
  node: URL,
  { credentials, timeoutMs }: { credentials: ServerAddress['credentials']; timeoutMs: number },
): ScavengedNode {
  const option = (name: string): string | undefined =>
    [...node.searchParams].find(([key]) => key.toLowerCase().replace(/[_-]/g, '') === name)?.[1];
  const caFile = option('tlscafile');
  const options: RequestOptions = {
    timeout: timeoutMs,
    ...(credentials && { auth: `${credentials.username}:${credentials.password}` }),
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
  };
  const scheme = option('tls') === 'false' ? 'http' : 'https';
  return { host: node.host, url: `${scheme}://${node.host}/admin/scavenge`, options };
}

const scavengeId = /ScavengeId: ([\w-]+)/;

async function startScavenge({ host, url, options }: ScavengedNode): Promise<string> {
  const answer = await ask(new URL(url), { ...options, method: 'POST' });
  const id = scavengeId.exec(answer)?.[1];
  if (id === undefined)
    throw new StoreUnavailableError(`EventStoreDB: no scavenge was started on ${host}: ${reasonIn(answer)}`);
  return id;
}

/** By then the point is written and replicated, which takes a second. */
const settledMs = 5_000;

/** Resolves when the scavenge has ended, or has run for so long that its point is on every node. */
async function underWay({ url, options }: ScavengedNode): Promise<void> {
  const settled = performance.now() + settledMs;
  while (performance.now() < settled && scavengeId.test(await ask(new URL(`${url}/current`), options))) await rest(200);
}

const reasonIn = (answer: string): string =>
  /^40[13] /.test(answer)
    ? 'the credentials do not allow it, those of a user in the group $ops or $admins do'
    : answer.slice(0, 100);

/** Resolves with the status and the text of the answer, or with what went wrong. */
const ask = (url: URL, options: RequestOptions): Promise<string> =>
  new Promise((resolve) => {
    const failed = (error: Error): void => resolve(error.message);
    const sent = (url.protocol === 'http:' ? httpRequest : httpsRequest)(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(`${answer.statusCode} ${Buffer.concat(chunks).toString()}`));
      answer.on('error', failed);
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', failed);
    sent.end();
  });
