/** Copies a log event by event into another store, in log order, and goes on where an earlier run was stopped. */
import {
  InvalidAppendError,
  logStart,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type StoredEvent,
} from '../eventstore/event-store.js';
import { eventsOf, withRetry } from '../eventstore/with-retry.js';
import { refusedError } from '../failures.js';
import { inBatches } from '../flow/batches.js';
import type { ComparedLogs, CopyProgress } from './compare.js';

const eventsPerAppend = 128;
const bytesPerAppend = 512 * 1024;
/** Bytes of the appends that are under way at once; a single larger append goes alone. */
const bytesAtOnce = 1024 * 1024;

export interface CopyJob extends ComparedLogs {
  readonly target: EventStore;
  /** Appends that may be under way at once. More than one only where the target takes them in the order of the calls. */
  readonly appendsAtOnce: number;
}

/** Copies what follows `from`. @throws CommandFailedError another process writes to the target. */
export async function copyMissing(from: CopyProgress, copying: CopyJob): Promise<CopyProgress> {
  const { source, until, report, total, appendsAtOnce, retry, signal } = copying;
  let { events, position } = from;
  const tell = (): void => report({ phase: 'copying', done: events, total: Math.max(total, events) });
  tell();
  const missing = eventsOf({ reader: source, after: position, until, retry, signal });
  const bounds = { items: appendsAtOnce, size: bytesAtOnce, sizeOf: ({ bytes }: Group) => bytes };
  for await (const groups of inBatches(groupsOf(missing), bounds)) {
    // Waits for these appends before the next ones, so that the order is kept.
    await appendInOrder(groups, copying);
    for (const group of groups) {
      events += group.events.length;
      position = group.last.position;
    }
    tell();
  }
  return { events, position };
}

/** Neighbours in the log and in their stream, which are appended together. */
interface Group {
  readonly first: StoredEvent;
  last: StoredEvent;
  readonly events: StoredEvent[];
  bytes: number;
}

/** Groups depend on the events alone, not on pages: a run that goes on asks for the same appends, which the store recognises. */
async function* groupsOf(events: AsyncIterable<StoredEvent>): AsyncGenerator<Group> {
  let group: Group | undefined;
  for await (const event of events) {
    const bytes = sizeOf(event);
    if (group !== undefined && admits(group, event, bytes)) {
      group.events.push(event);
      group.last = event;
      group.bytes += bytes;
      continue;
    }
    if (group !== undefined) yield group;
    group = { first: event, last: event, events: [event], bytes };
  }
  if (group !== undefined) yield group;
}

function admits({ last, events, bytes }: Group, { stream, revision }: StoredEvent, more: number): boolean {
  const isNext = last.stream === stream && last.revision + 1n === revision;
  return isNext && events.length < eventsPerAppend && bytes + more <= bytesPerAppend;
}

const append = (target: EventStore, { first, events }: Group): Promise<AppendResult> =>
  target.append(
    first.stream,
    events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
    { expectedRevision: first.revision === 0n ? 'no_stream' : first.revision - 1n },
  );

/** Repeats failed appends with the same ids; positions then tell whether the order was kept. */
async function appendInOrder(groups: readonly Group[], copying: CopyJob): Promise<void> {
  const { target, signal } = copying;
  signal.throwIfAborted();
  const outcomes = await Promise.allSettled(groups.map((group) => append(target, group)));
  let last = logStart;
  for (const [index, group] of groups.entries()) {
    const outcome = outcomes[index];
    const { position } = outcome?.status === 'fulfilled' ? outcome.value : await appendAgain(group, copying);
    if (position <= last)
      throw refusedError(
        `the target failed for a moment and then had ${group.first.stream} out of order. Remove what was written there, and begin again.`,
      );
    last = position;
  }
}

async function appendAgain(group: Group, copying: CopyJob): Promise<AppendResult> {
  const { stream, revision } = group.first;
  try {
    return await withRetry(() => append(copying.target, group), copying);
  } catch (error) {
    if (error instanceof WrongExpectedRevisionError)
      throw refusedError(
        `another process wrote to the target during the copy, or the source has a hole: ${stream} should stand at ${error.expected} there, and stands at ${error.actual}. Stop what writes to it; where an earlier run of this command was killed a moment ago, run it again.`,
        error,
      );
    if (error instanceof InvalidAppendError)
      throw refusedError(`the target does not take revision ${revision} of ${stream}: ${error.message}`, error);
    throw error;
  }
}

/** Bytes of what an append carries of an event. */
const sizeOf = ({ type, data, metadata }: StoredEvent): number =>
  Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata);
