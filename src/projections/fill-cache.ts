/** The documents that a fill has at hand: recent ones, written or yet to be written, and which ids cannot be in the store at all. */
import type { Document, DocumentWrite, ReadModels, View } from '../readmodels/read-models.js';
import { createSeenIds } from './seen-ids.js';

/** As the store knows it too, where `stored` is its position. */
interface Entry {
  document: Document | null;
  position: string;
  /** Its position in the store, or in the write that is under way; null = not there. */
  stored: string | null;
  changed: boolean;
}

/** The documents of one view: those touched since the last turn, and those touched in the turn before. */
interface Cached {
  readonly view: View;
  recent: Map<string, Entry>;
  older: Map<string, Entry>;
}

export interface FillCache extends Pick<ReadModels, 'load'> {
  /** Takes what a fold has changed. */
  absorb(writes: Iterable<DocumentWrite>): void;
  /**
   * All that is to be written, by view and in the order of ids. It stays at hand until the turn after: by then it must have
   * been written.
   */
  turn(): readonly DocumentWrite[];
  /** Documents touched since the last turn. */
  documents(): number;
  /** Characters of the documents loaded since the last turn. */
  characters(): number;
}

/** `isEmpty`: nothing is stored yet, so that what was never written need not be looked for. */
export function createFillCache(readModels: Pick<ReadModels, 'load'>, isEmpty: boolean): FillCache {
  const views = new Map<View, Cached>();
  const seen = isEmpty ? createSeenIds() : undefined;
  let characters = 0;

  const cached = (view: View): Cached => {
    const known = views.get(view) ?? { view, recent: new Map<string, Entry>(), older: new Map<string, Entry>() };
    views.set(view, known);
    return known;
  };
  const mayBeStored = ({ name, version }: View, id: string): boolean => seen?.has(`${name}${version}/${id}`) ?? true;

  return {
    async load(view, ids) {
      const { recent, older } = cached(view);
      const found = new Map<string, Entry>();
      const missing: string[] = [];
      for (const id of ids) {
        const entry = recent.get(id) ?? older.get(id);
        if (entry !== undefined) {
          recent.set(id, entry);
          found.set(id, entry);
        } else if (mayBeStored(view, id)) missing.push(id);
      }
      if (missing.length === 0) return found;
      for (const [id, { document, position }] of await readModels.load(view, missing)) {
        const entry = { document, position, stored: position, changed: false };
        characters += roughSize(document);
        recent.set(id, entry);
        found.set(id, entry);
      }
      return found;
    },

    absorb(writes) {
      for (const { view, id, document, position } of writes) {
        const { recent } = cached(view);
        const entry = recent.get(id);
        if (entry === undefined) recent.set(id, { document, position, stored: null, changed: true });
        else Object.assign(entry, { document, position, changed: true });
      }
    },

    turn() {
      const writes: DocumentWrite[] = [];
      for (const one of views.values()) {
        const changed = [...one.recent].filter(([, entry]) => entry.changed).sort(byId);
        for (const [id, entry] of changed) {
          const { document, position, stored } = entry;
          writes.push({ view: one.view, id, document, position, loaded: stored });
          if (stored === null) seen?.add(`${one.view.name}${one.view.version}/${id}`);
          entry.stored = position;
          entry.changed = false;
        }
        one.older = one.recent;
        one.recent = new Map();
      }
      characters = 0;
      return writes;
    },

    documents: () => [...views.values()].reduce((sum, { recent }) => sum + recent.size, 0),
    characters: () => characters,
  };
}

/** As SQLite orders ASCII, which ids are. */
const byId = ([a]: readonly [string, Entry], [b]: readonly [string, Entry]): number => (a < b ? -1 : 1);

/** Characters of a document, near enough for a bound. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 16;
  for (const [key, item] of Object.entries(value)) size += key.length + roughSize(item);
  return size;
}
