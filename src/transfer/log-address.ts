/** Names an event log: a data folder, or an EventStoreDB server with a prefix of stream names. */

export interface EventStoreDbAddress {
  readonly kind: 'eventstoredb';
  readonly url: string;
  readonly prefix: string;
}

export type LogAddress = { readonly kind: 'folder'; readonly folder: string } | EventStoreDbAddress;

/** The address without user name and password, for people to read. */
export const shown = (address: LogAddress): string =>
  address.kind === 'folder' ? address.folder : `${withoutPassword(address.url)} (prefix ${address.prefix})`;

export const withoutPassword = (text: string): string => text.replace(/:\/\/.*@/g, '://');
