/** A map that is never changed: setting a key yields a new one. Keeps catalogues of 100,000 names cheap to decide on speculatively. */

export interface PersistentMap<Value> {
  readonly size: number;
  get(key: string): Value | undefined;
  with(key: string, value: Value): PersistentMap<Value>;
  without(key: string): PersistentMap<Value>;
  entries(): IterableIterator<[string, Value]>;
}

/**
 * One version. The newest holds a Map, each older one only its difference from the next one (Baker's rerooting): reading
 * and changing the newest costs what a Map costs, an older one a step per version. A version that is kept keeps all later
 * ones in memory, so nothing long-lived may hold one.
 */
interface Version<Value> {
  map: Map<string, Value> | undefined;
  /** What `key` held here, and the version where it holds something else. */
  difference: Difference<Value> | undefined;
}

interface Difference<Value> {
  readonly key: string;
  readonly value: Value | undefined;
  readonly next: Version<Value>;
}

/** Holds no version: initial states live as long as the process, and must not keep what came of them. */
export function emptyMap<Value>(): PersistentMap<Value> {
  const empty: PersistentMap<Value> = {
    size: 0,
    get: () => undefined,
    with: (key, value) => view({ map: new Map([[key, value]]), difference: undefined }, 1),
    without: () => empty,
    entries: () => new Map<string, Value>().entries(),
  };
  return empty;
}

function view<Value>(version: Version<Value>, size: number): PersistentMap<Value> {
  const self: PersistentMap<Value> = {
    size,
    get: (key) => read(version, key),
    with(key, value) {
      const map = reroot(version);
      const grown = map.has(key) ? 0 : 1;
      return view(change(version, key, value), size + grown);
    },
    without(key) {
      return reroot(version).has(key) ? view(change(version, key, undefined), size - 1) : self;
    },
    entries: () => new Map(reroot(version)).entries(),
  };
  return self;
}

function read<Value>(version: Version<Value>, key: string): Value | undefined {
  let current = version;
  while (current.difference !== undefined) {
    if (current.difference.key === key) return current.difference.value;
    current = current.difference.next;
  }
  return current.map?.get(key);
}

/** Hands the Map of `version`, which must be the newest, to a new version in which `key` holds `value`; undefined removes it. */
function change<Value>(version: Version<Value>, key: string, value: Value | undefined): Version<Value> {
  const map = reroot(version);
  const next: Version<Value> = { map, difference: undefined };
  version.difference = { key, value: map.get(key), next };
  version.map = undefined;
  assign(map, key, value);
  return next;
}

/** Makes `version` the one that holds the Map, by turning the differences on the way around. */
function reroot<Value>(version: Version<Value>): Map<string, Value> {
  const path: Version<Value>[] = [version];
  for (let at = version.difference; at !== undefined; at = at.next.difference) path.push(at.next);
  const newest = path.at(-1)?.map;
  if (newest === undefined) throw new Error('no version of the map holds it');
  for (let index = path.length - 2; index >= 0; index -= 1) turn(path[index], newest);
  return newest;
}

function turn<Value>(older: Version<Value> | undefined, map: Map<string, Value>): void {
  if (older?.difference === undefined) return;
  const { key, value, next } = older.difference;
  next.difference = { key, value: map.get(key), next: older };
  next.map = undefined;
  assign(map, key, value);
  older.map = map;
  older.difference = undefined;
}

function assign<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
