/** Chance that is the same for the same seed: a generator for each name, so that a change in one part of the demo leaves the others as they were. */
import { createHash } from 'node:crypto';

export interface Random {
  /** From 0, below 1. */
  next(): number;
  chance(probability: number): boolean;
  between(low: number, high: number): number;
  /** Both are possible. */
  whole(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Each is as likely as its weight says. */
  weighted<Item>(items: readonly (readonly [item: Item, weight: number])[]): Item;
  /** A waiting time with this mean. */
  after(mean: number): number;
  /** Small letters and digits of base 16. */
  hex(length: number): string;
  uuid(): string;
}

export type NewRandom = (name: string) => Random;

export const randomFrom =
  (seed: number): NewRandom =>
  (name) =>
    createRandom(createHash('sha256').update(`${seed}/${name}`).digest());

/** The generator sfc32, whose state are the first 16 bytes. */
function createRandom(state: Buffer): Random {
  let [a, b, c, counter] = [state.readInt32LE(0), state.readInt32LE(4), state.readInt32LE(8), state.readInt32LE(12)];

  function word(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  const next = (): number => word() / 2 ** 32;
  const between = (low: number, high: number): number => low + next() * (high - low);
  const whole = (low: number, high: number): number => Math.floor(between(low, high + 1));
  const eight = (): string => word().toString(16).padStart(8, '0');

  return {
    next,
    between,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => present(items[whole(0, items.length - 1)]),
    weighted(items) {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
      const [item] = present(items.find(([, weight]) => (left -= weight) < 0) ?? items.at(-1));
      return item;
    },
    after: (mean) => -Math.log(1 - next()) * mean,
    hex(length) {
      let text = '';
      while (text.length < length) text += eight();
      return text.slice(0, length);
    },
    uuid() {
      const [one, two, three, four] = [eight(), eight(), eight(), eight()];
      const variant = '89ab'.charAt(Number.parseInt(three.charAt(0), 16) & 3);
      return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-${variant}${three.slice(1, 4)}-${three.slice(4)}${four}`;
    },
  };
}

function present<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}
