/**
 * An array index that is asked for beginnings of texts. They come in no order: in one large index each would cost a page of the
 * file. So documents are numbered, and the texts of many are sorted at once, into a run. A search asks each run, and looks
 * through the documents that no run has yet.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../sqlite/database.js';
import { assertSearch, byBytes } from '../find-plan.js';
import type { PrefixQuery, StoredDocument, View } from '../read-models.js';
import { documentRows, type DocumentRow } from './document-rows.js';
import { arrayName, sideName, tableNames } from './table-names.js';

/** Documents of a run. More: each search looks through more that are not in one. Fewer: it asks more runs. */
const runSize = 4_096;

const runOf = (number: number): number => Math.floor(number / runSize);

/** A run begins with an empty text that no search finds, so that it is there where all its documents are deleted. */
export const runsTable = (main: string, field: string): string =>
  `CREATE TABLE IF NOT EXISTS ${sideName(main, field)} (run INTEGER NOT NULL, value TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (run, value, number)) WITHOUT ROWID`;

/** The number of runs that there are. */
function runsIn(db: Database, main: string, field: string): () => number {
  const last = db.prepareValue<[], number | null>(`SELECT max(run) FROM ${sideName(main, field)}`);
  return () => (last.get() ?? -1) + 1;
}

/** Sorts the next run, where there are documents enough for one; whether there were. */
function createRunBuilder(db: Database, main: string, field: string): () => boolean {
  const [runs, array] = [sideName(main, field), arrayName(field)];
  const count = runsIn(db, main, field);
  const last = db.prepareValue<[], number | null>(`SELECT max(number) FROM ${main}`);
  const begin = db.prepare<[number]>(`INSERT INTO ${runs} (run, value, number) VALUES (?, '', -1)`);
  // SQLite reads some JSON escapes in another way than JavaScript.
  const sort = db.prepare<[number, number, number]>(
    `INSERT OR IGNORE INTO ${runs} SELECT ?1, a.value, d.number FROM ${main} d, json_each(d.${array}) a
     WHERE d.number >= ?2 AND d.number < ?3 AND instr(d.${array}, '\\') = 0 ORDER BY 2, 3`,
  );
  const escaped = db.prepare<[number, number], { number: number; text: string }>(
    `SELECT number, ${array} AS text FROM ${main} WHERE number >= ? AND number < ? AND instr(${array}, '\\') > 0`,
  );
  const insert = db.prepare<[number, string, number]>(`INSERT OR IGNORE INTO ${runs} VALUES (?, ?, ?)`);
  return () => {
    const next = count();
    const [from, to] = [next * runSize, (next + 1) * runSize];
    if ((last.get() ?? -1) < Number(to) - 1) return false;
    const run = next;
    begin.run(run);
    sort.run(run, from, to);
    for (const { number, text } of escaped.all(from, to))
      for (const value of valuesIn(text)) insert.run(run, value, number);
    return true;
  };
}

/** All that there are documents for, each in a transaction of its own: others have their turn in between. */
export async function addAllRuns(db: Database, view: View): Promise<void> {
  const { main, prefixed } = tableNames(view);
  for (const field of prefixed) {
    const addRun = createRunBuilder(db, main, field);
    for (let began = performance.now(); db.transaction(addRun, 'immediate'); began = performance.now())
      await pause(performance.now() - began);
  }
}

/** Keeps the runs up to date. `change` is to be called before the document is written. */
export function openPrefixIndex(db: Database, main: string, field: string) {
  const [runs, array] = [sideName(main, field), arrayName(field)];
  const count = runsIn(db, main, field);
  const select = db.prepare<[string], { number: number; text: string | null }>(
    `SELECT number, ${array} AS text FROM ${main} WHERE id = ?`,
  );
  const insert = db.prepare<[number, string, number]>(`INSERT OR IGNORE INTO ${runs} VALUES (?, ?, ?)`);
  const remove = db.prepare<[number, string, number]>(`DELETE FROM ${runs} WHERE run = ? AND value = ? AND number = ?`);
  const addRun = createRunBuilder(db, main, field);
  return {
    /** A new document is in no run yet. */
    change(id: string, isNew: boolean, after: string | null): void {
      const row = isNew ? undefined : select.get(id);
      if (row === undefined || row.text === after || runOf(row.number) >= count()) return;
      const [run, number] = [runOf(row.number), row.number];
      for (const value of valuesIn(row.text)) remove.run(run, value, number);
      for (const value of valuesIn(after)) insert.run(run, value, number);
    },
    end: (): void => void addRun(),
  };
}

const valuesIn = (text: string | null): string[] => (text === null ? [] : (JSON.parse(text) as string[]));

interface Hit {
  readonly value: string;
  readonly number: number;
}

const byValue = (one: Hit, other: Hit): number => byBytes(one.value, other.value) || one.number - other.number;

/** Answers `search`; keeps the statements it has prepared. */
export function createPrefixSearch(db: Database) {
  const searches = new Map<string, ReturnType<typeof searchIn>>();
  return <D>(view: View, query: PrefixQuery): readonly StoredDocument<D>[] => {
    assertSearch(view, query);
    const { main } = tableNames(view);
    const name = sideName(main, query.field);
    let search = searches.get(name);
    if (search === undefined) searches.set(name, (search = searchIn(db, view, query.field)));
    return db.transaction(() => search<D>(query));
  };
}

function searchIn(db: Database, view: View, field: string) {
  const { main } = tableNames(view);
  const rows = documentRows(view);
  const count = runsIn(db, main, field);
  const inRun = db.prepareRows<[number, string], [string, number]>(
    `SELECT value, number FROM ${sideName(main, field)} WHERE run = ? AND value >= ? ORDER BY value, number`,
  );
  const inNone = db.prepareRows<[number, string], [string, number]>(
    `SELECT ${arrayName(field)}, number FROM ${main} WHERE number >= ? AND instr(${arrayName(field)}, ?) > 0`,
  );
  const select = db.prepareRows<[number], DocumentRow>(
    `SELECT ${rows.columns.join(', ')} FROM ${main} WHERE number = ?`,
  );

  /** Of one run, in order: at most as many as are wanted, and none after the last of them that was found already. */
  function* hitsIn(run: number, { prefix, limit }: PrefixQuery, most: string | undefined): Generator<Hit> {
    const numbers = new Set<number>();
    for (const [value, number] of inRun.iterate(run, prefix)) {
      if (!value.startsWith(prefix) || (most !== undefined && byBytes(value, most) > 0)) return;
      if (numbers.has(number)) continue;
      yield { value, number };
      if (numbers.add(number).size === limit) return;
    }
  }

  function* looseHits(runs: number, prefix: string): Generator<Hit> {
    // The quote before it is part of the JSON, and not the only one: hence the second look.
    const quoted = JSON.stringify(prefix).slice(0, -1);
    for (const [text, number] of inNone.iterate(runs * runSize, quoted)) {
      const [value] = valuesIn(text)
        .filter((one) => one.startsWith(prefix))
        .sort(byBytes);
      if (value !== undefined) yield { value, number };
    }
  }

  return <D>(query: PrefixQuery): readonly StoredDocument<D>[] => {
    const runs = count();
    const least = (hits: readonly Hit[]): readonly Hit[] => [...hits].sort(byValue).slice(0, query.limit);
    let hits = least([...looseHits(runs, query.prefix)]);
    for (let run = 0; run < runs; run += 1) {
      const more = [...hitsIn(run, query, hits[query.limit - 1]?.value)];
      if (more.length > 0) hits = least([...hits, ...more]);
    }
    return hits.flatMap(({ number }) => {
      const row = select.get(number);
      return row === undefined ? [] : [rows.read<D>(row) as StoredDocument<D>];
    });
  };
}
