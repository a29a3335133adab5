/** What a person does to a data folder or an export, behind the service's back: one entry for each line of the table in docs/evidence.md. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../src/sqlite/database.js';
import { deriveHeadKey } from '../../src/events/streams.js';
import { firstLink, leafOf, linkAfter, toHex, withDigests } from '../../src/eventstore/chain.js';
import { macOf } from '../../src/eventstore/sealed-head.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { blockOf, createGrowingTree } from '../../src/eventstore/tree.js';
import { disguise, hideRows } from './disguise.js';
import { exampleEvent } from '../support/evidence-log.js';
import { initialised, logId, secretOfLog } from '../support/migrating.js';

/** The folder before the attack, and what the attacker may know. */
export interface Scene {
  readonly folder: string;
  /** An older copy of it. */
  readonly older: string;
  readonly secret: string;
  /** Events that the seal covers; there are some more. */
  readonly sealed: number;
}

type OnFolder = (scene: Scene) => void | Promise<void>;
/** What is done to the text of an export. */
type OnExport = (text: string) => string;

type Attack =
  | { readonly on: 'folder'; readonly variants: readonly OnFolder[] }
  | { readonly on: 'export'; readonly variants: readonly OnExport[] };

export const logOf = (folder: string): string => path.join(folder, 'events.db');

const inLog =
  (change: (db: Database, scene: Scene) => void): OnFolder =>
  (scene) => {
    const db = new Database(logOf(scene.folder));
    try {
      change(db, scene);
    } finally {
      db.close();
    }
  };
const sql = (text: string): OnFolder => inLog((db) => db.exec(text));
const removeViews: OnFolder = ({ folder }) => {
  for (const end of ['', '-wal', '-shm']) rmSync(path.join(folder, `views.db${end}`), { force: true });
};
const inOrder =
  (...steps: readonly OnFolder[]): OnFolder =>
  async (scene) => {
    for (const step of steps) await step(scene);
  };

type Row = { stream: string; revision: number; id: string; type: string; data: string; metadata: string };

/** Computes all links and roots again, as one does who knows docs/evidence.md. */
const relink = inLog((db) => {
  const rows = db.prepare<[], Row>('select stream, revision, event_id as id, type, data, metadata from log').all();
  const tree = createGrowingTree();
  let link = firstLink;
  for (const [at, row] of rows.entries()) {
    link = linkAfter(link, at + 1, row);
    db.prepare('update events set chain = unhex(?) where position = ?').run(link, at + 1);
    const root = tree.add(leafOf(at + 1, row));
    if (root !== undefined)
      db.prepare('update blocks set root = unhex(?) where number = ?').run(toHex(root), blockOf(at + 1));
  }
});

/** Makes the sealed head again, as one does who has read the secret. */
const reseal = inLog((db, { secret }) => {
  const [count, head] = db
    .prepareRows<[], [number, string]>('select position, lower(hex(chain)) from events order by position desc limit 1')

    .get() ?? [0, ''];
  const id = db.prepareValue<[], string>(`select data ->> 'log_id' from events where position = 1`).get() ?? '';
  const mac = macOf(deriveHeadKey(secret), { logId: id, count, head });
  db.prepare('update head set count = ?, head = unhex(?), mac = unhex(?)').run(count, head, mac);
});

/** As many of the last events as the seal does not cover, and some more. */
const cutEnd = inLog((db, { sealed }) => {
  db.prepare('delete from events where position > ?').run(sealed - 3);
  db.exec(`delete from streams where id not in (select stream_id from events);
    update streams set revision = (select max(revision) from events where stream_id = streams.id);
    delete from blocks where number >= (select max(position) from events) / 256`);
});

const change = sql(`update events set type = 'Forged' where position = 5`);

const appendForged = sql(`
  insert into events select position + 1, stream_id, revision + 1, 'another-id', type, data, metadata, recorded_at, chain
    from events order by position desc limit 1;
  update streams set revision = revision + 1
    where id = (select stream_id from events order by position desc limit 1)`);

export const appends = {
  'with a right link': inOrder(appendForged, relink),
  'with a right link and the secret': inOrder(appendForged, relink, reseal),
} satisfies Record<string, OnFolder>;

async function anotherLog(scene: Scene): Promise<void> {
  const { folder } = scene;
  for (const end of ['', '-wal', '-shm']) rmSync(logOf(folder) + end, { force: true });
  await removeViews(scene);
  const headKey = (): Uint8Array => deriveHeadKey(secretOfLog);
  const store = await openSqliteEventStore({ file: logOf(folder), clock: Date.now, headKey });
  await store.append('service', [initialised(logId)], { expectedRevision: 'no_stream' });
  await store.close();
  writeFileSync(path.join(folder, 'secret'), secretOfLog);
}

const alterLine: OnExport = (text) => text.replace(/"type":"Contact/, '"type":"Kontact');

export const attacks: Readonly<Record<string, Attack>> = {
  'changes an event, drops, moves or puts in one, and leaves the links': {
    on: 'folder',
    variants: [
      change,
      // Of several events that have them once.
      sql(`update events set metadata = replace(metadata, '"actor":"', '"actor":"x') where position = 5`),
      sql(`update events set metadata = '3' where position = 6`),
      sql('delete from events where position = 5'),
      sql(`update events set position = -1 where position = 5; update events set position = 5 where position = 6;
        update events set position = 6 where position = -1`),
      inLog((db) => {
        const { id, type, data, metadata } = exampleEvent(1);
        db.prepare(`insert into streams (name, revision) values ('put-in', 0)`).run();
        db.prepare(
          `insert into events select max(position) + 1, (select id from streams where name = 'put-in'), 0, ?, ?, ?, ?, '', zeroblob(32) from events`,
        ).run(id, type, data, metadata);
      }),
    ],
  },
  'rewrites the log from some event on, links included': { on: 'folder', variants: [inOrder(change, relink)] },
  'rewrites events after the seal, links included': {
    on: 'folder',
    variants: [
      inOrder(
        inLog((db, { sealed }) => {
          db.prepare(`update events set type = 'Forged' where position = ?`).run(sealed + 1);
        }),
        relink,
      ),
    ],
  },
  'rewrites the log with the secret, links and sealed head included': {
    on: 'folder',
    variants: [inOrder(change, relink, reseal)],
  },
  'appends an event with a right link': { on: 'folder', variants: [appends['with a right link']] },
  'cuts off the end': { on: 'folder', variants: [cutEnd] },
  'cuts off the end, and removes `views.db`': { on: 'folder', variants: [inOrder(cutEnd, removeViews)] },
  'cuts off the end with the secret, and removes `views.db`': {
    on: 'folder',
    variants: [inOrder(cutEnd, reseal, removeViews)],
  },
  'puts back an older copy of `events.db`': {
    on: 'folder',
    variants: [({ folder, older }) => cpSync(logOf(older), logOf(folder))],
  },
  'puts back an older copy of the whole folder': {
    on: 'folder',
    variants: [inOrder(removeViews, ({ folder, older }) => cpSync(older, folder, { recursive: true, force: true }))],
  },
  'exchanges the whole folder for one with another secret': { on: 'folder', variants: [anotherLog] },
  'removes the sealed head, alters it, or puts an older one there': {
    on: 'folder',
    variants: [
      sql('delete from head'),
      sql('update head set mac = zeroblob(32)'),
      inLog((db, { older }) => {
        db.exec(`attach '${logOf(older)}' as older; delete from head; insert into head select * from older.head`);
      }),
    ],
  },
  'hides events from reads, by an index that lacks them or their stream': {
    on: 'folder',
    variants: [({ folder }) => hideRows(logOf(folder), 'events_by_stream', 'position = 5')],
  },
  'adds a trigger, or alters an index or the view `log`': {
    on: 'folder',
    variants: [
      sql('create trigger t after insert on events begin select 1; end'),
      ({ folder }) =>
        disguise(logOf(folder), 'events_by_stream', 'CREATE INDEX events_by_stream on events (stream_id, revision)'),
    ],
  },
  'alters a kept root of the tree': {
    on: 'folder',
    variants: [sql('update blocks set root = zeroblob(32) where number = 0'), sql('delete from blocks')],
  },
  'alters a line of an export': { on: 'export', variants: [alterLine] },
  'alters an export, and takes out all its links': {
    on: 'export',
    variants: [(text) => alterLine(text).replaceAll(/,"chain":"[0-9a-f]{64}"/g, '')],
  },
  'changes `position` in an export': {
    on: 'export',
    variants: [(text) => text.replace(/"position":"0/, '"position":"9')],
  },
  "changes `recorded_at`, the store's own time": {
    on: 'folder',
    variants: [sql(`update events set recorded_at = '2001-01-01T00:00:00.000Z'`)],
  },
  'replaces personal data by their digest': {
    on: 'folder',
    variants: [
      inLog((db) => {
        const rows = db.prepare<[], { position: number; data: string }>('select position, data from events').all();
        for (const { position, data } of rows)
          db.prepare('update events set data = ? where position = ?').run(withDigests(data), position);
      }),
    ],
  },
};
