/** The documents that a bulk build holds in memory: recent ones, written or yet to be written, and which ids cannot be in the store. */
import { createBloomFilter } from '../flow/bloom-filter.js';
import type { DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import { toSlot, type Slot } from '../projector/fold.js';
import type { Projection } from '../projections/projection.js';

/** The documents of one view: those touched since the last turn, and those that are being written. */
interface Held {
  readonly projection: Projection;
  recent: Map<string, Slot>;
  leaving: ReadonlyMap<string, Slot>;
}

/** With 10 million ids, 5 % of new ones are taken for known. */
const filterBits = 2 ** 26;

export type BuildCache = ReturnType<typeof createBuildCache>;

/** `isEmpty`: nothing is stored yet, so that what was never written need not be looked for. */
export function createBuildCache(readModels: Pick<ReadModels, 'load'>, isEmpty: boolean) {
  const views = new Map<Projection, Held>();
  const stored = isEmpty ? createBloomFilter(filterBits) : undefined;
  let characters = 0;

  function held(projection: Projection): Held {
    let found = views.get(projection);
    if (found === undefined) views.set(projection, (found = { projection, recent: new Map(), leaving: new Map() }));
    return found;
  }

  return {
    async slots(projection: Projection, ids: readonly string[]): Promise<ReadonlyMap<string, Slot>> {
      const { recent, leaving } = held(projection);
      const missing: string[] = [];
      for (const id of ids) {
        if (recent.has(id)) continue;
        const known = leaving.get(id);
        recent.set(id, known ?? toSlot(undefined));
        if (known === undefined && stored?.has(projection.name, id) !== false) missing.push(id);
      }
      if (missing.length === 0) return recent;
      for (const [id, found] of await readModels.load(projection, missing)) {
        characters += roughSize(found.document);
        recent.set(id, toSlot(found));
      }
      return recent;
    },

    /** All that is to be written, by view and in the order of ids. It is kept until it has been. */
    turn(): DocumentWrite[] {
      const writes: DocumentWrite[] = [];
      for (const view of views.values()) {
        for (const write of changes(view)) {
          writes.push(write);
          if (write.loaded === null) stored?.add(view.projection.name, write.id);
        }
        view.leaving = view.recent;
        view.recent = new Map();
      }
      characters = 0;
      return writes;
    },
    written(): void {
      for (const view of views.values()) view.leaving = new Map();
    },

    documents: (): number => [...views.values()].reduce((sum, { recent }) => sum + recent.size, 0),
    /** Characters of the documents loaded since the last turn. */
    characters: (): number => characters,
  };
}

/** From now on they count as stored. */
function changes({ projection: view, recent }: Held): readonly DocumentWrite[] {
  const writes: DocumentWrite[] = [];
  for (const [id, slot] of recent) {
    const { document = null, position, stored } = slot;
    if (!slot.changed || position === null) continue;
    writes.push({ view, id, document, position, loaded: stored });
    slot.stored = position;
    slot.changed = false;
  }
  return writes.sort(byId);
}

/** Nearly as the stores order them: what lies close together is written close together. */
const byId = (a: DocumentWrite, b: DocumentWrite): number => (a.id < b.id ? -1 : 1);

/** Characters of a document, near enough for a bound. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 16;
  for (const [key, item] of Object.entries(value)) size += key.length + roughSize(item);
  return size;
}
