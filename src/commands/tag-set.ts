/** The tags of a subscription, in the order of attaching: never changed, and yet cheap to add to when there are hundreds. */

/** Ids copied at each addition; beyond, all of them are copied once. */
const mostRecent = 32;

export interface TagSet extends Iterable<string> {
  has(id: string): boolean;
  with(ids: readonly string[]): TagSet;
  without(ids: readonly string[]): TagSet;
}

export const noTags: TagSet = tagSet(new Set(), []);

/** `older` is shared with the sets that this one came from. */
function tagSet(older: ReadonlySet<string>, recent: readonly string[]): TagSet {
  const has = (id: string): boolean => older.has(id) || recent.includes(id);
  const set: TagSet = {
    has,
    with(ids) {
      const fresh = ids.filter((id) => !has(id));
      if (fresh.length === 0) return set;
      const more = [...recent, ...new Set(fresh)];
      return more.length <= mostRecent ? tagSet(older, more) : tagSet(new Set([...older, ...more]), []);
    },
    without(ids) {
      const gone = new Set(ids);
      return tagSet(new Set([...set].filter((id) => !gone.has(id))), []);
    },
    *[Symbol.iterator]() {
      yield* older;
      yield* recent;
    },
  };
  return set;
}
