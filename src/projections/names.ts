/** Names of lists and tags for answers. Names are cached until the views show another position or read other storages. */
import type { DocumentsById } from '../readmodels/read-models.js';
import { lists, tags, type ListDocument, type TagDocument } from './catalogues.js';
import type { QueryReader } from './query-reader.js';

interface WantedNames {
  readonly lists: readonly string[];
  readonly tags: readonly string[];
}

/** The names of lists and tags that are not deleted, by id. */
export interface Names {
  readonly lists: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, string>;
}

/** Returns the storages that are read and the position that they are known to show. Compared member by member. */
export type Standing = () => readonly unknown[];

/** The most names in the cache. Beyond this number the cache is emptied, so that memory stays bounded. */
const mostHeld = 20_000;

/** Creates the cache. Without `standing`, no name is cached. */
export function createNames(standing?: Standing) {
  let at: readonly unknown[] = [];
  let held = { lists: new Map<string, string>(), tags: new Map<string, string>() };

  /** Returns the cache, emptied if the views have moved. A cached name is at least as new as what the views are known to show. */
  function heldNow(): typeof held {
    const now = standing?.() ?? [{}];
    const isMoved = now.length !== at.length || now.some((one, index) => one !== at[index]);
    if (isMoved || held.lists.size + held.tags.size > mostHeld) held = { lists: new Map(), tags: new Map() };
    at = now;
    return held;
  }

  /** Returns the names. A missing name is not cached, because another process may just have created the list or tag. */
  return async (views: Pick<QueryReader, 'settle' | 'getEach'>, wanted: WantedNames): Promise<Names> => {
    // A cached name must be as new as a name that is read.
    const settling = wanted.lists.length > 0 ? views.settle(lists) : undefined;
    if (settling !== undefined) await settling;
    const settlingTags = wanted.tags.length > 0 ? views.settle(tags) : undefined;
    if (settlingTags !== undefined) await settlingTags;
    // If the views move during the reads, `heldNow` starts new maps, and these maps get the names of the earlier position.
    const names = heldNow();
    const missing = (kind: keyof WantedNames): string[] =>
      [...new Set(wanted[kind])].filter((id) => !names[kind].has(id));
    const absent = { lists: missing('lists'), tags: missing('tags') };
    if (absent.lists.length + absent.tags.length === 0) return names;
    const [ofLists, ofTags] = await views.getEach<ListDocument | TagDocument>([
      { view: lists, ids: absent.lists },
      { view: tags, ids: absent.tags },
    ]);
    keep(names.lists, ofLists);
    keep(names.tags, ofTags);
    return names;
  };
}

function keep(names: Map<string, string>, found: DocumentsById<ListDocument | TagDocument> | undefined): void {
  for (const [id, { document }] of found ?? [])
    names.set(id, 'list_name' in document ? document.list_name : document.tag_name);
}
