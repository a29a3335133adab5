/** What differs in a list between two times: who joined, who left, whose status or tags changed. One pass over the log. */
import type { ListDiffLine, MemberAt, MemberChange } from './list-answers.js';
import { lastPositionIn, openAuditContext, type AuditSources } from './basis.js';
import { laterOf, stateOfVersion, type ListAt } from './list-at.js';
import type { Because } from './event-descriptions.js';
import { gather, showMember, type ListPass, type Member, type Members } from './list-members.js';
import { versionAt } from './names.js';
import { countsUntil } from './timeline.js';
import { createUnreadableNotes, type UnreadableSummary } from './unreadable.js';

export interface ListDiffRequest {
  /** Id or name; a name as it was at `to`. */
  readonly list: string;
  /** The list as it was at `from`, and as it was at `to`. ISO 8601, UTC, milliseconds. */
  readonly from: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

export type ListDiff = Omit<ListDiffLine, 'line'> &
  Pick<ListAt, 'seal'> & {
    /** Members at `to` in the order in which they entered, then those who left; some at a time. Ends early, with the signal's reason, when that aborts. */
    changes(): AsyncIterable<readonly MemberChange[]>;
    /** Events at or before `to` that may be about the list and cannot be read. Known when the changes have been gone through. */
    unreadable(): UnreadableSummary;
  };

/** @throws ServiceError `no_such_list` */
export async function listDiff(sources: AuditSources, { list, from, to, signal }: ListDiffRequest): Promise<ListDiff> {
  const { reader } = sources;
  const { moment, basis, listId = list } = await openAuditContext(sources, { times: [from, to], list, namedAt: to });
  const versions = moment.versions('list', listId) ?? [];
  const version = versionAt(versions, to);
  const states = { before: stateOfVersion(versionAt(versions, from)), after: stateOfVersion(version) };
  const unreadable = createUnreadableNotes();
  const pass = { reader, moment, listId, signal };
  let last = version?.position ?? '';
  return {
    list_id: listId,
    list_name: version?.name ?? null,
    from,
    to,
    ...basis,
    state_before: states.before,
    state: states.after,
    async *changes() {
      // An event that is unreadable at `from` is also unreadable at `to`.
      const before = { ...pass, time: from, unreadable: createUnreadableNotes(), names: new Map() };
      for await (const some of changes(before, { ...pass, time: to, unreadable, names: new Map() }, states)) {
        last = laterOf(last, lastPositionIn(some));
        yield some;
      }
    },
    unreadable: unreadable.found,
    seal: () => sources.sealOf(laterOf(last, lastPositionIn(unreadable.found())) || basis.position),
  };
}

type Side = ListPass & { readonly names: Map<string, string | null> };

interface States {
  readonly before: ListAt['state'];
  readonly after: ListAt['state'];
}

const changesAtOnce = 100;

async function* changes(before: Side, after: Side, states: States): AsyncGenerator<readonly MemberChange[]> {
  if (states.before !== 'living' && states.after !== 'living') return;
  const ends = new Map<string, Because>();
  const until = endsUntil(after, states);
  const noteEnd = (_: string, contactId: string, cause: Because): unknown =>
    cause.position <= until && ends.set(contactId, cause);
  const [first, second] = await gather([before, { ...after, onEnd: noteEnd }]);
  const were = states.before === 'living' && first !== undefined ? first : new Map<string, Member>();
  const are = states.after === 'living' && second !== undefined ? second : new Map<string, Member>();
  let some: MemberChange[] = [];
  for await (const change of differences({ before, were, after, are, ends })) {
    some.push(change);
    if (some.length < changesAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** A contact that was erased after the list was deleted had already left with the list. */
const endsUntil = ({ moment, listId }: Side, { after }: States): string =>
  after === 'living' ? moment.horizon : countsUntil(moment, ['list', listId]);

interface Compared {
  readonly before: Side;
  readonly were: Members;
  readonly after: Side;
  readonly are: Members;
  /** By contact: what ended those who are no members any more. */
  readonly ends: ReadonlyMap<string, Because>;
}

/** Nobody is looked at twice: who was found at both times is taken out of `were`, so that those who left are the rest. */
async function* differences({ before, were, after, are, ends }: Compared): AsyncGenerator<MemberChange> {
  for (const [stream, member] of are) {
    const earlier = were.get(stream);
    // Another life of the same address is another contact.
    const isSame = earlier?.contactId === member.contactId;
    if (isSame) were.delete(stream);
    const now = await showMember(stream, member, after);
    if (!isSame) {
      yield change(now, { now, because: now.because });
      continue;
    }
    const { email, created_at } = now;
    const then = await showMember(stream, { ...earlier, creation: { email, created_at } }, before);
    if (hasChanged(then, now)) yield change(now, { then, now, because: now.because });
  }
  for (const [stream, member] of were) {
    const then = await showMember(stream, member, before);
    yield change(then, { then, because: ends.get(member.contactId) ?? null });
  }
}

const hasChanged = (then: MemberAt, now: MemberAt): boolean => then.status !== now.status || idsOf(then) !== idsOf(now);

/** In the order of their ids, as they are shown. */
const idsOf = ({ tags }: MemberAt): string => tags.map(({ tag_id }) => tag_id).join();

const kindOf = (then: unknown, now: unknown): MemberChange['change'] =>
  then === undefined ? 'joined' : now === undefined ? 'left' : 'changed';

const absent = { status: null, tags: [] };

interface BothSides {
  readonly then?: MemberAt;
  readonly now?: MemberAt;
  readonly because: Because | null;
}

function change(member: MemberAt, { then, now, because }: BothSides): MemberChange {
  const { contact_id, email, created_at, erased_at } = member;
  const { status: status_before, tags: tags_before } = then ?? absent;
  const { status, tags } = now ?? absent;
  return {
    contact_id,
    email,
    change: kindOf(then, now),
    status_before,
    status,
    tags_before,
    tags,
    because,
    created_at,
    erased_at,
  };
}
