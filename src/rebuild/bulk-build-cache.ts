/** The documents that a bulk build holds in memory: recent ones, written or yet to be written, and which ids cannot be in the store. */
import type { DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import { toSlot, type Slot } from '../projector/fold.js';
import type { Projection } from '../projections/projection.js';

/** The documents of one view: those touched since the last turn, and those that are being written. */
interface Held {
  readonly projection: Projection;
  recent: Map<string, Slot>;
  leaving: ReadonlyMap<string, Slot>;
}

export type BuildCache = ReturnType<typeof createBuildCache>;

/** `isEmpty`: nothing is stored yet, so that what was never written need not be looked for. */
export function createBuildCache(readModels: Pick<ReadModels, 'load'>, isEmpty: boolean) {
  const views = new Map<Projection, Held>();
  const stored = isEmpty ? createBloomFilter() : undefined;
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

/** 64 million bits: with 10 million ids, 5 % of new ones are taken for known. */
const bits = 2 ** 26;

/** Millions of ids in a few megabytes: one that it does not have was never added; one that it has nearly always was. */
export function createBloomFilter() {
  const bytes = new Uint8Array(bits / 8);
  const byteAt = (bit: number): number => bytes[bit >>> 3] ?? 0;
  return {
    add(view: string, id: string): void {
      for (const bit of bitsOf(view, id)) bytes[bit >>> 3] = byteAt(bit) | (1 << (bit & 7));
    },
    has: (view: string, id: string): boolean => bitsOf(view, id).every((bit) => (byteAt(bit) & (1 << (bit & 7))) !== 0),
  };
}

/** FNV-1a twice, with different seeds, and mixed so that every bit counts. */
function bitsOf(view: string, id: string): readonly number[] {
  let first = 0x811c9dc5;
  let step = 0x9e3779b9;
  for (const text of [view, id])
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x01000193);
      step = Math.imul(step ^ code, 0x85ebca6b);
    }
  first = mixed(first);
  step = mixed(step) | 1;
  return [0, 1, 2, 3].map((probe) => (first + Math.imul(step, probe)) & (bits - 1));
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return half ^ (half >>> 15);
}
