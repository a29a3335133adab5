/** Does several things at once, and yields what comes out in the order in which they went in. */

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
