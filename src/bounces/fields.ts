/** Reads fields such as those of a message header: `Name: value`, folded over lines, with blank lines between blocks. */

/** The values of fields by lower-case name. If a name occurs several times, the first value. */
export type Fields = ReadonlyMap<string, string>;

/** The most characters of a value. The rest is cut off, because no value that is used is longer. */
export const longestValue = 4_000;

/** Returns the text with each field on one line. */
export const unfolded = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\n[ \t]+(?=\n|$)/g, '\n')
    .replaceAll(/\n[ \t]+/g, ' ');

/** Returns the blocks that have at least one field. */
export function blocksOf(text: string): readonly Fields[] {
  return unfolded(text)
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
