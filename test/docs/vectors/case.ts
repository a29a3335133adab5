/** The cases of docs/vectors: a document, and what a verifier has to say of it. */

export interface Case {
  readonly name: string;
  readonly valid: boolean;
  /** The text of the file. A case without a text has that of the case `of`. */
  readonly text?: string;
  readonly of?: string;
  /** Two texts. The second replaces the first occurrence of the first in the text of the case `of`. */
  readonly change?: readonly [string, string];
  /** Texts of the seals beside the file. */
  readonly seals?: readonly string[];
  /** Number of these seals that do not match the log and are excused by a restore. Default: none. */
  readonly excused?: number;
  /** Content of the file of `--public-key`. */
  readonly publicKey?: string;
  /** Exit code of `verify.mjs`. Default: 0 if valid, else 1. */
  readonly exit?: number;
}

/** Returns one wrong case for each change of a right text. */
export function changes(
  of: string,
  right: string,
  list: readonly (readonly [name: string, from: string | RegExp, to: string])[],
): readonly Case[] {
  return list.map(([name, from, to]) => {
    const [found = ''] = (typeof from === 'string' ? [from] : from.exec(right)) ?? [];
    const changed = found.replace(from, to);
    if (found === '' || !right.includes(found)) throw new Error(`nothing to change: ${name}`);
    return { name: `${of}: ${name}`, valid: false, of, change: [found, changed] };
  });
}

/** Returns cases with a text of their own. */
export const written = (valid: boolean, values: Readonly<Record<string, object>>): readonly Case[] =>
  Object.entries(values).map(([name, value]) => ({ name, valid, text: JSON.stringify(value) }));

export const texts = (...values: readonly object[]): readonly string[] => values.map((value) => JSON.stringify(value));
