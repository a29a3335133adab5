/** Hands a file to the reader. Its name holds ids only. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Indented, for people; `verify.mjs` takes it like that, too. */
export const saveJson = (value: unknown, name: string): void =>
  save(new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' }), name);
