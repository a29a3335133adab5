/** Holds a storage that has been filled anew against the live one, document by document, while both are fed. */
import { createHash } from 'node:crypto';
import type { ReadModelReader, StoredDocument, View } from '../readmodels/read-models.js';
import { everyPage } from '../projections/every-page.js';

export interface ViewComparison {
  /** Of the storage that has been filled anew. */
  readonly documents: number;
  /** SHA-256 over its ids, positions and documents in the order of ids, hex. */
  readonly hash: string;
  /** Documents of the live storage. */
  readonly live: number;
  /** Documents that differ, or are on one side only. */
  readonly differing: number;
  /** Ids of the first of them. */
  readonly differences: readonly string[];
}

export interface CompareInput {
  readonly reader: ReadModelReader;
  readonly live: View;
  readonly fresh: View;
  readonly signal: AbortSignal;
  /** Documents compared so far. */
  readonly onProgress?: (documents: number) => void;
  /** Resolves after a moment, so that both sides are fed on. */
  readonly pause: () => Promise<void>;
}

/** Progress is told after so many documents. */
const documentsPerReport = 500;
const mostListed = 20;
/** How often a pair is read before it counts as different: both sides are fed by the same commits. */
const attempts = 50;

/** A document as one line of text. */
interface Lined {
  readonly id: string;
  readonly position: string;
  readonly line: string;
}

interface Pair {
  readonly id: string;
  readonly live: Lined | undefined;
  readonly fresh: Lined | undefined;
}

/** Both must be fed by the same commits. @throws ReadModelsUnavailableError @throws the signal's reason when it aborts. */
export async function compareViews(input: CompareInput): Promise<ViewComparison> {
  const hash = createHash('sha256');
  const differences: string[] = [];
  const count = { live: 0, fresh: 0, seen: 0, differing: 0 };
  for await (const met of pairs(input)) {
    const pair = isEqual(met) ? met : await settled(input, met);
    count.seen += 1;
    if (pair.live !== undefined) count.live += 1;
    if (pair.fresh !== undefined) {
      count.fresh += 1;
      hash.update(pair.fresh.line);
    }
    if (!isEqual(pair)) {
      count.differing += 1;
      if (differences.length < mostListed) differences.push(pair.id);
    }
    if (count.seen % documentsPerReport === 0) input.onProgress?.(count.seen);
  }
  const { live, fresh, differing } = count;
  return { documents: fresh, hash: hash.digest('hex'), live, differing, differences };
}

/** What is compared and hashed. */
const withLine = ({ id, position, document }: StoredDocument): Lined => ({
  id,
  position,
  line: `${JSON.stringify([id, position, document])}\n`,
});

const lined = (stored: StoredDocument | undefined): Lined | undefined =>
  stored === undefined ? undefined : withLine(stored);

const isEqual = ({ live, fresh }: Pair): boolean => live?.line === fresh?.line;

/** Reads the pair until both sides stand at the same position: the two are not read at the same moment. */
async function settled({ reader, live, fresh, signal, pause }: CompareInput, { id }: Pair): Promise<Pair> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const pair = { id, live: lined(await reader.get(live, id)), fresh: lined(await reader.get(fresh, id)) };
    if (isEqual(pair) || attempt === attempts) return pair;
    // At the same position they will not become equal any more.
    if (pair.live !== undefined && pair.live.position === pair.fresh?.position) return pair;
    await pause();
  }
}

/** Both sides in the order of ids. */
async function* pairs({ reader, live, fresh, signal }: CompareInput): AsyncGenerator<Pair> {
  const left = inOrder(reader, live);
  const right = inOrder(reader, fresh);
  let one = await next(left);
  let other = await next(right);
  for (let id = firstOf(one, other); id !== undefined; id = firstOf(one, other)) {
    signal.throwIfAborted();
    const met = { id, live: one?.id === id ? one : undefined, fresh: other?.id === id ? other : undefined };
    yield met;
    if (met.live !== undefined) one = await next(left);
    if (met.fresh !== undefined) other = await next(right);
  }
}

type Stored = AsyncGenerator<Lined, undefined>;

const next = async (documents: Stored): Promise<Lined | undefined> => (await documents.next()).value;

function firstOf(one: Lined | undefined, other: Lined | undefined): string | undefined {
  if (one === undefined || other === undefined) return one?.id ?? other?.id;
  return isBefore(other.id, one.id) ? other.id : one.id;
}

/** By their UTF-8 bytes, as the stores sort them. */
const isBefore = (one: string, other: string): boolean =>
  one !== other && Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;

async function* inOrder(reader: ReadModelReader, view: View): Stored {
  for await (const page of everyPage(reader, view)) yield* page.map(withLine);
  return undefined;
}
