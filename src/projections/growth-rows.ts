/** The growth of lists as rows, by day, week or month: from the documents of `list_growth`, or from the log alone for exports, as of any time. Pure. */
import { dayOf, earlier, type Range, type Span } from './calendar.js';
import {
  lifeId,
  listGrowth,
  type GrowthDocument,
  type LateJoiner,
  type ListDay,
  type ListLifeDocument,
} from './list-growth.js';
import { runningTotals, type Change } from './sum-by-interval.js';
import type { DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';

export interface ListGrowth {
  readonly life: ListLifeDocument;
  readonly days: readonly ListDay[];
}

export type GrowthRow = Span & {
  readonly joined: number;
  readonly unsubscribed: number;
  readonly resubscribed: number;
  /** Were subscribed when the person was erased. */
  readonly erased: number;
  /** Were subscribed when the list was deleted. */
  readonly left_with_list: number;
  readonly net: number;
  readonly total: number;
};

type Counts = Pick<GrowthRow, 'joined' | 'unsubscribed' | 'resubscribed' | 'erased' | 'left_with_list'>;

const zero: Counts = { joined: 0, unsubscribed: 0, resubscribed: 0, erased: 0, left_with_list: 0 };

const netOf = ({ joined, unsubscribed, resubscribed, erased, left_with_list }: Counts): number =>
  joined + resubscribed - unsubscribed - erased - left_with_list;

/** The day on which it counts: clocks differ, and nothing happens in a list after the day of its deletion. */
export const countsOn = (life: ListLifeDocument, day: string): string =>
  life.deleted === null ? day : earlier(day, dayOf(life.deleted.at));

/** Whether the record of the deletion is newer than the day that was read: then the days must be read again. */
export const isTornGrowth = (life: ListLifeDocument, { day }: ListDay, position: string): boolean =>
  (life.void[day]?.position ?? '') > position;

/**
 * One row for each interval, also where nothing happened. `late`: by day of joining, how many of the resubscribed came
 * into the list as Unsubscribed and joined only then.
 */
export function growthRows(growth: ListGrowth, late: ReadonlyMap<string, number>, range: Range): readonly GrowthRow[] {
  return runningTotals(changesOf(growth, late), range, { zero, netOf });
}

function changesOf({ life, days }: ListGrowth, late: ReadonlyMap<string, number>): readonly Change<keyof Counts>[] {
  const changes = days.map((day) => ({ day: countsOn(life, day.day), counts: countsOf(life, day, late) }));
  if (life.deleted === null) return changes;
  return [...changes, { day: dayOf(life.deleted.at), counts: { ...zero, left_with_list: netOfAll(changes) } }];
}

const netOfAll = (changes: readonly Change<keyof Counts>[]): number =>
  changes.reduce((sum, { counts }) => sum + netOf(counts), 0);

/** How many are subscribed after all that happened. */
export const subscribed = (growth: ListGrowth): number => netOfAll(changesOf(growth, new Map()));

function countsOf(life: ListLifeDocument, day: ListDay, late: ReadonlyMap<string, number>): Counts {
  const voided = life.void[day.day];
  const resubscribed = day.resubscribed - (voided?.resubscribed ?? 0);
  const joinedLate = Math.min(late.get(day.day) ?? 0, resubscribed);
  return {
    joined: day.joined - (voided?.joined ?? 0) + joinedLate,
    unsubscribed: day.unsubscribed - (voided?.unsubscribed ?? 0),
    resubscribed: resubscribed - joinedLate,
    erased: day.erased - (voided?.erased ?? 0),
    left_with_list: 0,
  };
}

export interface FoldedGrowth {
  readonly growth: ListGrowth;
  /** Those who joined after having come in as Unsubscribed, by day. */
  readonly late: ReadonlyMap<string, number>;
}

/**
 * Keeps a small document per list and day, and a note of each contact who came into a list as Unsubscribed and has not
 * joined. With a time, every stream is cut after its last event at or before it; a list that was deleted later lives,
 * but what the log has after that deletion never was.
 */
export function createGrowthFold(time?: string) {
  const documents = new Map<string, GrowthDocument>();
  const late = new Map<string, Map<string, number>>();

  const isSeen = ({ event, metadata }: RecordedEvent<DomainEvent>): boolean =>
    time === undefined || metadata.at <= time || event.type === 'ListDeleted';

  function keep(key: string, document: GrowthDocument | null): void {
    if (document === null) return;
    if (document.kind !== 'late' || document.joined_on === null) documents.set(key, document);
    else {
      // Contacts that have joined need no note any more.
      documents.delete(key);
      if (!isVoid(document)) count(late, document.late_in, document.joined_on);
    }
  }

  function isVoid({ late_in }: LateJoiner): boolean {
    const life = documents.get(lifeId(late_in));
    return life?.kind === 'list' && life.deleted !== null;
  }

  return {
    /** To be called with every event that `listGrowth` handles, in the order of the log; others change nothing. @throws CannotFoldError */
    add(recorded: RecordedEvent<DomainEvent>): void {
      if (!isSeen(recorded)) return;
      for (const key of listGrowth.keys(recorded)) {
        const before = documents.get(key);
        // Created after the time: there is no such list.
        if (before === undefined && recorded.event.type === 'ListDeleted') continue;
        keep(key, listGrowth.evolve(before, recorded, key));
      }
    },
    /** By list id; deleted lists too. What `growthRows` makes rows of. */
    lists(): readonly FoldedGrowth[] {
      const days = daysOf(documents);
      return livesOf(documents).map((life) => {
        const isOver = life.deleted !== null && (time === undefined || life.deleted.at <= time);
        return {
          growth: { life: isOver ? life : { ...life, deleted: null }, days: days.get(life.list_id) ?? [] },
          late: late.get(life.list_id) ?? new Map<string, number>(),
        };
      });
    },
  };
}

type Documents = ReadonlyMap<string, GrowthDocument>;

const livesOf = (documents: Documents): readonly ListLifeDocument[] =>
  [...documents.values()]
    .filter((document) => document.kind === 'list')
    .sort((one, other) => (one.list_id < other.list_id ? -1 : 1));

function daysOf(documents: Documents): ReadonlyMap<string, readonly ListDay[]> {
  const days = new Map<string, ListDay[]>();
  for (const document of documents.values()) {
    if (document.kind !== 'day') continue;
    const ofList = days.get(document.list_id);
    if (ofList === undefined) days.set(document.list_id, [document]);
    else ofList.push(document);
  }
  return days;
}

function count(counts: Map<string, Map<string, number>>, listId: string, day: string): void {
  const ofList = counts.get(listId) ?? new Map<string, number>();
  counts.set(listId, ofList.set(day, (ofList.get(day) ?? 0) + 1));
}
