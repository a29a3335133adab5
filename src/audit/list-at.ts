/** A list as it was at a time, and who was in it: one pass over the log. */
import type { Basis, CitedEvent } from './answers.js';
import type { ListLine, MemberAt } from './list-answers.js';
import { citedEvent, summaryOf } from './event-descriptions.js';
import { lastPositionIn, openAuditContext, type AuditSources } from './basis.js';
import type { Position } from '../eventstore/event-store.js';
import { gather, showMember, type ListPass } from './list-members.js';
import { versionAt, type Catalogues, type CataloguesAsOf, type NameVersion } from './names.js';
import { createUnreadableNotes, type UnreadableSummary } from './unreadable.js';

export interface ListAtRequest {
  /** Id or name. */
  readonly list: string;
  /** Every stream is cut after its last event at or before it. ISO 8601, UTC, milliseconds. */
  readonly time: string;
  readonly signal: AbortSignal;
}

export type ListAt = Omit<ListLine, 'line'> & {
  /** In the order of their first event in the list, some at a time. Ends early, with the signal's reason, when that aborts. */
  members(): AsyncIterable<readonly MemberAt[]>;
  /** Events at or before the time that may be about the list and cannot be read. Known when the members have been gone through. */
  unreadable(): UnreadableSummary;
  /** The newest seal that covers all of this. Known when the members have been gone through. */
  seal(): Promise<Basis['seal']>;
};

/** @throws ServiceError `no_such_list` */
export async function listAt(sources: AuditSources, { list, time, signal }: ListAtRequest): Promise<ListAt> {
  const { reader, catalogues } = sources;
  const { moment, basis, listId = list } = await openAuditContext(sources, { times: [time], list, namedAt: time });
  const version = versionAt(moment.versions('list', listId) ?? [], time);
  const unreadable = createUnreadableNotes();
  const pass = { reader, moment, listId, time, signal, unreadable };
  let last = version?.position ?? '';
  return {
    list_id: listId,
    list_name: version?.name ?? null,
    time,
    ...basis,
    state: stateOfVersion(version),
    because: version === undefined ? null : await cite(version, moment, catalogues),
    async *members() {
      for await (const some of members(pass, stateOfVersion(version))) {
        last = laterOf(last, lastPositionIn(some));
        yield some;
      }
    },
    unreadable: unreadable.found,
    seal: () => sources.sealOf(laterOf(last, lastPositionIn(unreadable.found())) || basis.position),
  };
}

export const laterOf = (one: Position, other: Position): Position => (one > other ? one : other);

export const stateOfVersion = (version: NameVersion | undefined): ListAt['state'] =>
  version === undefined ? 'not_created' : version.isDeletion ? 'deleted' : 'living';

async function cite(version: NameVersion, moment: CataloguesAsOf, catalogues: Catalogues): Promise<CitedEvent> {
  const recorded = await catalogues.eventOf('list', version);
  return citedEvent(recorded, summaryOf(recorded, moment));
}

const membersAtOnce = 100;

async function* members(pass: ListPass, state: ListAt['state']): AsyncGenerator<readonly MemberAt[]> {
  if (state !== 'living') return;
  const [found] = await gather([pass]);
  if (found === undefined) return;
  const names = new Map<string, string | null>();
  let some: MemberAt[] = [];
  for (const [stream, member] of found) {
    // Forget what has been shown.
    found.delete(stream);
    some.push(await showMember(stream, member, { ...pass, names }));
    if (some.length < membersAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
