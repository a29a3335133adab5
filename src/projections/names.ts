/** Names of lists and tags, for what is shown with them: held for as long as the views stand where they stood when the names were read. */
import type { DocumentsById } from '../readmodels/read-models.js';
import { lists, tags, type ListDocument, type TagDocument } from './catalogues.js';
import type { QueryReader } from './query-reader.js';

interface WantedNames {
  readonly lists: readonly string[];
  readonly tags: readonly string[];
}

/** By id, of those that live. */
export interface Names {
  readonly lists: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<string, string>;
}

/** Tells which storages are read, and what position they are known to show; it is compared member by member. */
export type Standing = () => readonly unknown[];

/** When there are more, they are read again: memory stays bounded. */
const mostHeld = 20_000;

/** Without `standing` no name is held. */
export function createNames(standing?: Standing) {
  let at: readonly unknown[] = [];
  let held = { lists: new Map<string, string>(), tags: new Map<string, string>() };

  /** A name that was read here is at least as new as all that the views are known to show while they stand here. */
  function heldNow(): typeof held {
    const now = standing?.() ?? [{}];
    const isMoved = now.length !== at.length || now.some((one, index) => one !== at[index]);
    if (isMoved || held.lists.size + held.tags.size > mostHeld) held = { lists: new Map(), tags: new Map() };
    at = now;
    return held;
  }

  /** Only names are held: of what is missing here another process may just have created it. */
  return async (views: Pick<QueryReader, 'settle' | 'getEach'>, wanted: WantedNames): Promise<Names> => {
    // A held name must be as new as one that is read.
    const settling = wanted.lists.length > 0 ? views.settle(lists) : undefined;
    if (settling !== undefined) await settling;
    const settlingTags = wanted.tags.length > 0 ? views.settle(tags) : undefined;
    if (settlingTags !== undefined) await settlingTags;
    // If the views move meanwhile, `heldNow` starts with new maps, and these get what was read for the earlier position.
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
