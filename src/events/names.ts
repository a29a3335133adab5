/** When two names of groups, lists or tags are the same name. */

/** The key under which a name is unique within its kind: NFC → trim → collapse inner white space → full lower-casing. The order is for ever. */
export function nameKey(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}
