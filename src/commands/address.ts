/** A sender may have a display name: `address` or `Name <address>`. */
import { isAddress } from '../events/address.js';

/** Of a display name, so that it fits the lines of a mail header. */
const maxNameCharacters = 255;

interface Mailbox {
  /** Display name, unquoted; `''` where there is none. */
  readonly name: string;
  readonly address: string;
}

/** `address` or `Name <address>` with a name of at most 255 characters; undefined for anything else. The name may be quoted; quotes inside are escaped with a backslash. */
export function parseMailbox(text: string): Mailbox | undefined {
  const trimmed = text.trim();
  if (isAddress(trimmed)) return { name: '', address: trimmed };
  const open = trimmed.lastIndexOf('<');
  if (open < 1 || !trimmed.endsWith('>')) return undefined;
  const address = addressPart(trimmed);
  const name = displayName(trimmed.slice(0, open).trim());
  return name !== undefined && [...name].length <= maxNameCharacters && isAddress(address)
    ? { name, address }
    : undefined;
}

/** Returns the part of a sender that should be an address: the text in the last angle brackets, or else the whole text. */
export function addressPart(text: string): string {
  const trimmed = text.trim();
  return trimmed.endsWith('>') ? trimmed.slice(trimmed.lastIndexOf('<') + 1, -1).trim() : trimmed;
}

function displayName(text: string): string | undefined {
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"$/u.exec(text)?.[1];
    return quoted?.replace(/\\(.)/gu, '$1');
  }
  // Unquoted, these would start a list, a group, a comment or a second address.
  return /[<>,;:@"\\()[\]]/.test(text) ? undefined : text;
}
