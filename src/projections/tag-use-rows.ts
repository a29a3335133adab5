/** The use of tags as rows, by day, week or month: from the documents of `tag_use`. Pure. */
import { dayOf, earlier, type Range, type Span } from './calendar.js';
import { runningTotals, type Change } from './sum-by-interval.js';
import type { Deletion, ListEnd, TagDay, TagLifeDocument, VoidUse } from './tag-use.js';

export interface TagUse {
  readonly life: TagLifeDocument;
  readonly days: readonly TagDay[];
  /** Of those of its lists that were deleted, by list id. */
  readonly ends: ReadonlyMap<string, ListEnd>;
}

/** An interval of the tag's life. Counted per contact and list: a contact who bears it in two lists counts twice. */
export type TagUseRow = Span & {
  readonly attached: number;
  readonly detached: number;
  /** Borne by a person who was erased. */
  readonly erased: number;
  /** Attached in a list when that was deleted. */
  readonly left_with_list: number;
  readonly left_with_tag: number;
  readonly net: number;
  readonly in_use: number;
};

type Counts = Pick<TagUseRow, 'attached' | 'detached' | 'erased' | 'left_with_list' | 'left_with_tag'>;

const zero: Counts = { attached: 0, detached: 0, erased: 0, left_with_list: 0, left_with_tag: 0 };

const netOf = ({ attached, detached, erased, left_with_list, left_with_tag }: Counts): number =>
  attached - detached - erased - left_with_list - left_with_tag;

export function tagUseRows(use: TagUse, range: Range): readonly TagUseRow[] {
  const rows = runningTotals(changesOf(use), range, { zero, netOf });
  return rows.map(({ total: in_use, ...row }) => ({ ...row, in_use }));
}

/** How many bear it after all that happened, by contact and list. */
export function inUse(use: TagUse): number {
  let sum = 0;
  for (const { counts } of changesOf(use)) sum += netOf(counts);
  return sum;
}

/** Whether what a deletion voided was read newer than the day that has counted it; then the days must be read again. */
export const isTornUse = ({ life, ends }: TagUse, day: TagDay, position: string): boolean =>
  (voidOf(life, ends.get(day.list_id), day)?.position ?? '') > position;

function* changesOf({ life, days, ends }: TagUse): Generator<Change<keyof Counts>> {
  const byList = new Map<string, TagDay[]>();
  for (const day of days) {
    const ofList = byList.get(day.list_id);
    if (ofList === undefined) byList.set(day.list_id, [day]);
    else ofList.push(day);
  }
  for (const [listId, ofList] of byList) yield* changesInList(life, ends.get(listId), ofList);
}

/** In one list the tag is borne until either is deleted, whichever was earlier. */
function* changesInList(
  life: TagLifeDocument,
  end: ListEnd | undefined,
  days: readonly TagDay[],
): Generator<Change<keyof Counts>> {
  const over = endOfUse(life.deleted, end?.deleted);
  let left = 0;
  for (const day of days) {
    const counts = countsOf(day, voidOf(life, end, day));
    left += netOf(counts);
    // Clocks differ: nothing happens after the day of the end.
    yield { day: over === undefined ? day.day : earlier(day.day, over.day), counts };
  }
  if (over !== undefined) yield { day: over.day, counts: { ...zero, [over.with]: left } };
}

function endOfUse(
  tag: Deletion | null,
  list: Deletion | undefined,
): { readonly day: string; readonly with: 'left_with_list' | 'left_with_tag' } | undefined {
  if (list !== undefined && (tag === null || list.at <= tag.at)) return { day: dayOf(list.at), with: 'left_with_list' };
  return tag === null ? undefined : { day: dayOf(tag.at), with: 'left_with_tag' };
}

const countsOf = (day: TagDay, voided: VoidUse | undefined): Counts => ({
  ...zero,
  attached: day.attached - (voided?.attached ?? 0),
  detached: day.detached - (voided?.detached ?? 0),
  erased: day.erased - (voided?.erased ?? 0),
});

/** Where both are deleted, the deletion that comes first in the log decides. */
function voidOf(
  life: TagLifeDocument,
  end: ListEnd | undefined,
  { tag_id, list_id, day }: TagDay,
): VoidUse | undefined {
  const isByTag = life.deleted !== null && (end === undefined || life.deleted.position < end.deleted.position);
  return isByTag ? ownOf(life.void, `${list_id}/${day}`) : ownOf(end?.void ?? {}, `${tag_id}/${day}`);
}

const ownOf = (voids: TagLifeDocument['void'], place: string): VoidUse | undefined =>
  Object.hasOwn(voids, place) ? voids[place] : undefined;
