/** Reads fields such as those of a message's header: `Name: value`, folded over lines, blank lines between blocks. */

/** By names in small letters; of several fields of one name the first. */
export type Fields = ReadonlyMap<string, string>;

/** Blocks without a field are left out. */
export function blocksOf(text: string): readonly Fields[] {
  const blocks = [new Map<string, string>()];
  let name = '';
  for (const line of text.split(/\r?\n/)) {
    const block = blocks.at(-1);
    const field = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line);
    if (line.trim() === '') {
      blocks.push(new Map());
      name = '';
    } else if (/^[ \t]/.test(line)) {
      const before = block?.get(name);
      if (before !== undefined) block?.set(name, `${before} ${line.trim()}`);
    } else {
      // Another field of a name that is known counts for nothing, and so does what is folded into it.
      const known = field?.[1]?.toLowerCase() ?? '';
      name = block?.has(known) === true ? '' : known;
      if (name !== '') block?.set(name, field?.[2]?.trim() ?? '');
    }
  }
  return blocks.filter(({ size }) => size > 0);
}
