/** Compares a new storage with the live one, document by document, while both are folded on. */
import { createHash } from 'node:crypto';
import type { ReadModels, View } from '../readmodels/read-models.js';
import { everyPage } from '../projections/every-page.js';
import type { RebuiltView } from './answers.js';

export type ViewComparison = Pick<RebuiltView, 'documents' | 'live_documents' | 'hash' | 'differing' | 'differences'>;

interface CompareInput {
  readonly readModels: Pick<ReadModels, 'find' | 'load'>;
  readonly live: View;
  readonly fresh: View;
  readonly signal: AbortSignal;
  /** Folds the new storage to exactly where the live views are, and resolves with that position. */
  readonly follow: () => Promise<string>;
  readonly onProgress: (documents: number) => void;
  readonly pause: () => Promise<void>;
}

const pairsPerPage = 500;
const mostListed = 20;
/** How often a pair that changes all the time is read before it counts as different. */
const attempts = 50;

interface Side {
  readonly position: string;
  /** What is compared and hashed; undefined in a tombstone. */
  readonly line: string | undefined;
}

/** By side; undefined where there is neither document nor tombstone. */
interface Pair {
  readonly id: string;
  readonly live: Side | undefined;
  readonly fresh: Side | undefined;
}

/** SHA-256 over id, position and document in the order of ids. @throws ReadModelsUnavailableError @throws the signal's reason when it aborts. */
export async function compareViews(input: CompareInput): Promise<ViewComparison> {
  const hash = createHash('sha256');
  const count = { live: 0, fresh: 0, seen: 0, differing: 0 };
  const differences: string[] = [];
  for await (const page of pairPages(input)) {
    const settled = await settle(input, page);
    for (const { live } of settled) count.live += live?.line === undefined ? 0 : 1;
    for (const { line } of settled.flatMap(({ fresh }) => fresh ?? [])) {
      if (line === undefined) continue;
      count.fresh += 1;
      hash.update(line);
    }
    const different = settled.filter(isDifferent).map(({ id }) => id);
    count.differing += different.length;
    differences.push(...different.slice(0, mostListed - differences.length));
    count.seen += page.length;
    input.onProgress(count.seen);
  }
  return {
    documents: count.fresh,
    live_documents: count.live,
    hash: hash.digest('hex'),
    differing: count.differing,
    differences,
  };
}

const isDifferent = ({ live, fresh }: Pair): boolean => live?.line !== fresh?.line;

/** Reads pairs that differ again, until both sides are at the same position, or certainly will not be. */
async function settle(input: CompareInput, page: readonly Pair[]): Promise<readonly Pair[]> {
  const pairs = new Map(page.map((pair) => [pair.id, pair]));
  let open = page.filter(isDifferent).map(({ id }) => id);
  for (let attempt = 1; open.length > 0 && attempt <= attempts; attempt += 1) {
    input.signal.throwIfAborted();
    if (attempt > 1) await input.pause();
    const live = await read(input, input.live, open);
    // From here on the new storage is as the live one was at that position.
    const position = await input.follow();
    const fresh = await read(input, input.fresh, open);
    const again = await read(input, input.live, open);
    for (const id of open) pairs.set(id, { id, live: live.get(id), fresh: fresh.get(id) });
    open = open.filter((id) => {
      const at = positionOf(live.get(id));
      const isUnchanged = at <= position && at === positionOf(again.get(id));
      return at !== positionOf(fresh.get(id)) && !isUnchanged;
    });
  }
  return [...pairs.values()];
}

const positionOf = (side: Side | undefined): string => side?.position ?? '';

async function read(
  { readModels }: CompareInput,
  view: View,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Side>> {
  const sides = new Map<string, Side>();
  for (const [id, { document, position }] of await readModels.load(view, ids))
    sides.set(id, { position, line: document === null ? undefined : lineOf({ id, position, document }) });
  return sides;
}

const lineOf = ({ id, position, document }: { id: string; position: string; document: unknown }): string =>
  `${JSON.stringify([id, position, document])}\n`;

async function* pairPages({ readModels, live, fresh, signal }: CompareInput): AsyncGenerator<readonly Pair[]> {
  let page: Pair[] = [];
  const left = inOrder(readModels, live);
  const right = inOrder(readModels, fresh);
  let one = await next(left);
  let other = await next(right);
  for (let id = firstOf(one, other); id !== undefined; id = firstOf(one, other)) {
    signal.throwIfAborted();
    const pair = { id, live: withId(id, one), fresh: withId(id, other) };
    page.push(pair);
    if (pair.live !== undefined) one = await next(left);
    if (pair.fresh !== undefined) other = await next(right);
    if (page.length < pairsPerPage) continue;
    yield page;
    page = [];
  }
  yield page;
}

type Stored = Side & { readonly id: string };

const next = async (documents: AsyncGenerator<Stored, undefined>): Promise<Stored | undefined> =>
  (await documents.next()).value;

const withId = (id: string, stored: Stored | undefined): Stored | undefined => (stored?.id === id ? stored : undefined);

/** By their UTF-8 bytes, as the stores sort them. */
function firstOf(one: Stored | undefined, other: Stored | undefined): string | undefined {
  if (one === undefined || other === undefined) return one?.id ?? other?.id;
  return Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)) <= 0 ? one.id : other.id;
}

async function* inOrder(reader: Pick<ReadModels, 'find'>, view: View): AsyncGenerator<Stored, undefined> {
  for await (const page of everyPage(reader, view))
    for (const stored of page) yield { id: stored.id, position: stored.position, line: lineOf(stored) };
  return undefined;
}
