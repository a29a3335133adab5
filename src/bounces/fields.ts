/** Reads fields such as those of a message's header: `Name: value`, folded over lines, blank lines between blocks. */

/** By names in small letters; of several fields of one name the first. */
export type Fields = ReadonlyMap<string, string>;

/** Blocks without a field are left out. */
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
    if (key !== undefined && !fields.has(key)) fields.set(key, value.trim());
  }
  return fields;
}
