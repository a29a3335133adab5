/** Searches files and databases for texts, in every form that a text may take there. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A place that can be searched. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Shorter ones would be found by chance. */
const leastBytes = 7;
const keyBytes = 3;

/** As it stands, in other cases and compositions, in UTF-16, and escaped or encoded as JSON, URLs, mails, hex and base64 have it. */
function formsOf(text: string): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(text);
  const uri = encodeURIComponent(text);
  const texts: Readonly<Record<string, string>> = {
    plain: text,
    lower: text.toLowerCase(),
    upper: text.toUpperCase(),
    composed: text.normalize('NFC'),
    decomposed: text.normalize('NFD'),
    json: JSON.stringify(text).slice(1, -1),
    'json in json': JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
    'json in ASCII': asciiJson(text),
    html: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    uri,
    'uri in lower case': uri.toLowerCase(),
    'quoted-printable': quotedPrintable(bytes),
    hex: bytes.toString('hex'),
    'hex in upper case': bytes.toString('hex').toUpperCase(),
    'base64, first': base64At(bytes, 0),
    'base64, second': base64At(bytes, 1),
    'base64, third': base64At(bytes, 2),
  };
  const utf16 = Buffer.from(text, 'utf16le');
  const forms = [
    ...Object.entries(texts).map(([form, value]) => [form, Buffer.from(value)] as const),
    ['UTF-16, little end first', utf16] as const,
    ['UTF-16, big end first', Buffer.from(utf16).swap16()] as const,
    ['Latin-1', Buffer.from(text, 'latin1')] as const,
  ];
  return new Map(forms.filter(([, form]) => form.length >= leastBytes));
}

const asciiJson = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const quotedPrintable = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) =>
      byte >= 32 && byte <= 126 && byte !== 61
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** What these bytes become wherever they begin in a group of three; without the characters that depend on their neighbours. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

export type Search = (place: Place) => readonly string[];

/** Says where one of the texts is, and in which form. */
export function searchFor(texts: Iterable<string>): Search {
  const forms = new Map<string, { readonly bytes: Buffer; readonly what: string }>();
  for (const text of new Set(texts))
    for (const [form, bytes] of formsOf(text))
      forms.set(bytes.toString('latin1'), { bytes, what: `${text} (${form})` });
  const known = new Uint8Array(1 << (8 * keyBytes));
  const byKey = new Map<number, { readonly bytes: Buffer; readonly what: string }[]>();
  for (const form of forms.values()) {
    const key = form.bytes.readUIntBE(0, keyBytes);
    known[key] = 1;
    byKey.set(key, [...(byKey.get(key) ?? []), form]);
  }
  return ({ name, bytes }) => {
    const found: string[] = [];
    let key = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      key = ((key << 8) | (bytes[at] ?? 0)) & 0xffffff;
      if (known[key] !== 1) continue;
      const start = at - keyBytes + 1;
      for (const { bytes: form, what } of byKey.get(key) ?? [])
        if (start >= 0 && bytes.compare(form, 0, form.length, start, Math.min(bytes.length, start + form.length)) === 0)
          found.push(`${name}, byte ${start}: ${what}`);
    }
    return found;
  };
}

/** Each file of a folder and of those in it, one at a time. */
export function* filesIn(folder: string): Generator<Place> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const bytes = bytesOf(path.join(folder, name));
    if (bytes !== undefined) yield { name, bytes };
  }
}

/** Undefined: no file, or not any more. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file) : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
