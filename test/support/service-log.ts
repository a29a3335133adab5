/** The event log of a service under test as it is stored: in the file of its data folder, or on a server. */
import { Database } from '../../src/sqlite/database.js';
import path from 'node:path';
import { inject } from 'vitest';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import type { EventStoreDbStore } from '../../src/eventstore/eventstoredb/event-store.js';
import { onServers, type Overrides } from './stores.js';

export interface LoggedEvent {
  /** As in `X-Position`. */
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly event_id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

interface ServiceLog {
  /** In log order. */
  events(): Promise<LoggedEvent[]>;
  /** Those of one request. */
  eventsOf(requestId: string): Promise<LoggedEvent[]>;
  count(): Promise<number>;
  close(): Promise<void>;
}

/** The log of a service that runs, or ran, with these variables. */
export function openServiceLog(variables: Overrides, dataDir: string): ServiceLog {
  const url = variables['EVENTSTORE_URL'];
  if (url === undefined) return embeddedLog(path.join(dataDir, 'events.db'));
  return serverLog(url, variables['EVENTSTORE_PREFIX'] ?? 'audience_');
}

interface Row {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly event_id: string;
  readonly data: string;
  readonly metadata: string;
}

/** Plain SQL, as anybody may read it. */
function embeddedLog(file: string): ServiceLog {
  async function ask<Result>(read: (db: Database) => Result): Promise<Result> {
    const db = new Database(file, { access: 'read' });
    try {
      return read(db);
    } finally {
      db.close();
    }
  }
  const rows = (where: string, ...parameters: readonly string[]): Promise<LoggedEvent[]> =>
    ask((db) =>
      db
        .prepare<string[], Row>(
          `select position, stream, revision, type, event_id, data, metadata from log ${where} order by position`,
        )
        .all(...parameters)
        .map((row) => ({
          ...row,
          position: String(row.position).padStart(20, '0'),
          data: objectIn(row.data),
          metadata: objectIn(row.metadata),
        })),
    );
  return {
    events: () => rows(''),
    eventsOf: (requestId) => rows("where json_extract(metadata, '$.request_id') = ?", requestId),
    count: () => ask((db) => Number(db.prepareValue('select count(*) from events').get())),
    close: () => Promise.resolve(),
  };
}

/** The log only grows, so each look reads on from where the last one ended. */
function serverLog(url: string, prefix: string): ServiceLog {
  const known: LoggedEvent[] = [];
  let after = onServers ? inject('servers').after : '';
  let opened: Promise<EventStoreDbStore> | undefined;
  let looking: Promise<unknown> = Promise.resolve();

  // Its client takes long to load, and where stores are embedded nobody needs it.
  const open = (): Promise<EventStoreDbStore> =>
    (opened ??= import('../../src/eventstore/eventstoredb/event-store.js').then(({ openEventStoreDb }) =>
      openEventStoreDb({ url, prefix }),
    ));

  async function readOn(): Promise<readonly LoggedEvent[]> {
    const store = await open();
    for await (const batch of store.readAll({ after })) {
      known.push(...batch.map(logged));
      after = batch.at(-1)?.position ?? after;
    }
    return known;
  }

  function look(): Promise<readonly LoggedEvent[]> {
    const look = looking.then(readOn);
    looking = look.catch(() => undefined);
    return look;
  }

  return {
    events: async () => [...(await look())],
    eventsOf: async (requestId) => (await look()).filter(({ metadata }) => metadata['request_id'] === requestId),
    count: async () => (await look()).length,
    close: async () => (await opened)?.close(),
  };
}

const logged = ({ position, stream, revision, type, id, data, metadata }: StoredEvent): LoggedEvent => ({
  position,
  stream,
  revision: Number(revision),
  type,
  event_id: id,
  data: objectIn(data),
  metadata: objectIn(metadata),
});

const objectIn = (text: string): LoggedEvent['data'] => JSON.parse(text) as LoggedEvent['data'];
