/** The names of lists and tags through time, folded from their catalogue streams and read on from there before every answer. */
import { createSingleFlight } from '../flow/single-flight.js';
import type { DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import { listsStream, tagsStream } from '../events/streams.js';
import type { Position } from '../eventstore/event-store.js';
import { decoded, UnreadableHistoryError } from './decoding.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';

export type NamedKind = 'list' | 'tag';

export interface NameVersion {
  readonly name: string;
  readonly isDeletion: boolean;
  readonly at: string;
  readonly position: string;
  /** In the catalogue stream: the event is read again when it is shown. */
  readonly revision: bigint;
}

/** In log order; the first is the creation, only the last can be a deletion. Times never run backwards. */
export type NameVersions = readonly NameVersion[];

/** The catalogues as of one moment: every answer sees the log up to the same position, however long it reads. */
export interface CataloguesAsOf {
  readonly horizon: string;
  /** Undefined: there never was such a list or tag. */
  versions(kind: NamedKind, id: string): NameVersions | undefined;
  /** All lists that there ever were, in the order of their creation. */
  lists(): Iterable<readonly [id: string, versions: NameVersions]>;
}

export interface Catalogues {
  /** The log up to this position; default: as it stands now. @throws StoreUnavailableError @throws UnreadableHistoryError */
  now(until?: Position): Promise<CataloguesAsOf>;
  /** The event behind a version. @throws StoreUnavailableError @throws UnreadableHistoryError */
  eventOf(kind: NamedKind, version: NameVersion): Promise<RecordedEvent<DomainEvent>>;
}

export interface ReplaySources {
  readonly reader: AuditReader;
  readonly catalogues: Catalogues;
  readonly pace: ReplayPace;
}

const streams: Readonly<Record<NamedKind, string>> = { list: listsStream, tag: tagsStream };

export function createCatalogues(reader: AuditReader): Catalogues {
  const kinds = { list: followed(reader, 'list'), tag: followed(reader, 'tag') };
  let folded = '';
  return {
    async now(until) {
      const horizon = until ?? (await reader.head());
      if (horizon > folded) {
        await Promise.all([kinds.list.refresh(), kinds.tag.refresh()]);
        if (horizon > folded) folded = horizon;
      }
      return {
        horizon,
        versions: (kind, id) => upTo(kinds[kind].versions.get(id), horizon),
        *lists() {
          for (const [id, all] of kinds.list.versions) {
            const versions = upTo(all, horizon);
            if (versions !== undefined) yield [id, versions];
          }
        },
      };
    },
    async eventOf(kind, { revision, position }) {
      for await (const [stored] of reader.readStream(streams[kind], { from: revision, limit: 1 }))
        if (stored !== undefined) return decoded(stored);
      throw new UnreadableHistoryError(`the event at position ${position} is gone`);
    },
  };
}

interface Followed {
  readonly versions: ReadonlyMap<string, NameVersions>;
  /** Resolves when everything has been folded that was in the stream before the call. */
  refresh(): Promise<void>;
}

function followed(reader: AuditReader, kind: NamedKind): Followed {
  const versions = new Map<string, NameVersion[]>();
  let next = 0n;

  async function readOn(): Promise<void> {
    for await (const page of streamPages(reader, { stream: streams[kind], from: next }))
      for (const stored of page) {
        if (stored.revision !== next) throw new UnreadableHistoryError(`${stored.stream} has a hole`);
        fold(versions, decoded(stored));
        next = stored.revision + 1n;
      }
  }

  return { versions, refresh: createSingleFlight(readOn) };
}

function fold(versions: Map<string, NameVersion[]>, recorded: RecordedEvent<DomainEvent>): void {
  const change = changeOf(recorded.event);
  if (change === undefined)
    throw new UnreadableHistoryError(`${recorded.event.type} at position ${recorded.position} is in the wrong stream`);
  const { id, ...what } = change;
  const { position, revision, metadata } = recorded;
  const version = { ...what, at: metadata.at, position, revision };
  const known = versions.get(id);
  if (known === undefined) versions.set(id, [version]);
  else known.push(version);
}

function changeOf(event: DomainEvent): { id: string; name: string; isDeletion: boolean } | undefined {
  switch (event.type) {
    case 'ListCreated':
    case 'ListRenamed':
    case 'ListDeleted':
      return { id: event.data.list_id, name: event.data.list_name, isDeletion: event.type === 'ListDeleted' };
    case 'TagCreated':
    case 'TagRenamed':
    case 'TagDeleted':
      return { id: event.data.tag_id, name: event.data.tag_name, isDeletion: event.type === 'TagDeleted' };
    default:
      return undefined;
  }
}

function upTo(versions: NameVersions | undefined, horizon: string): NameVersions | undefined {
  const last = versions?.at(-1);
  if (versions === undefined || last === undefined || last.position <= horizon) return versions;
  const seen = versions.slice(0, firstAfter(versions, horizon));
  return seen.length === 0 ? undefined : seen;
}

/** Index of the first version after the position; the length where there is none. */
export function firstAfter(versions: NameVersions, position: string): number {
  return partition(versions, (version) => version.position <= position);
}

/** The version at a time; undefined before the creation. */
export const versionAt = (versions: NameVersions, time: string): NameVersion | undefined =>
  versions[partition(versions, ({ at }) => at <= time) - 1];

/** The version when the event at this position was written; undefined before the creation. */
export const versionBefore = (versions: NameVersions, position: string): NameVersion | undefined =>
  versions[firstAfter(versions, position) - 1];

export function deletionOf(versions: NameVersions | undefined): NameVersion | undefined {
  const last = versions?.at(-1);
  return last?.isDeletion === true ? last : undefined;
}

/** How many of the sorted versions pass; those that do come first. */
function partition(versions: NameVersions, passes: (version: NameVersion) => boolean): number {
  let low = 0;
  let high = versions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const version = versions[middle];
    if (version !== undefined && passes(version)) low = middle + 1;
    else high = middle;
  }
  return low;
}
