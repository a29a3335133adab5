/** Random numbers from a seed, so that a run can be repeated as far as timing allows. */

/** mulberry32 */
export function createRandom(seed) {
  let state = seed >>> 0;
  const float = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(float() * count);
  return {
    float,
    below,
    chance: (probability) => float() < probability,
    between: (least, most) => least + float() * (most - least),
    pick: (items) => items[below(items.length)],
    /** One of the entries `[weight, value]`. */
    weighted(entries) {
      let left = float() * entries.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of entries) if ((left -= weight) < 0) return value;
      return entries.at(-1)[1];
    },
    /** A stream of its own, for one client. */
    fork: () => createRandom(below(2 ** 31)),
  };
}
