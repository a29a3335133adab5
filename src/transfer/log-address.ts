/** Names an event log: a data folder, or an EventStoreDB server with a prefix of stream names. */
import { UsageError } from '../failures.js';

export interface EventStoreDbAddress {
  readonly kind: 'eventstoredb';
  readonly url: string;
  readonly prefix: string;
}

export type LogAddress = { readonly kind: 'folder'; readonly folder: string } | EventStoreDbAddress;

/** `option` is named in the message. @throws UsageError */
export function parseAddress(option: string, text: string, prefix: string): LogAddress {
  if (/^esdb(?:\+discover)?:\/\//.test(text)) return { kind: 'eventstoredb', url: text, prefix };
  // Not shown: it may hold a password.
  if (text === '' || text.includes('://'))
    throw new UsageError(`${option} must be a data folder or an address that begins with esdb:// or esdb+discover://`);
  return { kind: 'folder', folder: text };
}

/** The address without user name and password, for people to read. */
export const shown = (address: LogAddress): string =>
  address.kind === 'folder' ? address.folder : `${address.url.replace(/:\/\/.*@/g, '://')} (prefix ${address.prefix})`;
