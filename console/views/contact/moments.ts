/** The moments at which something of a contact changed, and what each change is about. */
import type { components } from '../../../client/client.js';

export type Item = components['schemas']['HistoryItem'];

/** All that changed in one millisecond: the API cannot tell apart what happened then. */
export interface Moment {
  readonly at: string;
  readonly items: readonly Item[];
}

/** In the order of time. E-mails change nothing of the contact. */
export function momentsOf(items: readonly Item[]): readonly Moment[] {
  const moments = new Map<string, Item[]>();
  for (const item of items) {
    if (item.email !== undefined || item.at === undefined) continue;
    const there = moments.get(item.at);
    if (there === undefined) moments.set(item.at, [item]);
    else there.push(item);
  }
  return [...moments]
    .map(([at, changes]) => ({ at, items: changes }))
    .sort((one, other) => (one.at < other.at ? -1 : 1));
}

/** How many moments are at the time or before it. */
export const countUntil = (moments: readonly Moment[], time: string): number =>
  moments.filter(({ at }) => at <= time).length;

export const kindTexts = {
  person: 'Person',
  status: 'Subscriptions',
  consent: 'Consent',
  tags: 'Tags',
  names: 'Lists and tags renamed or deleted',
  email: 'E-mails',
  erasure: 'Erasure',
  unreadable: 'Unreadable',
} as const;
export type ItemKind = keyof typeof kindTexts;

const kindsOfTypes: Readonly<Record<string, ItemKind>> = {
  ContactCreated: 'person',
  ContactProfileChanged: 'person',
  ContactSubscribed: 'status',
  ContactUnsubscribed: 'status',
  ConsentRecorded: 'consent',
  TagsAttached: 'tags',
  TagsDetached: 'tags',
  ContactErased: 'erasure',
};

export function kindOf(item: Item): ItemKind {
  if (item.kind === 'unreadable') return 'unreadable';
  if (item.email !== undefined) return 'email';
  return kindsOfTypes[item.type] ?? 'names';
}

/** Lists that the item is about. */
export function listsOf(item: Item): readonly string[] {
  if (item.kind === 'unreadable') return [];
  return item.list === undefined ? (item.list_ids ?? []) : [item.list.list_id];
}
