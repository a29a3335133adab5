/** The queries of the analytics endpoints: rows by day, week or month, and present counts, from the documents of the analytics views. */
import type { Document, FindQuery, StoredDocument, View } from '../readmodels/read-models.js';
import { endOf, startOf, type Interval, type Range } from './calendar.js';
import { lists, tags, type ListDocument, type TagDocument } from './catalogues.js';
import { emailOutcomes, outcomeRows, type OutcomesDay, type OutcomesRow } from './email-outcomes.js';
import { everyPage } from './every-page.js';
import { countsOn, growthRows, isTornGrowth, subscribed, type GrowthRow, type ListGrowth } from './growth-rows.js';
import {
  growthDayPrefix,
  lifeId,
  listGrowth,
  type LateJoiner,
  type ListDay,
  type ListLifeDocument,
} from './list-growth.js';
import { pageOf, type PageRequest, type ViewPage } from './queries.js';
import type { QueryReader, QueryViews } from './query-reader.js';
import { firstDayOf } from './sum-by-interval.js';
import { inUse, isTornUse, tagUseRows, type TagUse, type TagUseRow } from './tag-use-rows.js';
import {
  listEndId,
  tagLifeId,
  tagUse,
  useDayPrefix,
  type ListEnd,
  type TagDay,
  type TagLifeDocument,
} from './tag-use.js';

export interface SeriesRequest {
  /** A day. Absent: the first day with data. */
  readonly from?: string | undefined;
  readonly to: string;
  readonly interval: Interval;
  /** Called with the range before the rows are made. Throws when there would be too many. */
  readonly check: (range: Range) => void;
}

export interface Rows<Row> {
  readonly range: Range;
  readonly rows: readonly Row[];
  /** Whether the rows may lack events because these cannot be read. */
  readonly isIncomplete: boolean;
}
export type GrowthAnswer = Rows<GrowthRow> & { readonly life: ListLifeDocument };
export type TagUseAnswer = Rows<TagUseRow> & { readonly life: TagLifeDocument };

type ListCount = Pick<ListDocument, 'list_id' | 'list_name'> & { readonly subscribed: number };
type TagCount = Pick<TagDocument, 'tag_id' | 'tag_name'> & { readonly in_use: number };

export type AnalyticsQueries = ReturnType<typeof createAnalyticsQueries>;

/** All throw ReadModelsUnavailableError, and what `check` throws. Undefined = there never was one. */
export function createAnalyticsQueries(views: QueryViews) {
  return {
    async listGrowth(listId: string, wanted: SeriesRequest): Promise<GrowthAnswer | undefined> {
      const reader = views.open([listGrowth]);
      const growth = await readGrowth(reader, listId);
      if (growth === undefined) return undefined;
      const range = rangeOf(wanted, firstDayOf(growth));
      const late = await lateJoiners(reader, growth, range);
      return { life: growth.life, range, rows: growthRows(growth, late, range), isIncomplete: reader.isIncomplete() };
    },
    async tagUse(tagId: string, wanted: SeriesRequest): Promise<TagUseAnswer | undefined> {
      const reader = views.open([tagUse]);
      const use = await readTagUse(reader, tagId);
      if (use === undefined) return undefined;
      const range = rangeOf(wanted, firstDayOf(use));
      return { life: use.life, range, rows: tagUseRows(use, range), isIncomplete: reader.isIncomplete() };
    },
    /** The lists that are not deleted, by id. */
    async listCounts(page: PageRequest): Promise<ViewPage<ListCount>> {
      const reader = views.open([lists, listGrowth]);
      return await counted<ListDocument, ListCount>({ reader, view: lists, page }, async ({ list_id, list_name }) => {
        const growth = await readGrowth(reader, list_id);
        return { list_id, list_name, subscribed: growth === undefined ? 0 : subscribed(growth) };
      });
    },
    /** The tags that are not deleted, by id. */
    async tagCounts(page: PageRequest): Promise<ViewPage<TagCount>> {
      const reader = views.open([tags, tagUse]);
      return await counted<TagDocument, TagCount>({ reader, view: tags, page }, async ({ tag_id, tag_name }) => {
        const use = await readTagUse(reader, tag_id);
        return { tag_id, tag_name, in_use: use === undefined ? 0 : inUse(use) };
      });
    },
    async emailOutcomes(wanted: SeriesRequest): Promise<Rows<OutcomesRow>> {
      const reader = views.open([emailOutcomes]);
      const found = await everything<OutcomesDay>(reader, emailOutcomes, {});
      const days = found.map(({ document }) => document);
      const range = rangeOf(wanted, days[0]?.day ?? wanted.to);
      return { range, rows: outcomeRows(days, range), isIncomplete: reader.isIncomplete() };
    },
  };
}

function rangeOf({ from, to, interval, check }: SeriesRequest, first: string): Range {
  const range = from === undefined && first > to ? { from: to, to, interval } : { from: from ?? first, to, interval };
  check(range);
  return range;
}

interface PageOfView {
  readonly reader: QueryReader;
  readonly view: View;
  readonly page: PageRequest;
}

async function counted<D, Item>(
  { reader, view, page }: PageOfView,
  count: (document: D) => Promise<Item>,
): Promise<ViewPage<Item>> {
  const { documents, nextCursor } = await reader.find<D>(view, pageOf(page));
  const items: Item[] = [];
  for (const { document } of documents) {
    items.push(await count(document));
    // Embedded views answer at once: others have their turn between two counts.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const isIncomplete = reader.isIncomplete();
  return { items, isIncomplete, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) };
}

async function everything<D extends Document>(
  reader: QueryReader,
  view: View,
  query: Omit<FindQuery, 'limit' | 'cursor'>,
): Promise<readonly StoredDocument<D>[]> {
  const documents: StoredDocument<D>[] = [];
  for await (const page of everyPage<D>(reader, view, query)) documents.push(...page);
  return documents;
}

/** The days are read before the document that may void some of them, and again where that is newer: at most this often. */
const attempts = 4;

async function readGrowth(reader: QueryReader, listId: string): Promise<ListGrowth | undefined> {
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
  reader: QueryReader,
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

async function readTagUse(reader: QueryReader, tagId: string): Promise<TagUse | undefined> {
  for (let attempt = 1; ; attempt++) {
    const days = await everything<TagDay>(reader, tagUse, { idPrefix: useDayPrefix(tagId) });
    const life = (await reader.get<TagLifeDocument>(tagUse, tagLifeId(tagId)))?.document;
    if (life === undefined) return undefined;
    const lists = [...new Set(days.map(({ document }) => document.list_id))];
    const found = await reader.getMany<ListEnd>(tagUse, lists.map(listEndId));
    const ends = new Map([...found.values()].map(({ document }) => [document.list_id, document]));
    const use = { life, days: days.map(({ document }) => document), ends };
    if (attempt === attempts || !days.some(({ document, position }) => isTornUse(use, document, position))) return use;
  }
}
