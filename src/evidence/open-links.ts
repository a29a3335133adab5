/** The links that verification compares with: those in the log itself, or those that the service keeps beside the views. */
import { existsSync } from 'node:fs';
import type { EventReader } from '../eventstore/event-store.js';
import type { LinkSource } from '../eventstore/link-source.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import type { StoreSettings } from '../stores/stores.js';
import { countOf, evidenceCheckpoint, keptSealedHead, storedLinks } from './link-blocks.js';
import { keptTree } from './root-pages.js';
import { linkSourceOf } from './verify.js';

/** Where the log and its views are. */
export interface LogPlace {
  readonly stores: StoreSettings;
  /** Creates none. */
  openViews(): Promise<ReadModelReader>;
  /** Of the sealed head; undefined where the secret of the log is not known. */
  headKey(log: EventReader): Promise<Uint8Array | undefined>;
  readonly signal: AbortSignal;
}

export interface KnownLinks {
  readonly source: LinkSource;
  /** Events that the log is known to have had; undefined: that is not known. */
  readonly known: number | undefined;
  /** Undefined: there are none, or they cannot be opened. */
  readonly views: ReadModelReader | undefined;
  /** How many of the events read so far had a link. */
  linked(): number;
  close(): Promise<void>;
}

type Counted = { chainHead?(): { readonly count: number } | undefined };

export async function openLinks(log: EventReader & Counted, place: LogPlace): Promise<KnownLinks> {
  const views = await openViews(place);
  try {
    return await linksOf(log, views, place);
  } catch (error) {
    await views?.close();
    throw error;
  }
}

async function linksOf(
  log: EventReader & Counted,
  views: ReadModelReader | undefined,
  place: LogPlace,
): Promise<KnownLinks> {
  // The embedded log keeps its links itself.
  const beyond = place.stores.events.kind === 'embedded' ? undefined : views;
  const checkpoint = (await beyond?.checkpoint(evidenceCheckpoint)) ?? null;
  const known = checkpoint === null ? log.chainHead?.()?.count : countOf(checkpoint);
  const source = beyond === undefined || checkpoint === null ? linkSourceOf(log) : beside(log, beyond);
  let linked = 0;
  return {
    source: {
      ...source,
      async *readLinked(options) {
        for await (const events of source.readLinked(options)) {
          for (const { link } of events) linked += link === null ? 0 : 1;
          yield events;
        }
      },
    },
    known,
    views,
    linked: () => linked,
    close: async () => views?.close(),
  };
}

/** Creates none. Without views a server's log has no links, and the answer says that nothing was compared. */
async function openViews(place: LogPlace): Promise<ReadModelReader | undefined> {
  const { views } = place.stores;
  if (views.kind === 'embedded' && !existsSync(views.file)) return undefined;
  try {
    return await place.openViews();
  } catch {
    place.signal.throwIfAborted();
    return undefined;
  }
}

function beside(log: EventReader, views: ReadModelReader): LinkSource {
  return {
    async *readLinked(options) {
      const links = storedLinks(views);
      for await (const batch of log.readAll(options)) {
        const events = [];
        for (const event of batch) {
          const next = await links.next();
          events.push({ ...event, link: next.done === true ? null : next.value });
        }
        yield events;
      }
    },
    // What comes after it is not sealed yet.
    sealedHead: async () => ({ sealed: await keptSealedHead(views), end: undefined }),
    tree: keptTree(views),
  };
}
