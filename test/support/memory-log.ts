/** A log in memory with its stored tree, which a test can alter event by event. */
import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { leafOf, toHex, type Hash } from '../../src/eventstore/leaf.js';
import { AlteredLogError, type LogSource, type NumberedEvent } from '../../src/eventstore/log-source.js';
import { createGrowingTree, eventsPerBlock, type Frontier, type TreeSource } from '../../src/eventstore/tree.js';
import { restoredMac } from '../../src/integrity/restores.js';
import { deriveRestoredKey } from '../../src/events/streams.js';
import { createSeal, type Seal, type SealedState } from '../../src/integrity/seal.js';
import { testKey } from './test-keys.js';

export const logId = '0192f0c1-0000-7000-8000-000000000001';
export const restoredKey = deriveRestoredKey('the secret of a log in memory');
export const sealKey = testKey(7);
export const sealTime = Date.UTC(2026, 4, 6, 7, 8, 9, 10);

export type AlterableEvent = { -readonly [Key in keyof NumberedEvent]: NumberedEvent[Key] };

interface NewEvent {
  readonly type: string;
  readonly data: object | string;
  /** Seconds after the first event. */
  readonly at?: number;
  readonly metadata?: string;
}

export const timeAt = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

export interface MemoryLog {
  readonly events: AlterableEvent[];
  readonly roots: Hash[];
  append(stream: string, event: NewEvent): void;
  /** Appends events to one stream until the log has so many. */
  fill(count: number, stream?: string): void;
  /** Appends a record of a restore as the service does. */
  recordRestore(record: { readonly count: number; readonly root: string; readonly key?: typeof restoredKey }): void;
  /** Computes the stored roots from the events, as somebody can who has read the documents. */
  recomputeRoots(): void;
  frontier(count?: number): Frontier;
  rootAt(count: number): string;
  seal(state?: Partial<SealedState>, key?: typeof sealKey): Seal;
  readonly source: LogSource & { readonly tree: TreeSource };
  readonly readStream: (stream: string) => AsyncIterable<readonly StoredEvent[]>;
}

/** Creates a log whose first event names it. Cut `events` and `roots` to shorten it. */
export function createMemoryLog(): MemoryLog {
  const events: AlterableEvent[] = [];
  const roots: Hash[] = [];
  const grown = (count: number): ReturnType<typeof createGrowingTree> => {
    const tree = createGrowingTree();
    for (const [index, event] of events.slice(0, count).entries()) tree.add(leafOf(index + 1, event));
    return tree;
  };
  const restoresIn = (count: number): number =>
    events.slice(0, count).filter(({ type }) => type === 'LogRestored').length;

  function append(stream: string, { type, data, at = events.length, metadata }: NewEvent): void {
    const before = events.filter((event) => event.stream === stream).length;
    const ordinal = events.length + 1;
    events.push({
      ...{ stream, revision: BigInt(before), position: positionOf(ordinal), ordinal, id: randomUUID(), type },
      data: typeof data === 'string' ? data : JSON.stringify(data),
      metadata: metadata ?? metadataAt(at, type === 'LogRestored' ? 2 : 1),
    });
    if (ordinal % eventsPerBlock === 0) recomputeRoots();
  }

  function recomputeRoots(): void {
    roots.splice(0);
    const tree = createGrowingTree();
    for (const [index, event] of events.entries()) {
      const root = tree.add(leafOf(index + 1, event));
      if (root !== undefined) roots.push(root);
    }
  }

  const rootAt = (count: number): string => toHex(grown(count).root() ?? '');
  const source: MemoryLog['source'] = {
    async *readEvents({ after = '' } = {}) {
      const found = events.filter(({ position }) => position > after);
      for (let from = 0; from < found.length; from += 100) yield await Promise.resolve(found.slice(from, from + 100));
    },
    tree: {
      count: () => Promise.resolve(events.length),
      blockRoots: (blocks) => Promise.resolve(roots.slice(0, blocks)),
      leavesOf(block) {
        const first = block * eventsPerBlock;
        const found = events.slice(first, first + eventsPerBlock);
        if (found.some(({ ordinal }, index) => ordinal !== first + index + 1))
          return Promise.reject(new AlteredLogError('an event is missing'));
        return Promise.resolve(found.map((event, index) => leafOf(first + index + 1, event)));
      },
      ordinalsAt: (positions) =>
        Promise.resolve(
          positions.map((position) => events.findIndex((event) => event.position === position) + 1 || undefined),
        ),
    },
  };

  append('service', { type: 'ServiceInitialised', data: { log_id: logId, secret_fingerprint: 'fingerprint' } });
  return {
    ...{ events, roots, append, recomputeRoots, rootAt, source },
    fill(count, stream = 'contact-1') {
      const before = events.filter((event) => event.stream === stream).length;
      for (let added = 0; events.length < count; added += 1) {
        const ordinal = events.length + 1;
        const data = JSON.stringify({
          text: `event ${ordinal}`,
          person: { salt: 'a', email: `${ordinal}@example.com` },
        });
        const place = { stream, revision: BigInt(before + added), position: positionOf(ordinal), ordinal };
        events.push({ ...place, id: randomUUID(), type: 'Said', data, metadata: metadataAt(ordinal - 1) });
      }
      recomputeRoots();
    },
    recordRestore({ count, root, key = restoredKey }) {
      const number = restoresIn(events.length) + 1;
      const mac = restoredMac({ logId, number, count, root, superseded: null }, key);
      append('service', { type: 'LogRestored', data: { count, root, superseded: null, mac } });
    },
    frontier: (count = events.length) => grown(count).frontier(),
    seal({ count = events.length, ...state } = {}, key = sealKey) {
      const sealed = { log_id: logId, seq: 1, restores: restoresIn(count), count, root: rootAt(count), final: false };
      return createSeal({ ...sealed, ...state }, key, sealTime);
    },
    async *readStream(stream) {
      yield await Promise.resolve(events.filter((event) => event.stream === stream));
    },
  };
}

const positionOf = (ordinal: number): string => String(ordinal).padStart(20, '0');

export const metadataAt = (seconds: number, schema = 1): string =>
  JSON.stringify({
    ...{ at: timeAt(seconds), $correlationId: 'a', $causationId: 'a', request_id: 'a', actor: 'service' },
    schema,
  });
