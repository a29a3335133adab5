/** The links that verification compares with: those in the log itself, or those that the service keeps beside the views. */
import { existsSync } from 'node:fs';
import { linkSourceOf } from '../../evidence/verify.js';
import type { LinkSource } from '../../eventstore/link-source.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { countOf, evidenceCheckpoint, keptSealedHead, storedLinks } from '../../evidence/link-blocks.js';
import { keptTree } from '../../evidence/root-pages.js';
import type { ReadModelReader } from '../../readmodels/read-models.js';
import type { CommandLine } from '../command-line.js';

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

export async function openLinks(log: EventReader & Counted, line: CommandLine): Promise<KnownLinks> {
  const views = await openViews(line);
  // The embedded log keeps its links itself.
  const beyond = line.stores.events.kind === 'embedded' ? undefined : views;
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
async function openViews(line: CommandLine): Promise<ReadModelReader | undefined> {
  const { views } = line.stores;
  if (views.kind === 'embedded' && !existsSync(views.file)) return undefined;
  try {
    return await line.openViews();
  } catch {
    line.signal.throwIfAborted();
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
