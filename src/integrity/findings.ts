/**
 * Checks events beyond their leaves: whether each stream is in order, and whether each event can be read in one way only. Also
 * finds broken invariants. They are no signs of an alteration: a fault, or two writers with two secrets, can lead to them.
 */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { jsonOrText } from '../audit/redaction.js';
import { codec, type DomainEvent } from '../events/codec.js';
import { isLaterPart } from '../events/contact.js';
import { nameKey } from '../events/catalogues.js';
import { catalogueStreams } from '../events/streams.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import type { NumberedEvent } from '../eventstore/log-source.js';
import { createNameCheck, isNamed, memberSpans } from '../eventstore/json-text.js';

type DifferenceKind =
  /** The number that the store gives an event is not its place in the log: an event was removed, moved or inserted. */
  | 'order'
  /** A stored block root is not that of the events of the block. */
  | 'block'
  /** A revision is missing in a stream, or comes twice. */
  | 'revision'
  /** An event is dated before the previous event of its stream, or has no date. */
  | 'time'
  /** A member comes twice in data or metadata, so that programs would read different values. */
  | 'names'
  /** The events up to a seal are not the sealed ones. */
  | 'sealed'
  /** A seal is of another log. */
  | 'log'
  /** The log ends before a seal. */
  | 'shortened'
  /** A `LogRestored` event is not one that this service recorded at that place. */
  | 'restored'
  /** The store itself is damaged. */
  | 'store';

/** Where the log differs, as far as that is known. Nothing in it is personal. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** The first event, from 1, that may differ. Null if unknown. */
  readonly ordinal: number | null;
  /** The difference is at or before this event. Null if unknown. */
  readonly until: number | null;
  readonly position: Position | null;
  readonly stream: string | null;
  readonly revision: number | null;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly message: string;
}

export const nowhere = (kind: DifferenceKind, message: string): Difference => ({
  kind,
  message,
  ...{ ordinal: null, until: null, position: null, stream: null, revision: null, event_id: null, type: null },
});

/** Returns a difference at an event. */
export function differenceAt(
  { position, stream, revision, id, type }: NumberedEvent,
  { kind, ordinal, message }: { readonly kind: DifferenceKind; readonly ordinal: number; readonly message: string },
): Difference {
  const place = { ordinal, until: ordinal, position, stream, revision: Number(revision), event_id: id, type };
  return { kind, message, ...place };
}

/** Returns a difference for the operator, with its place. */
export function inWords({ message, position, stream, type, revision }: Difference): string {
  return position === null ? message : `${message} (position ${position}: ${type}, revision ${revision} of ${stream})`;
}

export interface Finding {
  /** `second_contact`: created again in a stream in which a contact lives. `same_name`: two things of a kind with one name. `unreadable`: an event of a catalogue that cannot be read. `digest`: personal data were replaced by a digest, and no erasure explains it. */
  readonly kind: 'second_contact' | 'same_name' | 'unreadable' | 'digest';
  readonly position: string;
  readonly stream: string;
  readonly message: string;
}

const most = 100;
const longestCatalogue = Math.max(...[...catalogueStreams].map(({ length }) => length));

export function createFindings() {
  const findings: Finding[] = [];
  const names = new Map<string, ReturnType<typeof createNames>>();
  /** Streams whose last contact was erased. */
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
    if (other !== undefined) find('same_name', event, `${change.id} has the same name as ${other}`);
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
      // A contact's stream begins with its creation.
      if (type === 'ContactCreated') {
        if (event.revision > 0n && !ended.delete(stream))
          find('second_contact', event, 'a second contact was created for one address');
      } else if (type.endsWith('Erased') && erasing.has(type)) takeErasure(event);
      // Comparing lengths spares most events a look-up.
      else if (stream.length <= longestCatalogue && catalogueStreams.has(stream)) takeName(event);
    },
    all(): readonly Finding[] {
      const unexplained = [...digests.values()].map(({ position, stream }): Finding => {
        const message = 'personal data were replaced by a digest, and no erasure explains it';
        return { kind: 'digest', position, stream, message };
      });
      return [...findings, ...unexplained].slice(0, most);
    },
  };
}

/** Event types that name the revision up to which their stream has no personal data any more. */
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
    /** Returns the id of another group, list or tag that has this name, or undefined. */
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

/** A time as two numbers, because a text would keep the metadata that it is cut from in memory. */
interface Time {
  /** The digits of year, month and day. */
  readonly day: number;
  /** The digits of hour, minute, second and millisecond. */
  readonly timeOfDay: number;
}

/** The last event of a stream. Before the first event, the revision is -1. */
interface End extends Time {
  readonly revision: number;
}

export function createStreamChecks() {
  const numberOf = createNumbering();
  /** The last event of each stream: arrays of numbers, because a million objects burden the garbage collector. */
  const revisions: number[] = [];
  const days: number[] = [];
  const timesOfDay: number[] = [];
  const namesInData = createNameCheck();
  const readMetadata = createMetadataReader();

  function wrongIn(event: NumberedEvent, revision: number): Wrong | undefined {
    const { at, isRepeated } = readMetadata(event.type, event.metadata);
    const hasRepeatedName = namesInData(event.type, event.data) === 'repeated' || isRepeated;
    const stream = numberOf(event.stream);
    const end = { revision: revisions[stream] ?? -1, day: days[stream] ?? 0, timeOfDay: timesOfDay[stream] ?? 0 };
    // The events after a wrong one are compared with it, so that one fault is one difference.
    const { day, timeOfDay } = at ?? end;
    revisions[stream] = revision;
    days[stream] = day;
    timesOfDay[stream] = timeOfDay;
    return wrongRevision(end, revision) ?? wrongTime(end, at) ?? (hasRepeatedName ? repeatedName : undefined);
  }

  return {
    check(event: NumberedEvent, ordinal: number): Difference | undefined {
      const revision = Number(event.revision);
      const wrong = wrongIn(event, revision);
      if (wrong === undefined) return undefined;
      const message = `event ${ordinal}, revision ${revision} of stream ${event.stream}, ${wrong.message}`;
      return differenceAt(event, { kind: wrong.kind, ordinal, message });
    },
  };
}

type Wrong = Pick<Difference, 'message'> & { readonly kind: 'revision' | 'time' | 'names' };

/**
 * Creates a function that numbers the texts that it is called with, from 0: equal texts have the same number. This is a hash
 * table with open addressing, because a Map with texts as keys takes three times as long.
 */
function createNumbering(): (text: string) => number {
  const texts: string[] = [];
  /** Two numbers for each slot: 1 more than the number of a text, or 0 if the slot is free, and the hash of the text. */
  let slots = new Int32Array(2_048);
  // A random seed, so that nobody can choose texts that have the same hash.
  const seed = randomInt(2 ** 31);
  let last = 0;

  function hashOf(text: string): number {
    let hash = seed;
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return hash ^ (hash >>> 15);
  }

  /** Returns the first slot from the place of the hash on that is free or has this text. */
  function slotOf(hash: number, text?: string): number {
    for (let slot = 2 * hash; ; slot += 2) {
      slot &= slots.length - 1;
      const found = slots[slot] ?? 0;
      if (found === 0 || (slots[slot + 1] === hash && texts[found - 1] === text)) return slot;
    }
  }

  function put(slot: number, text: number, hash: number): void {
    slots[slot] = text;
    slots[slot + 1] = hash;
  }

  function growSlots(): void {
    const before = slots;
    slots = new Int32Array(4 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      const [text = 0, hash = 0] = [before[at], before[at + 1]];
      if (text > 0) put(slotOf(hash), text, hash);
    }
  }

  return (text) => {
    // The same stream often comes several times in a row.
    if (text === texts[last]) return last;
    const hash = hashOf(text);
    const slot = slotOf(hash, text);
    const found = slots[slot] ?? 0;
    if (found > 0) return (last = found - 1);
    put(slot, texts.push(text), hash);
    if (4 * texts.length > slots.length) growSlots();
    return (last = texts.length - 1);
  };
}

interface MetadataRead {
  readonly at: Time | undefined;
  readonly isRepeated: boolean;
}

/** Reads the same metadata once, because events that are appended together share theirs. */
function createMetadataReader() {
  const namesIn = createNameCheck();
  let last = '';
  let read: MetadataRead = { at: undefined, isRepeated: false };
  return (type: string, metadata: string): MetadataRead => {
    if (metadata === last) return read;
    const names = namesIn(type, metadata);
    last = metadata;
    read = { at: names === 'none' ? undefined : timeIn(metadata), isRepeated: names === 'repeated' };
    return read;
  };
}

/** This service writes the time first, without blanks. */
const timeFirst = '{"at":"';

function timeIn(metadata: string): Time | undefined {
  const start = metadata.startsWith(timeFirst)
    ? timeFirst.length - 1
    : memberSpans(metadata)?.find((span) => isNamed(metadata, span, 'at'))?.start;
  return start === undefined ? undefined : timeAt(metadata, start);
}

/** A quoted time as this service writes it: UTC with milliseconds. */
const timeForm = '"0000-00-00T00:00:00.000Z"';

/** Reads digit by digit, because a regular expression takes twice the time. */
function timeAt(text: string, start: number): Time | undefined {
  let day = 0;
  let timeOfDay = 0;
  for (let at = 0; at < timeForm.length; at += 1) {
    const code = text.charCodeAt(start + at);
    const digit = code - zero;
    const expected = timeForm.charCodeAt(at);
    if (expected !== zero) {
      if (code !== expected) return undefined;
    } else if (!(digit >= 0 && digit <= 9)) return undefined;
    else if (at < 11) day = 10 * day + digit;
    else timeOfDay = 10 * timeOfDay + digit;
  }
  return { day, timeOfDay };
}

const zero = 0x30;

function wrongRevision(end: End, revision: number): Wrong | undefined {
  const expected = end.revision + 1;
  if (revision === expected) return undefined;
  return { kind: 'revision', message: `should be revision ${expected}` };
}

function wrongTime(end: End, at: Time | undefined): Wrong | undefined {
  if (at === undefined) return { kind: 'time', message: 'has no readable time' };
  if (at.day > end.day || (at.day === end.day && at.timeOfDay >= end.timeOfDay)) return undefined;
  return { kind: 'time', message: 'is dated before the previous event of its stream' };
}

const repeatedName: Wrong = { kind: 'names', message: 'has a member twice, so programs may read different values' };
