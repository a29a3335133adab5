/** The header `Prefer` (RFC 7240): whether a client wants unknown body fields refused. */

export const strictApplied: readonly string[] = ['Preference-Applied', 'handling=strict'];

/** Whether `handling=strict` stands in the header; the first `handling` counts. */
export function prefersStrict(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const preferences = String(header).split(',');
  const handling = preferences
    .map((preference) => /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return handling?.toLowerCase() === 'strict';
}
