/** Copies a log event by event into another store, in log order, and goes on where an earlier run was stopped. */
import {
  logStart,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventReader,
  type EventStore,
  type Position,
  type StoredEvent,
} from '../eventstore/event-store.js';
import { differenceBetween, sizeOf } from './copied-event.js';
import { MigrationRefusedError, type Report } from './migration.js';
import { appendGroup, appendPatiently, eventsOf, patiently, type Group, type Patience } from './with-retry.js';

/** What the service itself appends at once, at most. */
const eventsPerAppend = 128;
const bytesPerAppend = 512 * 1024;
/** Of appends that are under way at once, unless the first one is larger. */
const bytesAtOnce = 1024 * 1024;

export interface Copying {
  readonly source: Pick<EventReader, 'readAll' | 'head'>;
  readonly target: EventStore;
  /** Events of the source, as examined; for the progress only. */
  readonly total: number;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly report: Report;
  /**
   * Appends that may be under way at once. More than one only where the target takes them in the order in which they are
   * asked for, as the embedded log does. Default 1.
   */
  readonly appendsAtOnce?: number;
  /** The source grew while it was copied: what came is copied, too. */
  readonly onGrown?: () => void;
}

/** So many of the first events stand in both logs; the source's position of the last of them. */
export interface Reached {
  readonly events: number;
  readonly position: Position;
}

/**
 * Everything that the target holds must be what the source begins with. Reads only.
 * @throws MigrationRefusedError naming the first difference.
 */
export async function findCommonBeginning({
  source,
  target,
  ...options
}: Omit<Copying, 'target'> & { readonly target: Pick<EventReader, 'readAll'> }): Promise<Reached> {
  const { report, total } = options;
  const expected = eventsOf({ reader: source, ...options });
  let events = 0;
  let position = logStart;
  try {
    for await (const found of eventsOf({ reader: target, ...options })) {
      const { value: wanted } = await expected.next();
      const difference = differenceBetween(wanted, found, events + 1);
      if (difference !== undefined || wanted === undefined)
        throw new MigrationRefusedError(
          `the target holds something else; nothing was written. ${sentence(difference)}`,
        );
      events += 1;
      position = wanted.position;
      report({ phase: 'comparing what is there already', done: events, total });
    }
  } finally {
    await expected.return(undefined);
  }
  return { events, position };
}

/**
 * Copies what follows `from` up to the head of the source, and again until the head stands still.
 * Some appends at a time: the next ones only after these are acknowledged, so that the order is kept.
 * @throws MigrationRefusedError somebody else writes to the target.
 */
export async function copyFrom(from: Reached, { onGrown, ...copying }: Copying): Promise<Reached> {
  const { source } = copying;
  let reached = from;
  for (let pass = 0; ; pass += 1) {
    const head = await patiently(() => source.head(), copying);
    if (head <= reached.position) return reached;
    if (pass > 0) onGrown?.();
    reached = await copyUntil(head, reached, copying);
  }
}

async function copyUntil(head: Position, from: Reached, copying: Omit<Copying, 'onGrown'>): Promise<Reached> {
  const { source, target, report, total, patience, signal, appendsAtOnce = 1 } = copying;
  const group = createGroup();
  const waiting: Group[] = [];
  let bytes = 0;
  let events = from.events;
  const flush = async (): Promise<void> => {
    const groups = waiting.splice(0);
    await appendInOrder(target, groups, { patience, signal });
    bytes = 0;
    for (const { events: appended } of groups) events += appended.length;
    report({ phase: 'copying', done: events, total: Math.max(total, events) });
  };
  const close = async (): Promise<void> => {
    const full = group.take();
    if (full === undefined) return;
    if (bytes + full.bytes > bytesAtOnce) await flush();
    waiting.push(full);
    bytes += full.bytes;
    if (waiting.length >= appendsAtOnce) await flush();
  };
  report({ phase: 'copying', done: events, total: Math.max(total, events) });
  let position = from.position;
  for await (const event of eventsOf({ reader: source, after: from.position, until: head, patience, signal })) {
    if (!group.admits(event)) await close();
    group.add(event);
    position = event.position;
  }
  await close();
  await flush();
  return { events, position };
}

/**
 * Neighbours of one stream become one append. Where an append begins and ends depends on the events alone and not on
 * the pages in which they were read: a run that goes on asks for the same appends, which the store recognises.
 */
function createGroup() {
  let events: StoredEvent[] = [];
  let bytes = 0;
  return {
    admits(event: StoredEvent): boolean {
      const last = events.at(-1);
      if (last === undefined) return true;
      const isNext = last.stream === event.stream && last.revision + 1n === event.revision;
      return isNext && events.length < eventsPerAppend && bytes + sizeOf(event) <= bytesPerAppend;
    },
    add(event: StoredEvent): void {
      events.push(event);
      bytes += sizeOf(event);
    },
    take(): (Group & { readonly bytes: number }) | undefined {
      const [first] = events;
      if (first === undefined) return undefined;
      const taken = events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));
      const expectedRevision = first.revision === 0n ? 'no_stream' : first.revision - 1n;
      const full = { stream: first.stream, events: taken, expectedRevision, bytes } as const;
      events = [];
      bytes = 0;
      return full;
    },
  };
}

type Trying = Pick<Copying, 'patience' | 'signal'>;

/** All asked for at once. What failed is repeated, and the positions tell whether the order was kept all the same. */
async function appendInOrder(target: EventStore, groups: readonly Group[], options: Trying): Promise<void> {
  options.signal.throwIfAborted();
  const [only, another] = groups;
  if (only !== undefined && another === undefined) return void (await appendOrRefuse(target, only, options));
  const outcomes = await Promise.allSettled(groups.map((group) => appendGroup(target, group)));
  let last = logStart;
  for (const [index, group] of groups.entries()) {
    const outcome = outcomes[index];
    const done = outcome?.status === 'fulfilled' ? outcome.value : await appendOrRefuse(target, group, options);
    if (done.position <= last)
      throw new MigrationRefusedError(
        `the target failed for a moment and then had ${group.stream} out of order. Remove what was written there, and begin again.`,
      );
    last = done.position;
  }
}

async function appendOrRefuse(target: EventStore, group: Group, options: Trying): Promise<AppendResult> {
  try {
    return await appendPatiently(target, group, options);
  } catch (error) {
    if (error instanceof WrongExpectedRevisionError)
      throw new MigrationRefusedError(
        `the target was written to by somebody else during the copy, or the source has a hole: ${group.stream} should stand at ${error.expected} there, and stands at ${error.actual}. Stop what writes to it; where an earlier run of this command was killed a moment ago, run it again.`,
        { cause: error },
      );
    if (error instanceof TypeError)
      throw new MigrationRefusedError(
        `the target does not take an event of ${group.stream} (after revision ${group.expectedRevision}): ${error.message}`,
        { cause: error },
      );
    throw error;
  }
}

const sentence = (text = ''): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
