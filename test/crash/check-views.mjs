/** Compares the service's read models with a fresh fold of the log, document by document, by the same projector. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Database } from '../../dist/sqlite/database.js';

/** The service may go on writing: what its views showed at their checkpoint is held against a fold up to there. */
export async function checkViews({ dist, dataDir }) {
  const live = readViews(path.join(dataDir, 'views.db'));
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-fold-'));
  try {
    const file = path.join(folder, 'views.db');
    const eventsFile = path.join(dataDir, 'events.db');
    const faults = await fold({ dist, eventsFile, file, last: live.checkpoint.position });
    const problems = [...faults, ...live.problems, ...differences(live, readViews(file))];
    return { problems, documents: live.documents, position: Number(live.checkpoint.position) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fold({ dist, eventsFile, file, last }) {
  const load = (name) => import(pathToFileURL(path.join(dist, name)).href);
  const { runProjector } = await load('projector/projector.js');
  const { liveProjections } = await load('projections/views.js');
  const { openSqliteEventReader } = await load('eventstore/sqlite/reader.js');
  const { openSqliteReadModels } = await load('readmodels/sqlite/read-models.js');
  const reader = openSqliteEventReader({ file: eventsFile });
  const readModels = openSqliteReadModels({ file });
  const done = new AbortController();
  const faults = [];
  await runProjector({
    reader: {
      ...reader,
      readAll: (options) => pagesUpTo(reader.readAll(options), last),
      subscribe: (options) => upTo(reader.subscribe(options), last, options.signal),
    },
    // Without a rebuild, a log of any length is folded.
    shortLog: { events: Infinity, characters: Infinity },
    readModels,
    projections: liveProjections,
    signal: done.signal,
    random: Math.random,
    onProgress: ({ position }) => {
      if (position >= last) done.abort();
    },
    onFault: ({ kind, message }) => {
      faults.push(`the fresh fold: ${kind}: ${message}`);
      done.abort();
    },
  });
  await reader.close();
  await readModels.close();
  return faults;
}

async function* pagesUpTo(pages, last) {
  for await (const page of pages) {
    const events = page.filter(({ position }) => position <= last);
    if (events.length > 0) yield events;
    if (events.length < page.length) return;
  }
}

async function* upTo(messages, last, signal) {
  for await (const message of messages) {
    if (message.type !== 'events') continue;
    const events = message.events.filter(({ position }) => position <= last);
    if (events.length > 0) yield { type: 'events', events };
    if (message.events.at(-1).position >= last) break;
  }
  if (!signal.aborted) await once(signal, 'abort');
}

/** All tables but the two that are about the process, in one snapshot. */
export function readViews(file) {
  const db = new Database(file, { access: 'read' });
  try {
    return db.transaction(() => {
      const problems = [];
      const integrity = db.pragma('integrity_check');
      if (integrity !== 'ok') problems.push(`integrity_check of the views: ${integrity}`);
      const checkpoint = db.prepare("select * from checkpoints where name = 'views'").get();
      if (checkpoint === undefined) throw new Error(`${file} has no checkpoint`);
      const names = db.prepareValue("select name from sqlite_schema where type = 'table' order by name").all();
      const tables = new Map();
      for (const name of names) {
        if (
          ['snapshots_v1', 'rebuilds_v1', 'verified_v1', 'checkpoints', 'leases', 'records'].includes(name) ||
          name.startsWith('sqlite_')
        )
          continue;
        tables.set(
          name,
          db
            .prepare(`select * from "${name}" order by 1, 2`)
            .all()
            .map((row) => JSON.stringify(row)),
        );
      }
      for (const row of tables.get('parked_v1') ?? []) problems.push(`parked: ${row}`);
      return {
        checkpoint,
        tables,
        problems,
        documents: [...tables.values()].reduce((sum, rows) => sum + rows.length, 0),
      };
    });
  } finally {
    db.close();
  }
}

export function differences(live, fresh) {
  const problems = [];
  for (const field of ['log_id', 'position', 'event_id', 'live'])
    if (live.checkpoint[field] !== fresh.checkpoint[field]) problems.push(`the checkpoint has another ${field}`);
  for (const name of new Set([...live.tables.keys(), ...fresh.tables.keys()])) {
    const [shown, folded] = [live.tables.get(name) ?? [], fresh.tables.get(name) ?? []];
    const [inViews, inFold] = [new Set(shown), new Set(folded)];
    for (const row of shown) if (!inFold.has(row)) problems.push(`only in the views, table ${name}: ${row}`);
    for (const row of folded) if (!inViews.has(row)) problems.push(`only in the fresh fold, table ${name}: ${row}`);
  }
  return problems;
}
