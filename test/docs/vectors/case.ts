/** What a case of docs/vectors is, and cases that are changes of another one. */

/** A document and what must be said of it. `change`: in the text of the case named `of`, the first occurrence of one text is replaced by another. */
export interface Case {
  readonly name: string;
  readonly valid: boolean;
  readonly text?: string;
  readonly of?: string;
  readonly change?: readonly [string, string];
  /** Given beside it, as texts. */
  readonly seal?: string;
  readonly seals?: readonly string[];
  /** What is in the file of `--public-key`. */
  readonly publicKey?: string;
  /** Of `verify.mjs`. Without it 0 where it is valid, else 1. */
  readonly exit?: number;
}

/** Cases in which one thing is changed in a good text. */
export function changes(
  of: string,
  good: string,
  list: readonly (readonly [name: string, from: string | RegExp, to: string])[],
): readonly Case[] {
  return list.map(([name, from, to]) => {
    const [found = ''] = (typeof from === 'string' ? [from] : from.exec(good)) ?? [];
    const changed = found.replace(from, to);
    if (found === '' || !good.includes(found)) throw new Error(`nothing to change: ${name}`);
    return { name: `${of}: ${name}`, valid: false, of, change: [found, changed] };
  });
}
