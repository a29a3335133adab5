/** The growth of all lists from the log alone, as of any time: the view `list_growth` folded in memory, for exports. */
import type { DomainEvent } from '../events/codec.js';
import type { Recorded } from '../events/envelope.js';
import type { ListGrowth } from './growth-rows.js';
import {
  lifeId,
  listGrowth,
  type GrowthDocument,
  type LateJoiner,
  type ListDay,
  type ListLife,
} from './list-growth.js';

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

  const isSeen = ({ event, metadata }: Recorded<DomainEvent>): boolean =>
    time === undefined || metadata.at <= time || event.type === 'ListDeleted';

  function keep(key: string, document: GrowthDocument | null): void {
    if (document === null) return;
    if (document.kind !== 'late' || document.joined_on === null) documents.set(key, document);
    else {
      // Once joined, nobody needs to be told from others any more.
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
    add(recorded: Recorded<DomainEvent>): void {
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

const livesOf = (documents: Documents): readonly ListLife[] =>
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
