/** What the analytics endpoints read: rows by day, week or month from the documents of the analytics views. */
import type { Document, FindQuery, ReadModelReader, StoredDocument, View } from '../readmodels/read-models.js';
import { dayOf, earlier, endOf, startOf, type Interval, type Range, type Span } from './calendar.js';
import { emailOutcomes, outcomeRows, type OutcomesDay, type OutcomesRow } from './email-outcomes.js';
import { everyPage } from './every-page.js';
import { countsOn, growthRows, isTornGrowth, type GrowthRow, type ListGrowth } from './growth-rows.js';
import {
  growthDayPrefix,
  lifeId,
  listGrowth,
  type LateJoiner,
  type ListDay,
  type ListLifeDocument,
} from './list-growth.js';
import { firstDayOf, runningTotals, type Change } from './sum-by-interval.js';
import {
  listEndId,
  tagLifeId,
  tagUse,
  useDayPrefix,
  type Deletion,
  type ListEnd,
  type TagDay,
  type TagLifeDocument,
  type VoidUse,
} from './tag-use.js';

export interface SeriesRequest {
  /** A day. Absent: the first day with data. */
  readonly from?: string | undefined;
  readonly to: string;
  readonly interval: Interval;
  /** Called with the range before the rows are made. Throws when there would be too many. */
  readonly check: (range: Range) => void;
}

export type Rows<Row> = { readonly range: Range; readonly rows: readonly Row[] };
export type GrowthAnswer = Rows<GrowthRow> & { readonly life: ListLifeDocument };
export type TagUseAnswer = Rows<TagUseRow> & { readonly life: TagLifeDocument };

export type AnalyticsQueries = ReturnType<typeof createAnalyticsQueries>;

/** All throw ReadModelsUnavailableError, and what `check` throws. Undefined = there never was one. */
export function createAnalyticsQueries(reader: ReadModelReader) {
  return {
    async listGrowth(listId: string, wanted: SeriesRequest): Promise<GrowthAnswer | undefined> {
      const growth = await readGrowth(reader, listId);
      if (growth === undefined) return undefined;
      const range = rangeOf(wanted, firstDayOf(growth));
      const late = await lateJoiners(reader, growth, range);
      return { life: growth.life, range, rows: growthRows(growth, late, range) };
    },
    async tagUse(tagId: string, wanted: SeriesRequest): Promise<TagUseAnswer | undefined> {
      const use = await readTagUse(reader, tagId);
      if (use === undefined) return undefined;
      const range = rangeOf(wanted, firstDayOf(use));
      return { life: use.life, range, rows: tagUseRows(use, range) };
    },
    async emailOutcomes(wanted: SeriesRequest): Promise<Rows<OutcomesRow>> {
      const found = await everything<OutcomesDay>(reader, emailOutcomes, {});
      const days = found.map(({ document }) => document);
      const range = rangeOf(wanted, days[0]?.day ?? wanted.to);
      return { range, rows: outcomeRows(days, range) };
    },
  };
}

function rangeOf({ from, to, interval, check }: SeriesRequest, first: string): Range {
  const range = from === undefined && first > to ? { from: to, to, interval } : { from: from ?? first, to, interval };
  check(range);
  return range;
}

async function everything<D extends Document>(
  reader: ReadModelReader,
  view: View,
  query: Omit<FindQuery, 'limit' | 'cursor'>,
): Promise<readonly StoredDocument<D>[]> {
  const documents: StoredDocument<D>[] = [];
  for await (const page of everyPage<D>(reader, view, query)) documents.push(...page);
  return documents;
}

/** The days are read before the document that may void some of them, and again where that is newer: at most this often. */
const attempts = 4;

async function readGrowth(reader: ReadModelReader, listId: string): Promise<ListGrowth | undefined> {
  for (let attempt = 1; ; attempt++) {
    const days = await everything<ListDay>(reader, listGrowth, { idPrefix: growthDayPrefix(listId) });
    const life = (await reader.get<ListLifeDocument>(listGrowth, lifeId(listId)))?.document;
    if (life === undefined) return undefined;
    const isWhole = !days.some(({ document, position }) => isTornGrowth(life, document, position));
    if (isWhole || attempt === attempts) return { life, days: days.map(({ document }) => document) };
  }
}

/** Only for the days of the range: the totals do not need them. */
async function lateJoiners(
  reader: ReadModelReader,
  { life, days }: ListGrowth,
  { from, to, interval }: Range,
): Promise<ReadonlyMap<string, number>> {
  const late = new Map<string, number>();
  const [first, last] = [startOf(from, interval), endOf(to, interval)];
  for (const { day, resubscribed } of days) {
    const shown = countsOn(life, day);
    if (resubscribed === 0 || shown < first || shown > last) continue;
    const where = { late_in: life.list_id, joined_on: day };
    const found = await everything<LateJoiner>(reader, listGrowth, { where });
    late.set(day, found.filter(({ document }) => !isVoid(life, document)).length);
  }
  return late;
}

const isVoid = ({ deleted }: ListLifeDocument, { position }: LateJoiner): boolean =>
  deleted !== null && position !== null && position > deleted.position;

async function readTagUse(reader: ReadModelReader, tagId: string): Promise<TagUse | undefined> {
  for (let attempt = 1; ; attempt++) {
    const days = await everything<TagDay>(reader, tagUse, { idPrefix: useDayPrefix(tagId) });
    const life = (await reader.get<TagLifeDocument>(tagUse, tagLifeId(tagId)))?.document;
    if (life === undefined) return undefined;
    const lists = [...new Set(days.map(({ document }) => document.list_id))];
    const found = await reader.getMany<ListEnd>(tagUse, lists.map(listEndId));
    const ends = new Map([...found.values()].map(({ document }) => [document.list_id, document]));
    const use = { life, days: days.map(({ document }) => document), ends };
    if (attempt === attempts || !days.some(({ document, position }) => isTorn(use, document, position))) return use;
  }
}

interface TagUse {
  readonly life: TagLifeDocument;
  readonly days: readonly TagDay[];
  /** Of those of its lists that were deleted, by list id. */
  readonly ends: ReadonlyMap<string, ListEnd>;
}

/** An interval of the tag's life. Counted per contact and list: a contact who bears it in two lists counts twice. */
type TagUseRow = Span & {
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

/** Whether what a deletion voided was read newer than the day that has counted it; then the days must be read again. */
const isTorn = ({ life, ends }: TagUse, day: TagDay, position: string): boolean =>
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
