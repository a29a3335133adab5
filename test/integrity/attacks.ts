/** Attacks on the files of a data folder whose service is stopped, by someone who knows the formats. */
import { createPrivateKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deriveRestoredKey } from '../../src/events/streams.js';
import { leafOf, toHex, withDigests, type Hash } from '../../src/eventstore/leaf.js';
import { createGrowingTree, eventsPerBlock } from '../../src/eventstore/tree.js';
import { restoredMac } from '../../src/integrity/restores.js';
import { createSeal, parseSeal, sealText, type Seal } from '../../src/integrity/seal.js';
import { Database } from '../../src/sqlite/database.js';

/** A data folder, and what SEAL_DIR has. */
export interface Scene {
  readonly folder: string;
  readonly copies: string;
}
export type Attack = (scene: Scene) => void;

export const logOf = (folder: string): string => path.join(folder, 'events.db');
export const sealsOf = (folder: string): string => path.join(folder, 'seals');
export const secretOf = (folder: string): string => readFileSync(path.join(folder, 'secret'), 'utf8').trim();
export const inOrder =
  (...attacks: readonly Attack[]): Attack =>
  (scene) => {
    for (const attack of attacks) attack(scene);
  };

function withLog<Result>(folder: string, work: (db: Database) => Result): Result {
  const db = new Database(logOf(folder));
  db.pragma('synchronous = OFF');
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export const inLog =
  (sql: string): Attack =>
  ({ folder }) =>
    withLog(folder, (db) => void db.exec(sql));

/** Removes the views, because a start refuses views that are ahead of the log. */
const removeViews: Attack = ({ folder }) => {
  for (const end of ['', '-wal', '-shm']) rmSync(path.join(folder, `views.db${end}`), { force: true });
};
interface Row {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}
const rowsOf = (db: Database): readonly Row[] =>
  db
    .prepare<[], Row>(
      'select position, stream, revision, event_id as id, type, data, metadata from log order by position',
    )
    .all();

/** Returns count, root and block roots of the log as it is in the file. */
function treeOf(db: Database) {
  const tree = createGrowingTree();
  const blocks: Hash[] = [];
  for (const [at, row] of rowsOf(db).entries()) {
    const root = tree.add(leafOf(at + 1, row));
    if (root !== undefined) blocks.push(root);
  }
  return { count: tree.count(), root: toHex(tree.root() ?? ''), blocks };
}
export const stateOf = (folder: string) => withLog(folder, treeOf);

/** Computes all block roots again. */
export const recomputeBlocks: Attack = ({ folder }) =>
  withLog(folder, (db) => {
    db.exec('delete from blocks');
    for (const [number, root] of treeOf(db).blocks.entries())
      db.prepare('insert into blocks values (?, ?)').run(number, Buffer.from(root, 'latin1'));
  });

const correctStreams = `
  delete from streams where id not in (select stream_id from events);
  update streams set revision = (select max(revision) from events where stream_id = streams.id);`;
/** Moves the events from a position on by one place. */
const shifted = (from: number, by: 1 | -1): string => `
  update events set position = -(position + ${by}) where position >= ${from};
  update events set position = -position where position < 0;`;

export const change = (ordinal: number): Attack =>
  inLog(`update events set type = 'Forged' where position = ${ordinal}`);
/** Drops an event and leaves its place empty. */
export const drop = (ordinal: number): Attack => inLog(`delete from events where position = ${ordinal}`);
/** Drops the last event of a stream and closes the gap. @param ordinal an event that is the last one of its stream */
export const dropWithoutGap = (ordinal: number): Attack =>
  inOrder(
    inLog(`delete from events where position = ${ordinal}; ${shifted(ordinal + 1, -1)} ${correctStreams}`),
    removeViews,
  );
export const swap = (ordinal: number): Attack =>
  inLog(`
    update events set position = -1 where position = ${ordinal};
    update events set position = ${ordinal} where position = ${ordinal + 1};
    update events set position = ${ordinal + 1} where position = -1`);
/** Inserts an event of a stream of its own. */
export const insert = (ordinal: number): Attack =>
  inOrder(
    inLog(`${shifted(ordinal, 1)}
      insert into streams (name, revision) values ('contact-forged', 0);
      insert into events select ${ordinal}, (select id from streams where name = 'contact-forged'), 0,
        '${randomUUID()}', type, data, metadata_id from events where position = ${ordinal - 1}`),
    removeViews,
  );
export const append = inLog(`
  insert into streams (name, revision) values ('contact-appended', 0);
  insert into events select position + 1, (select id from streams where name = 'contact-appended'), 0,
    '${randomUUID()}', type, data, metadata_id from events order by position desc limit 1`);
/** Cuts off the end, and removes what a start could notice it by without seals. */
export const cutAfter = (ordinal: number): Attack =>
  inOrder(
    inLog(`delete from events where position > ${ordinal}; ${correctStreams}
      delete from blocks where number >= ${Math.floor(ordinal / eventsPerBlock)}`),
    removeViews,
  );

/** Puts back `events.db`, or the whole data folder, from an older copy. SEAL_DIR stays. */
export const putBack =
  (older: string, { whole }: { readonly whole: boolean }): Attack =>
  ({ folder }) => {
    removeViews({ folder, copies: '' });
    if (!whole) return cpSync(logOf(older), logOf(folder));
    rmSync(folder, { recursive: true });
    cpSync(older, folder, { recursive: true });
  };

export const sealKeyOf = (folder: string): KeyObject =>
  createPrivateKey(readFileSync(path.join(folder, 'seal-key.pem'), 'utf8'));
export const foreignKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;
export const removeKey: Attack = ({ folder }) => rmSync(path.join(folder, 'seal-key.pem'));
export const exchangeKey: Attack = ({ folder }) =>
  writeFileSync(path.join(folder, 'seal-key.pem'), foreignKey().export({ type: 'pkcs8', format: 'pem' }));

/** Returns the seals of a folder of seals, which may be missing, in the order in which they were made. */
export const readSeals = (seals: string): readonly Seal[] =>
  (existsSync(seals) ? readdirSync(seals) : [])
    .filter((name) => name.startsWith('seal-'))
    .map((name) => parseSeal(readFileSync(path.join(seals, name), 'utf8')))
    .sort((one, other) => one.seq - other.seq);

/** Seals the log as it is in the file. */
export const sealAs =
  (into: 'folder' | 'copies', keyOf: (folder: string) => KeyObject, changes: Partial<Seal> = {}): Attack =>
  ({ folder, copies }) => {
    const { count, root } = stateOf(folder);
    const last = readSeals(copies).at(-1);
    const { log_id = '', seq = 0, restores = 0 } = last ?? {};
    const state = { log_id, seq: seq + 100, restores, count, root, final: true, ...changes };
    const seal = createSeal(state, keyOf(folder), Date.now());
    const to = into === 'folder' ? sealsOf(folder) : copies;
    mkdirSync(to, { recursive: true });
    writeFileSync(
      path.join(to, `seal-${String(seal.seq).padStart(8, '0')}-2100-01-01T00-00-00.000Z.json`),
      sealText(seal),
    );
  };

export const newestSealFile = (seals: string): string =>
  path.join(
    seals,
    readdirSync(seals)
      .filter((name) => name.startsWith('seal-'))
      .sort()
      .at(-1) ?? '',
  );
/** Alters the newest seal in each of the folders, so that its signature does not match. */
export const alterNewestSeal: Attack = ({ folder, copies }) => {
  for (const seals of [sealsOf(folder), copies]) {
    const file = newestSealFile(seals);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"count": \d+/, '"count": 1000000'));
  }
};
export const removeNewestSeal =
  (where: 'folder' | 'both'): Attack =>
  ({ folder, copies }) => {
    for (const seals of where === 'both' ? [sealsOf(folder), copies] : [sealsOf(folder)]) rmSync(newestSealFile(seals));
  };
/** Appends a `LogRestored` event. @param keyOf the key of its MAC */
export const appendRestored =
  (keyOf: (folder: string) => KeyObject, changes: { readonly mac?: string } = {}): Attack =>
  ({ folder }) =>
    withLog(folder, (db) => {
      const { count, root } = treeOf(db);
      const rows = rowsOf(db);
      const logId = (JSON.parse(rows[0]?.data ?? '') as { log_id: string }).log_id;
      const service = rows.filter(({ stream }) => stream === 'service');
      const number = service.filter(({ type }) => type === 'LogRestored').length + 1;
      const record = { count, root, superseded: null };
      const mac = restoredMac({ ...record, number, logId }, keyOf(folder));
      const metadata = JSON.stringify({
        ...(JSON.parse(rows[0]?.metadata ?? '') as object),
        at: new Date().toISOString(),
        schema: 2,
      });
      const row = [count + 1, service.length, randomUUID(), JSON.stringify({ ...record, mac, ...changes })];
      db.prepare(`insert into metadata (recorded_at, json) values ('', ?)`).run(metadata);
      db.prepare(
        `insert into events select ?1, id, ?2, ?3, 'LogRestored', ?4, last_insert_rowid() from streams where name = 'service'`,
      ).run(...row);
      db.exec(`update streams set revision = revision + 1 where name = 'service'`);
    });
export const withSecret = (folder: string): KeyObject => deriveRestoredKey(secretOf(folder));
export const withoutSecret = (): KeyObject => deriveRestoredKey('another secret of somebody who does not know it');

/** Replaces all personal data by their digests, as an erasure does. */
export const digestPersons: Attack = ({ folder }) =>
  withLog(folder, (db) => {
    const update = db.prepare('update events set data = ? where position = ?');
    db.transaction(() => {
      for (const { position, data } of rowsOf(db)) update.run(withDigests(data), position);
    });
  });

export const changeBlock = inLog('update blocks set root = zeroblob(32) where number = 0');
export const removeBlock = inLog('delete from blocks where number = 0');
