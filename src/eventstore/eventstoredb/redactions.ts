/**
 * Redaction on EventStoreDB, which changes no event. Redacted copies go to a stream of the adapter's own, then the stream is
 * truncated: reads of it end there at once, reads of the log still yield the originals until a scavenge, and nothing
 * afterwards. So every read puts the copies in their places.
 */
import { jsonEvent, WrongExpectedVersionError } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { withDigests } from '../chain.js';
import { StoreUnavailableError, type Position, type StoredEvent } from '../event-store.js';
import type { Connection } from './connection.js';
import { createCopies, type Copies } from './copies.js';
import { faultOf, unavailable } from './faults.js';
import type { Pages } from './pages.js';
import type { ServerEvent } from './read-log.js';
import type { Timings } from './timings.js';

const charactersPerAppend = 128 * 1024;

export interface Redactions extends Copies {
  redact(stream: string, through: bigint): Promise<number>;
  /** Whether originals of the stream that were redacted are still in the log, until a scavenge. @throws StoreUnavailableError */
  waitsForScavenge(stream: string): Promise<boolean>;
}

interface RedactionParts {
  readonly connection: Connection;
  readonly pages: Pages;
  readonly prefix: string;
  readonly timings: Pick<Timings, 'appendMs' | 'silenceMs'>;
}

export function createRedactions({ connection, pages, prefix, timings }: RedactionParts): Redactions {
  const copies = createCopies(connection, { prefix, silenceMs: timings.silenceMs });

  /** What a read of the stream shows of it, without the copies. */
  async function originals(stream: string, through: bigint): Promise<StoredEvent[]> {
    const found: StoredEvent[] = [];
    for (let from = 0n; from <= through;) {
      const { events, ended } = await pages.ofStream(stream, from, { backwards: false, limit: 1_000 });
      found.push(...events.filter(({ revision }) => revision <= through));
      const last = events.at(-1);
      if (ended || last === undefined) break;
      from = last.revision + 1n;
    }
    return found;
  }

  async function append(events: readonly StoredEvent[]): Promise<void> {
    const next = [...events];
    while (next.length > 0) {
      let characters = 0;
      const fits = next.findIndex((event) => (characters += sizeOf(event)) > charactersPerAppend);
      const some = next.splice(0, fits < 0 ? next.length : Math.max(1, fits));
      const written = some.map(({ revision, ...event }) =>
        jsonEvent({ id: randomUUID(), type: 'Redacted', data: { ...event, revision: `${revision}` } }),
      );
      const call = { stream: copies.stream, events: written, expectedRevision: 'any' } as const;
      await connection.append(call, timings.appendMs);
    }
  }

  /** Only forwards, whoever else is at it. Most streams have no settings yet. */
  async function truncate(stream: string, before: bigint): Promise<void> {
    const settings = `$$${prefix}${stream}`;
    for (let current: ServerEvent | undefined; ; current = await lastSettings(settings)) {
      const data = (current?.data ?? {}) as { readonly $tb?: number };
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
    const options = { direction: 'backwards', fromRevision: 'end', maxCount: 1 } as const;
    await connection
      .read({
        start: (client, base) => client.readStream(settings, { ...base, ...options }),
        take: (event) => void (last = event) === undefined,
        silenceMs: timings.silenceMs,
      })
      .catch((error: unknown) => {
        if (faultOf(error).kind !== 'no_stream') throw error;
      });
    return last;
  }

  /** Of all that is still to be seen; and before anything goes, what was written is read back. */
  async function redact(stream: string, through: bigint): Promise<number> {
    const shown = await originals(stream, through);
    const changed = shown.filter(({ data }) => withDigests(data) !== data);
    const last = changed.at(-1);
    if (last === undefined) return 0;
    const redacted = shown
      .filter(({ revision }) => revision <= last.revision)
      .map((event) => ({ ...event, data: withDigests(event.data) }));
    await copies.load();
    await append(redacted.filter(({ position }) => !copies.has(position)));
    await copies.load();
    const stored = await copies.at(redacted.map(({ position }) => position));
    for (const event of redacted)
      if (!isSame(event, stored.get(event.position)) || withDigests(event.data) !== event.data)
        throw new StoreUnavailableError(`the redacted copy of event ${event.id} is not what was written`);
    await truncate(stream, last.revision + 1n);
    return changed.length;
  }

  return {
    ...copies,
    redact: (stream, through) =>
      redact(stream, through).catch((error: unknown) => {
        throw unavailable(error);
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
