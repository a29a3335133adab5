/** A map that is never changed: setting a key yields a new one that shares almost everything with the old. Keeps catalogues of 100,000 names cheap to decide on speculatively. */

/** Three levels: 64 branches of 64 branches of small Maps, so that one change copies about 130 references and one Map of n / 4096 entries. */
type Leaf<Value> = ReadonlyMap<string, Value>;
type Branch<Value> = readonly (Leaf<Value> | undefined)[];

export interface PersistentMap<Value> {
  readonly size: number;
  get(key: string): Value | undefined;
  with(key: string, value: Value): PersistentMap<Value>;
  without(key: string): PersistentMap<Value>;
  entries(): IterableIterator<[string, Value]>;
}

export function emptyMap<Value>(): PersistentMap<Value> {
  return persistentMap<Value>([], 0);
}

function persistentMap<Value>(root: readonly (Branch<Value> | undefined)[], size: number): PersistentMap<Value> {
  const leafOf = (hash: number): Leaf<Value> | undefined => root[hash & 63]?.[(hash >>> 6) & 63];
  const replace = (hash: number, leaf: Leaf<Value>, change: number): PersistentMap<Value> => {
    const branch = replaceAt(root[hash & 63] ?? [], (hash >>> 6) & 63, leaf);
    return persistentMap(replaceAt(root, hash & 63, branch), size + change);
  };
  return {
    size,
    get: (key) => leafOf(hashOf(key))?.get(key),
    with(key, value) {
      const hash = hashOf(key);
      const leaf = new Map(leafOf(hash));
      const change = leaf.has(key) ? 0 : 1;
      return replace(hash, leaf.set(key, value), change);
    },
    without(key) {
      const hash = hashOf(key);
      const leaf = new Map(leafOf(hash));
      return leaf.delete(key) ? replace(hash, leaf, -1) : this;
    },
    *entries() {
      for (const branch of root) for (const leaf of branch ?? []) if (leaf !== undefined) yield* leaf;
    },
  };
}

function replaceAt<Item>(items: readonly (Item | undefined)[], index: number, item: Item): (Item | undefined)[] {
  const copy = items.slice();
  while (copy.length < index) copy.push(undefined);
  copy[index] = item;
  return copy;
}

/** FNV-1a over UTF-16 code units. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
