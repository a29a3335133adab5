/**
 * Subscriptions on the stand-in for EventStoreDB. They catch up by reading, and are then told by the log; a live one
 * holds so many events and is dropped when more come at once than it can hand on.
 */
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { realTime } from '../../support/real-time.js';
import type { Parts } from './appends.js';
import { errors } from './errors.js';
import type { Log, LoggedEvent } from './log.js';
import { caughtUp, checkpoint, confirmation, eventBytes } from './messages.js';
import type { Outlet } from './outlet.js';
import { filterOf, forwards, startOf, type ReadAnswer, type ReadCall } from './reads.js';

interface Live {
  readonly outlet: Outlet;
  readonly log: Log;
  readonly buffer: number;
  /** What an event of the log sends, if anything. */
  readonly toSend: (event: LoggedEvent) => readonly Sent[];
}

interface Sent {
  readonly message: ReadAnswer;
  readonly isEvent: boolean;
}

const pageSize = 32;

export async function followStream({ log, liveBuffer }: Parts, { options, stream, outlet }: ReadCall): Promise<void> {
  const which = options.getStream() ?? new messages.ReadReq.Options.StreamOptions();
  if (log.stream(stream).state === 'deleted') throw errors.deleted(stream);
  if (!(await outlet.confirm(confirmation()))) return;
  if (!which.hasEnd()) {
    // A real server looks again every 50 ms until there is a stream, and has not caught up until then.
    while (log.stream(stream).state === 'missing')
      if (await realTime(20, outlet.signal.aborted, { signal: outlet.signal }).catch(() => true)) return;
    const from = which.hasRevision() ? BigInt(which.getRevision()) + 1n : 0n;
    for (const event of forwards(log, stream, from)) if (!(await outlet.sendEvent(eventBytes(event)))) return;
  }
  const toSend = (event: LoggedEvent): readonly Sent[] => {
    if (event.stream !== stream) return [];
    return [{ message: eventBytes(event), isEvent: true }];
  };
  await live({ outlet, log, buffer: liveBuffer, toSend });
}

export async function followLog({ log, liveBuffer }: Parts, { options, outlet }: ReadCall): Promise<void> {
  const filter = filterOf(options);
  const marks = createMarks(options);
  let at = firstRecord(log, options);
  if (!(await outlet.confirm(confirmation()))) return;
  for (; at < log.records().length; at += 1) {
    const event = log.records()[at]?.event;
    if (event === undefined) continue;
    const passes = filter(event);
    if (passes && !(await outlet.sendEvent(eventBytes(event)))) return;
    const mark = marks.pass(event, passes);
    if (mark !== undefined && !(await outlet.send(checkpoint(mark)))) return;
  }

  const toSend = (event: LoggedEvent): readonly Sent[] => {
    const sent: Sent[] = filter(event) ? [{ message: eventBytes(event), isEvent: true }] : [];
    const mark = marks.passLive(event);
    return mark === undefined ? sent : [...sent, { message: checkpoint(mark), isEvent: false }];
  };
  await live({ outlet, log, buffer: liveBuffer, toSend });
}

function firstRecord(log: Log, options: ReadReq.Options): number {
  const which = options.getAll();
  if (which?.hasEnd() === true) return log.records().length;
  const isAfter = Number(which?.getPosition()?.getCommitPosition() ?? 0) > 0;
  return startOf(log, options) + (isAfter ? 1 : 0);
}

/** Where the checkpoints of a filtered subscription come. Both functions return a position when one is due. */
function createMarks(options: ReadReq.Options) {
  const settings = options.getFilter();
  const window = settings?.hasMax() === true ? settings.getMax() : pageSize;
  const interval = settings === undefined ? Infinity : settings.getCheckpointintervalmultiplier() * window;
  if (interval === 0) throw errors.handler();
  let passed = 0;
  let page = { passed: 0, found: 0, position: 0 };

  return {
    /** While catching up: after a page, which ends at so many events looked at, or found. */
    pass({ position }: LoggedEvent, isFound: boolean): number | undefined {
      passed += 1;
      page.passed += 1;
      if (isFound) page.found += 1;
      if (isFound || page.passed === 1) page.position = position;
      if (page.passed < window && page.found < pageSize) return undefined;
      const mark = passed >= interval ? page.position : undefined;
      if (mark !== undefined) passed %= interval;
      page = { passed: 0, found: 0, position: 0 };
      return mark;
    },
    passLive({ position }: LoggedEvent): number | undefined {
      passed += 1;
      if (passed < interval) return undefined;
      passed = 0;
      return position;
    },
  };
}

/** From where the log ends now: nothing may be awaited between the last look at it and this. */
async function live({ outlet, log, buffer, toSend }: Live): Promise<void> {
  const waiting: Sent[] = [];
  let wake = (): void => undefined;
  let isTooSlow = false;
  let deleted: string | undefined;
  const stop = log.follow((events) => {
    for (const event of events) {
      const sent = toSend(event);
      if (event.type === '$streamDeleted' && sent.length > 0) deleted = event.stream;
      if (waiting.length + sent.length > buffer) isTooSlow = true;
      else waiting.push(...sent);
      if (isTooSlow) break;
    }
    if (isTooSlow) stop();
    wake();
  });
  outlet.signal.addEventListener('abort', () => wake(), { once: true });
  try {
    if (!(await outlet.send(caughtUp()))) return;
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        if (!(await (next.isEvent ? outlet.sendEvent(next.message) : outlet.send(next.message)))) return;
      } else if (isTooSlow) throw errors.tooSlow();
      else if (deleted !== undefined) throw errors.deleted(deleted);
      else await new Promise<void>((resolve) => (wake = resolve));
      if (outlet.signal.aborted) return;
    }
  } finally {
    stop();
  }
}
