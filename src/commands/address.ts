/** What an e-mail address is to this service: one mailbox, plain ASCII, nothing that a mail program could read as two. */

const maxAddressBytes = 254;
const maxLocalBytes = 64;
/** Of a display name, so that it fits the lines of a mail header. */
const maxNameCharacters = 255;
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** Letters, digits, hyphens, 1 to 63 of them, no hyphen at either end (RFC 1123). */
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

interface Mailbox {
  /** Display name, unquoted; `''` where there is none. */
  readonly name: string;
  readonly address: string;
}

export function isAddress(text: string): boolean {
  if (text.length > maxAddressBytes) return false;
  const at = text.indexOf('@');
  if (at < 1 || at > maxLocalBytes || text.includes('@', at + 1)) return false;
  if (!localPart.test(text.slice(0, at))) return false;
  const labels = text.slice(at + 1).split('.');
  return labels.length >= 2 && labels.every((part) => label.test(part));
}

/** `address` or `Name <address>` with a name of at most 255 characters; undefined for anything else. The name may be quoted; quotes inside are escaped with a backslash. */
export function parseMailbox(text: string): Mailbox | undefined {
  const trimmed = text.trim();
  if (isAddress(trimmed)) return { name: '', address: trimmed };
  const open = trimmed.lastIndexOf('<');
  if (open < 1 || !trimmed.endsWith('>')) return undefined;
  const address = trimmed.slice(open + 1, -1).trim();
  const name = displayName(trimmed.slice(0, open).trim());
  return name !== undefined && [...name].length <= maxNameCharacters && isAddress(address)
    ? { name, address }
    : undefined;
}

function displayName(text: string): string | undefined {
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"$/u.exec(text)?.[1];
    return quoted?.replace(/\\(.)/gu, '$1');
  }
  // Unquoted, these would begin something else: a list, a group, a comment, a second address.
  return /[<>,;:@"\\()[\]]/.test(text) ? undefined : text;
}
