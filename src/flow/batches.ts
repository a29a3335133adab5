/** Gathers items for a step that is worth it for many at once. */

interface Bounds<Item> {
  readonly items?: number;
  readonly size: number;
  readonly sizeOf: (item: Item) => number;
}

/** Batches of at most `items` items whose sizes add up to at most `size`. An item that is larger stands alone. */
export async function* inBatches<Item>(
  source: AsyncIterable<Item>,
  { items = Infinity, size, sizeOf }: Bounds<Item>,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  let sum = 0;
  for await (const item of source) {
    const more = sizeOf(item);
    if (batch.length > 0 && (batch.length === items || sum + more > size)) {
      yield batch;
      batch = [];
      sum = 0;
    }
    batch.push(item);
    sum += more;
  }
  if (batch.length > 0) yield batch;
}
