/** Finds our last event in a log that others write to, too: backwards from its end, no further than the last time. */
import { logStart, type Position } from '../event-store.js';
import type { PageReader } from './pages.js';

/** Ours is mostly among the last few; if not, whole pages follow. */
const firstLook = 16;
/** Pages of other people's events after which the server is asked whether the log has any of our events. */
const pagesBeforeSearch = 1;

export function createHead(pages: PageReader) {
  /** `ours` is our last event among all up to `upTo`. */
  let known = { upTo: logStart, ours: logStart };

  function learn(upTo: Position, ours: Position): Position {
    if (upTo > known.upTo) known = { upTo, ours };
    return ours;
  }

  /** Our last event before `end`, if it is not before what is known. */
  async function search(end: Position): Promise<Position | undefined> {
    let after = end;
    for (let page = 0; after > known.upTo; page += 1) {
      if (page === pagesBeforeSearch && (await pages.nextOfOurs(known.upTo)) === 'none') return undefined;
      const { events, last, ended } = await pages.ofLog({ after, backwards: true, limit: 1 });
      if (events[0] !== undefined) return events[0].position;
      if (ended) return undefined;
      after = last ?? logStart;
    }
    return undefined;
  }

  return {
    /** One of our events stands there: nothing before it need be read again. */
    note: (position: Position): void => void learn(position, position),
    /** Position of our last event, or `logStart`. @throws StoreUnavailableError */
    async find(): Promise<Position> {
      const before = known.upTo;
      const look = { after: undefined, backwards: true, limit: 1, count: firstLook };
      const { events, first: newest = logStart, last = logStart } = await pages.ofLog(look);
      // The log has been replaced by an older one.
      if (newest < before) known = { upTo: logStart, ours: logStart };
      const ours = events[0]?.position ?? (await search(last));
      return learn(newest, ours ?? known.ours);
    },
  };
}
