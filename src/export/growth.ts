/** The growth of all lists by day, from the first event on: the rows of `GET /v1/analytics/lists/{list_id}/growth`, from the log alone. */
import { decoded } from '../audit/decoding.js';
import { dayOf, later, type Range } from '../projections/calendar.js';
import { createGrowthFold, growthRows, type FoldedGrowth } from '../projections/growth-rows.js';
import { firstDayOf } from '../projections/sum-by-interval.js';
import { listGrowth } from '../projections/list-growth.js';
import { everyEvent, type ExportLog } from './log.js';
import { tableOf, type Columns, type ExportSource, type ExportRow } from './source.js';

const columns: Columns = {
  list_id: 'text',
  list_name: 'text',
  day: 'day',
  joined: 'integer',
  unsubscribed: 'integer',
  resubscribed: 'integer',
  erased: 'integer',
  left_with_list: 'integer',
  net: 'integer',
  total: 'integer',
};

export const growthSource = (log: ExportLog): ExportSource => tableOf(columns, () => rows(log));

const handled: ReadonlySet<string> = new Set(listGrowth.handles);

async function* rows(log: ExportLog): AsyncGenerator<ExportRow> {
  const fold = createGrowthFold(log.time);
  let lastDay = '';
  for await (const stored of everyEvent(log)) {
    if (!handled.has(stored.type)) continue;
    const recorded = decoded(stored);
    fold.add(recorded);
    const { at } = recorded.metadata;
    if (log.time === undefined || at <= log.time) lastDay = later(lastDay, dayOf(at));
  }
  for (const list of fold.lists()) yield* rowsOf(list, lastDay);
}

/** Every day of the list's life, up to the last one on which anything happened in any list. */
function* rowsOf({ growth, late }: FoldedGrowth, lastDay: string): Generator<ExportRow> {
  const { list_id, list_name, deleted } = growth.life;
  const range: Range = {
    from: firstDayOf(growth),
    to: deleted === null ? lastDay : dayOf(deleted.at),
    interval: 'day',
  };
  for (const row of growthRows(growth, late, range)) {
    const { joined, unsubscribed, resubscribed, erased, left_with_list, net, total } = row;
    yield [list_id, list_name, row.from, joined, unsubscribed, resubscribed, erased, left_with_list, net, total];
  }
}
