/** Reads fields such as those of a message header: `Name: value`, folded over lines, with blank lines between blocks. */

/** Field values by lower-case name. Of several fields with one name, the first. */
export type Fields = ReadonlyMap<string, string>;

/** Characters of a value. Longer values are cut: nothing that is read of a field is longer. */
const longestValue = 4_000;

/** Returns the blocks that have a field. */
export function blocksOf(text: string): readonly Fields[] {
  const unfolded = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\n[ \t]+(?=\n|$)/g, '\n')
    .replaceAll(/\n[ \t]+/g, ' ');
  return unfolded
    .split(/\n{2,}/)
    .map(fieldsIn)
    .filter(({ size }) => size > 0);
}

function fieldsIn(block: string): Fields {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([!-9;-~]+)[ \t]*:([^]*)$/.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key !== undefined && !fields.has(key)) fields.set(key, value.trim().slice(0, longestValue));
  }
  return fields;
}
