/** Items of a stream that are handled together: in batches, or several at once in their order. */

interface Bounds<Item> {
  /** Looked at for each item, so that it may change meanwhile. */
  readonly items?: number;
  readonly size: number;
  readonly sizeOf: (item: Item) => number;
}

/** Batches of at most `items` items whose sizes add up to at most `size`. An item that is larger stands alone. */
export async function* inBatches<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  bounds: Bounds<Item>,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  let sum = 0;
  for await (const item of source) {
    const more = bounds.sizeOf(item);
    if (batch.length > 0 && (batch.length >= (bounds.items ?? Infinity) || sum + more > bounds.size)) {
      yield batch;
      batch = [];
      sum = 0;
    }
    batch.push(item);
    sum += more;
  }
  if (batch.length > 0) yield batch;
}

/** At most `atOnce` are under way or wait to be taken. If the consumer stops early, results of what is under way are dropped. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  make: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const item of items) {
    const result = make(item);
    // A failure is thrown in its turn.
    result.catch(() => undefined);
    underWay.push(result);
    if (underWay.length < atOnce) continue;
    const first = underWay.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of underWay) yield await result;
}
