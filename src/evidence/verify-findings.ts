/** What correct links do not show: whether each stream is in order and each event can be read in one way only; and broken invariants, which are not tampering, but what this service never decides. Two writers with two secrets lead to them, or a fault. */
import { z } from 'zod';
import { jsonOrText } from '../audit/redaction.js';
import { codec, type DomainEvent } from '../events/codec.js';
import { isLaterPart } from '../events/contact.js';
import { nameKey } from '../events/catalogues.js';
import { groupsStream, listsStream, tagsStream } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { LinkedEvent } from '../eventstore/chain.js';
import { hasRepeatedName, isNamed, memberSpans, type MemberSpan } from '../eventstore/json-text.js';
import { differenceAt, type Difference } from './verify-difference.js';

export interface Finding {
  /** `second_contact`: created again in a stream in which a contact lives. `same_name`: two things of a kind with one name. `unreadable`: an event of a catalogue that cannot be read. `digest`: personal data were replaced by a digest, and no erasure says so. */
  readonly kind: 'second_contact' | 'same_name' | 'unreadable' | 'digest';
  readonly position: string;
  readonly stream: string;
  readonly message: string;
}

const most = 100;
const catalogues: ReadonlySet<string> = new Set([groupsStream, listsStream, tagsStream]);

export function createFindings() {
  const findings: Finding[] = [];
  const names = new Map<string, ReturnType<typeof createNames>>();
  /** Streams in which a contact lives no more. */
  const ended = new Set<string>();
  /** The last event with a digest, in streams whose erasure has not come yet. */
  const digests = new Map<string, StoredEvent>();

  const find = (kind: Finding['kind'], { position, stream }: StoredEvent, message: string): void => {
    if (findings.length < most) findings.push({ kind, position, stream, message });
  };

  function takeName(event: StoredEvent): void {
    const change = changeOf(event);
    if (change === undefined) return find('unreadable', event, 'the event cannot be read');
    const known = names.get(event.stream) ?? createNames();
    names.set(event.stream, known);
    const other = known.take(change);
    if (other !== undefined) find('same_name', event, `${change.id} has the name that ${other} has`);
  }

  function takeErasure(event: StoredEvent): void {
    const through = throughIn(event);
    if (event.type === 'ContactErased' && !isLaterPart({ through }, event.revision)) ended.add(event.stream);
    const last = digests.get(event.stream);
    if (last !== undefined && through >= last.revision) digests.delete(event.stream);
  }

  return {
    take(event: StoredEvent, hasDigest: boolean): void {
      const { type, stream } = event;
      if (hasDigest) digests.set(stream, event);
      if (erasing.has(type)) takeErasure(event);
      // A contact's stream begins with its creation.
      else if (type === 'ContactCreated' && event.revision > 0n && !ended.delete(stream))
        find('second_contact', event, 'a second contact was created for one address');
      else if (catalogues.has(stream)) takeName(event);
    },
    all(): readonly Finding[] {
      const unexplained = [...digests.values()].map(({ position, stream }): Finding => {
        const message = 'personal data were replaced by a digest, and no erasure says so';
        return { kind: 'digest', position, stream, message };
      });
      return [...findings, ...unexplained].slice(0, most);
    },
  };
}

/** They name the revision up to which their stream has no personal data any more. */
const erasing: ReadonlySet<string> = new Set(['ContactErased', 'EmailErased', 'SuppressionErased']);

const erasureData = z.object({ through: z.number().int() });

function throughIn({ data }: StoredEvent): number {
  const { success, data: found } = erasureData.safeParse(jsonOrText(data));
  return success ? found.through : -1;
}

interface NameChange {
  readonly id: string;
  readonly name: string | undefined;
}

function createNames() {
  const idOf = new Map<string, string>();
  const keyOf = new Map<string, string>();
  return {
    /** The other living thing that has this name. */
    take({ id, name }: NameChange): string | undefined {
      const before = keyOf.get(id);
      if (before !== undefined && idOf.get(before) === id) idOf.delete(before);
      keyOf.delete(id);
      if (name === undefined) return undefined;
      const key = nameKey(name);
      const other = idOf.get(key);
      keyOf.set(id, key);
      idOf.set(key, id);
      return other;
    },
  };
}

function changeOf(stored: StoredEvent): NameChange | undefined {
  const event = decoded(stored);
  switch (event?.type) {
    case 'GroupCreated':
    case 'GroupRenamed':
      return { id: event.data.group_id, name: event.data.group_name };
    case 'GroupDeleted':
      return { id: event.data.group_id, name: undefined };
    case 'ListCreated':
    case 'ListRenamed':
      return { id: event.data.list_id, name: event.data.list_name };
    case 'ListDeleted':
      return { id: event.data.list_id, name: undefined };
    case 'TagCreated':
    case 'TagRenamed':
      return { id: event.data.tag_id, name: event.data.tag_name };
    case 'TagDeleted':
      return { id: event.data.tag_id, name: undefined };
    default:
      return undefined;
  }
}

function decoded(stored: StoredEvent): DomainEvent | undefined {
  try {
    return codec.decode(stored).event;
  } catch {
    return undefined;
  }
}

interface End {
  revision: number;
  at: string;
}

/** As it is written: UTC with milliseconds, so that texts sort as the times do. */
const time = /^"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"$/;

export function createStreamChecks() {
  const ends = new Map<string, End>();
  return {
    check(event: LinkedEvent, ordinal: number): Difference | undefined {
      const { stream } = event;
      const end = ends.get(stream);
      const revision = Number(event.revision);
      const metadata = memberSpans(event.metadata) ?? [];
      const at = timeIn(event.metadata, metadata);
      const wrong = wrongRevision(end, revision) ?? wrongTime(end, at) ?? wrongNames(event, metadata);
      if (wrong !== undefined) {
        const message = `event ${ordinal}, revision ${revision} of stream ${stream}, ${wrong.message}`;
        return differenceAt(event, { kind: wrong.kind, ordinal, message });
      }
      if (end === undefined) ends.set(stream, { revision, at: at ?? '' });
      else {
        end.revision = revision;
        end.at = at ?? '';
      }
      return undefined;
    },
  };
}

type Wrong = Pick<Difference, 'message'> & { readonly kind: 'revision' | 'time' | 'names' };
type Spans = readonly MemberSpan[];

function timeIn(metadata: string, spans: Spans): string | undefined {
  const at = spans.find((span) => isNamed(metadata, span, 'at'));
  return at && time.exec(metadata.slice(at.start, at.end))?.[1];
}

function wrongRevision(end: End | undefined, revision: number): Wrong | undefined {
  const expected = end === undefined ? 0 : end.revision + 1;
  if (revision === expected) return undefined;
  return { kind: 'revision', message: `should be revision ${expected}` };
}

function wrongTime(end: End | undefined, at: string | undefined): Wrong | undefined {
  if (at === undefined) return { kind: 'time', message: 'has no time that can be read' };
  if (end === undefined || at >= end.at) return undefined;
  return { kind: 'time', message: 'says that it happened before the event before it' };
}

function wrongNames({ data, metadata }: LinkedEvent, ofMetadata: Spans): Wrong | undefined {
  if (!hasRepeatedName(data, memberSpans(data) ?? []) && !hasRepeatedName(metadata, ofMetadata)) return undefined;
  return { kind: 'names', message: 'has a member twice, which can be read in two ways' };
}
