/**
 * Finds the streams of the embedded log by name.
 *
 * Names of contacts and e-mails are random, so that an index of them is written all over: kept up at every append, it would
 * cost a page of 4 KB a new stream, as much as everything else in a commit. So streams come into the index many at once, in its
 * order; the newest ones are known to their writer, and readers take them from the end of `streams`. (EventStoreDB does it alike,
 * with its memtable and sorted index files.) The key is the end of the name, since those that are many end in random digits, and
 * whole names would make the index four times as large; `streams` has the last word.
 */
import type Database from 'better-sqlite3';

/** More would make appends wait longer for the index, fewer would write more of its pages. */
const namesAtOnce = 4_096;

const inIndex = `select s.id from stream_names n cross join streams s on s.id = n.stream_id
  where n.ending = substr(?, -8) and s.name = ?`;
const newest = 'select name, id from streams where id > ? order by id';
const indexed = 'select up_to from indexed_streams';

type Named = readonly [name: string, id: number];

/** Brings into the index what it lacks. Within a transaction. */
export function indexNewNames(db: Database.Database): void {
  db.exec(`
    insert into stream_names select substr(name, -8), id from streams where id > (${indexed}) order by 1, 2;
    update indexed_streams set up_to = (select coalesce(max(id), 0) from streams);
  `);
}

function indexLookup(db: Database.Database): (name: string) => number | undefined {
  const find = db.prepare<[string, string], number>(inIndex).pluck();
  return (name) => find.get(name, name);
}

export interface WrittenNames {
  /** The number of the stream; undefined = there is none. */
  find(name: string): number | undefined;
  /** Notes a stream that was just inserted. The name is kept in memory: it must not be a piece of a larger text. */
  add(name: string, id: number): void;
  /** Indexes the newest streams, in a transaction of its own, when there are many. */
  tidy(): void;
  /** To be called after every roll-back: what was added may never have come true. */
  reset(): void;
}

/** For the one writer. */
export function createWrittenNames(db: Database.Database): WrittenNames {
  const find = indexLookup(db);
  const list = db.prepare<[number], Named>(newest).raw();
  const upTo = db.prepare<[], number>(indexed).pluck();
  const index = db.transaction(() => indexNewNames(db));
  let recent: Map<string, number>;
  reset();

  function reset(): void {
    recent = new Map(list.all(upTo.get() ?? 0));
  }

  return {
    find: (name) => recent.get(name) ?? find(name),
    add: (name, id) => void recent.set(name, id),
    tidy() {
      if (recent.size < namesAtOnce) return;
      index.immediate();
      recent = new Map();
    },
    reset,
  };
}

/** For readers: looks up the number of the stream of that name, as of now; undefined = there is none. */
export function createNameFinder(db: Database.Database): (name: string) => number | undefined {
  const find = indexLookup(db);
  const list = db.prepare<[number], Named>(newest).raw();
  const upTo = db.prepare<[], number>(indexed).pluck();
  /** The streams beyond `before`, up to `seen`. */
  const recent = new Map<string, number>();
  let before = 0;
  let seen = 0;

  function forgetIndexed(): void {
    const now = upTo.get() ?? 0;
    if (now === before) return;
    before = now;
    seen = Math.max(seen, now);
    for (const [name, id] of recent)
      if (id <= now) recent.delete(name);
      else break;
  }

  /** In one transaction: between two looks a name could come into the index and out of the newest. */
  const search = db.transaction((name: string): number | undefined => {
    const found = find(name);
    if (found !== undefined) return found;
    forgetIndexed();
    for (const [newer, id] of list.iterate(seen)) {
      recent.set(newer, id);
      seen = id;
    }
    return recent.get(name);
  });

  return (name) => recent.get(name) ?? find(name) ?? search(name);
}

/** Of logs before there was `stream_names`: whole names are indexed there. */
export function createOldNameFinder(db: Database.Database): (name: string) => number | undefined {
  const find = db.prepare<[string], number>('select id from streams where name = ?').pluck();
  return (name) => find.get(name);
}
