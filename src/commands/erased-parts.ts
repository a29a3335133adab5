/** What ContactErased names, in parts: logs of earlier versions hold contacts with more tags than one append takes. */
import type { OrderedSet } from 'immutable';
import type { ContactEvent, SubscriptionStatus } from '../events/contact.js';

type Erased = Extract<ContactEvent, { type: 'ContactErased' }>['data'];
export type Part = Pick<Erased, 'list_ids' | 'subscribed_list_ids' | 'attached'>;

/** By list id. Without a status: the list itself is named already, these tags in it are not. */
export type Unnamed = ReadonlyMap<
  string,
  { readonly status?: SubscriptionStatus | undefined; readonly tags: OrderedSet<string> }
>;

/** Characters of a part. With metadata it stays far below what one append takes (1 MiB). */
const partLength = 256 * 1024;
/** Quotes, comma and the names of members around an id, at most. */
const aroundId = 32;

/** As much as one event names. */
export function partOf(unnamed: Unnamed): Part {
  const part: Part = { list_ids: [], subscribed_list_ids: [], attached: [] };
  let length = 0;
  for (const [list_id, { status, tags }] of unnamed) {
    if (length >= partLength) break;
    length += 3 * (list_id.length + aroundId);
    if (status !== undefined) part.list_ids.push(list_id);
    if (status === 'Subscribed') part.subscribed_list_ids.push(list_id);
    const tag_ids = [...tags.takeWhile((id) => (length += id.length + 3) < partLength)];
    if (tag_ids.length > 0) part.attached.push({ list_id, tag_ids });
  }
  return part;
}

/** What is left when a part is named. */
export function without(unnamed: Unnamed, { list_ids, attached }: Part): Unnamed {
  const lists = new Set(list_ids);
  const tagsIn = new Map(attached.map(({ list_id, tag_ids }) => [list_id, new Set(tag_ids)]));
  return new Map(
    [...unnamed].flatMap(([list_id, { status, tags }]) => {
      const named = tagsIn.get(list_id);
      const left = {
        status: lists.has(list_id) ? undefined : status,
        tags: named === undefined ? tags : tags.filterNot((id) => named.has(id)),
      };
      return left.status === undefined && left.tags.isEmpty() ? [] : [[list_id, left] as const];
    }),
  );
}
