/**
 * The register of a process, which is a file in the data folder with a copy in SEAL_DIR. Each event that a restore must not
 * undo has a line there before its request is answered. The register holds no personal data.
 */
import { closeSync, openSync } from 'node:fs';
import type { RegisterKeeper } from '../commands/command-handler.js';
import { logStart, type EventReader, type Position, type StoredEvent } from '../eventstore/event-store.js';
import { createPrivately } from '../flow/durable-file.js';
import { createSingleFlight } from '../flow/single-flight.js';
import { takeTurns, type Subscriber } from '../flow/subscriber.js';
import {
  appendLines,
  flushRegister,
  joinedLines,
  linesSince,
  placesOf,
  readCursor,
  readRegister,
  removeCursor,
  setAsideEarlier,
  writeCursor,
  type RegisterContent,
  type RegisterCursor,
  type ReadState,
  type RegisterPlaces,
} from './register-file.js';
import { lineOf, type RegisteredEvent, type RegisterLine, type RegisterOwner } from './register-line.js';
import { isRegistered } from './registered-events.js';

/** The message is for the operator. */
export class RegisterError extends Error {
  override readonly name = 'RegisterError';
}

interface RegisterOptions {
  readonly config: RegisterPlaces;
  readonly owner: RegisterOwner;
  readonly log: Pick<EventReader, 'readAll' | 'readStream' | 'readAt'> & { readonly soleWriter: boolean };
  readonly logger: Record<'info' | 'warn', (about: object, message: string) => void>;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

interface RegisterStatus {
  /** Whether every registered event had its line when the register was last compared with the log. */
  readonly isComplete: boolean;
  /** Files with lines that are damaged or have a wrong MAC, and the numbers of these lines. */
  readonly invalid: readonly Pick<RegisterContent, 'file' | 'invalid'>[];
  /** Files that cannot be written. */
  readonly away: readonly string[];
}

/** The register of a process. Its promises reject with what the file system throws. */
interface Register extends RegisterKeeper {
  /** Returns the valid lines of all places, each event once. */
  lines(): readonly RegisterLine[];
  status(): RegisterStatus;
  /** Compares the register with the log every minute, so that a start has little to read. */
  readonly subscriber: Subscriber<'turn'>;
}

/** Milliseconds between two comparisons of the register with the log. */
const pauseMs = 60_000;
/** Milliseconds between two writes of the cursor during a long comparison. */
const moveMs = 5_000;
/** Line numbers in one entry of the service's log. */
const mostNamed = 100;
/** Number of streams whose kept revision is cached. */
const mostStreams = 1_000;

/**
 * Opens the register: merges its two places, and writes the lines that the register lacks. If no cursor says where to begin,
 * the subscriber reads the log in the background.
 * @throws RegisterError if complete lines of this log exist and no place has a valid one
 * @throws StoreUnavailableError
 * @throws what the file system throws
 */
export async function openRegister(options: RegisterOptions): Promise<Register> {
  const { config, owner, log, logger, monotonic } = options;
  const [ownFile = '', copyFile] = placesOf(config);
  const own = openPlace(ownFile, owner);
  const copy = copyFile === undefined ? undefined : openPlace(copyFile, owner);
  let isCopyAway = false;
  let isComplete = false;
  /** The event up to which every registered event has its line in the data folder. */
  let cursor: RegisterCursor | undefined;
  /** The newest append of this process. */
  let newest: RegisterCursor | undefined;
  let movedAt = monotonic();
  let waiting: readonly RegisterLine[] = [];
  /** The revision up to which every registered event of a stream has its line. */
  const keptRevisions = new Map<string, bigint>();

  /** Writes all waiting lines together. Lines that arrive during a write, or whose write failed, are in the next one. */
  const flush = createSingleFlight(async () => {
    const now = waiting;
    await own.add(now);
    await copyLines(now);
    waiting = waiting.slice(now.length);
  });

  async function write(lines: readonly RegisterLine[]): Promise<void> {
    if (lines.length === 0) return;
    waiting = [...waiting, ...lines];
    await flush();
  }

  /** Warns if the copy cannot be written. The request is answered anyway. */
  async function tryCopying(work: () => Promise<void> | undefined): Promise<void> {
    try {
      await work();
      isCopyAway = false;
    } catch (error) {
      if (!isCopyAway) logger.warn({ err: error, file: copyFile }, 'the register cannot be copied to SEAL_DIR');
      isCopyAway = true;
    }
  }

  const copyLines = (lines: readonly RegisterLine[]): Promise<void> =>
    tryCopying(() => (lacksEarlierLines() ? bringBackCopy(lines) : copy?.add(lines)));

  /** Another file is there after SEAL_DIR was mounted or unmounted, and it lacks what the file before it had. */
  const lacksEarlierLines = (): boolean => copy?.takeReplaced() === true || isCopyAway;

  /** Writes what the copy lacks, because it was away or was replaced. */
  async function bringBackCopy(lines: readonly RegisterLine[] = []): Promise<void> {
    if (copy === undefined) return;
    // The lines of the data folder need not be read while the copy cannot be written.
    copy.demandWritable();
    await copy.add(lines);
    voidCursorIfReplaced();
    await own.add(linesOf(await eventsAfter(cursor?.position)));
    await copy.add(own.content().lines);
    if (cursor !== undefined) copy.move(cursor);
  }

  const linesOf = (events: readonly RegisteredEvent[]): readonly RegisterLine[] =>
    events.filter(isRegistered).map((event) => lineOf(event, owner));

  async function eventsAfter(position: Position | undefined): Promise<readonly StoredEvent[]> {
    const found: StoredEvent[] = [];
    if (position === undefined) return found;
    for await (const events of log.readAll({ after: position })) found.push(...events.filter(isRegistered));
    return found;
  }

  /** Reads the log from the cursor on. */
  async function catchUp(signal?: AbortSignal): Promise<void> {
    for await (const events of log.readAll({ after: cursor?.position ?? logStart, ...(signal && { signal }) })) {
      await write(own.lacking(linesOf(events)));
      const last = events.at(-1);
      if (last !== undefined) cursor = { event_id: last.id, position: last.position };
      if (monotonic() - movedAt >= moveMs) await moveCursors();
    }
    if (signal?.aborted === true) return;
    isComplete = true;
    await moveCursors();
  }

  async function moveCursors(): Promise<void> {
    if (cursor === undefined) return;
    const at = cursor;
    movedAt = monotonic();
    own.move(at);
    await tryCopying(async () => (lacksEarlierLines() ? await bringBackCopy() : copy?.move(at)));
  }

  function voidCursorIfReplaced(): void {
    if (!own.takeReplaced()) return;
    cursor = undefined;
    isComplete = false;
  }

  async function turn(signal: AbortSignal): Promise<void> {
    voidCursorIfReplaced();
    // The only process that writes to the log has seen every event.
    if (!isComplete || !log.soleWriter) return await catchUp(signal);
    const at = newest;
    if (waiting.length > 0) await flush();
    if (at === undefined || at.position === cursor?.position) return await copyLines([]);
    cursor = at;
    await moveCursors();
  }

  // 1. Merge the places
  const found = await mergePlaces();
  refuseWithoutValidLine(found);
  for (const { file, invalid } of found)
    if (invalid.length > 0)
      logger.warn(
        { file, count: invalid.length, lines: invalid.slice(0, mostNamed) },
        'lines of the register are skipped, because they are damaged or were not written with the secret of this log',
      );
  cursor = await validCursor();
  // 2. Write what the log has and the register lacks
  if (cursor !== undefined) await catchUp();

  async function mergePlaces(): Promise<readonly RegisterContent[]> {
    reportEarlier(ownFile);
    await own.flush();
    const first = own.content();
    let second: RegisterContent | undefined;
    await tryCopying(async () => {
      if (copy === undefined || copyFile === undefined) return;
      reportEarlier(copyFile);
      // Before the lines, because another process may write lines and move its cursor at this moment.
      const taken = copy.cursor();
      second = copy.content();
      await copy.flush();
      await own.add(second.lines);
      if (taken !== undefined && first.lines.length === 0) own.move(taken);
      await copy.add(first.lines);
    });
    return second === undefined ? [first] : [first, second];
  }

  function reportEarlier(file: string): void {
    const aside = setAsideEarlier(file);
    if (aside !== undefined)
      logger.warn({ file, aside }, 'the register has the format of an earlier development version: it was set aside');
  }

  async function validCursor(): Promise<RegisterCursor | undefined> {
    const found = own.cursor();
    const event = found && (await log.readAt(found.position));
    return event?.id === found?.event_id ? found : undefined;
  }

  return {
    keep(append) {
      const { stream, events, revision, position } = append;
      const first = revision - BigInt(events.length - 1);
      const registered: RegisterLine[] = [];
      for (const [index, { id, encoded }] of events.entries())
        if (isRegistered(encoded))
          registered.push(lineOf({ ...encoded, id, stream, revision: first + BigInt(index) }, owner));
      if (newest === undefined || position > newest.position) newest = { event_id: events.at(-1)?.id ?? '', position };
      return registered.length === 0 ? undefined : write(registered);
    },

    async demandWritable() {
      if (waiting.length > 0) await flush();
      own.demandWritable();
    },

    async keepStream(stream) {
      let last = keptRevisions.get(stream) ?? -1n;
      const missing: RegisterLine[] = [];
      for await (const events of log.readStream(stream, { from: last + 1n })) {
        missing.push(...own.lacking(linesOf(events)));
        last = events.at(-1)?.revision ?? last;
      }
      // Write also the lines that this process could not write before.
      if (missing.length > 0 || waiting.length > 0) await write(missing).then(flush);
      if (keptRevisions.size >= mostStreams) keptRevisions.clear();
      keptRevisions.set(stream, last);
    },

    lines: () => joinedLines(contents()),
    status: () => ({
      isComplete,
      invalid: contents().filter(({ invalid }) => invalid.length > 0),
      away: isCopyAway && copyFile !== undefined ? [copyFile] : [],
    }),
    subscriber: takeTurns({ name: 'register', lease: undefined, pause: pauseMs, monotonic, turn }),
  };

  function contents(): readonly RegisterContent[] {
    return [own.content(), ...(copy === undefined || isCopyAway ? [] : [copy.content()])];
  }
}

/** @throws RegisterError if complete lines of this log exist and no place has a valid one */
function refuseWithoutValidLine(found: readonly RegisterContent[]): void {
  const damaged = found.find(({ hasLinesOfLog }) => hasLinesOfLog);
  if (damaged === undefined || found.some(({ lines }) => lines.length > 0)) return;
  throw new RegisterError(
    `${damaged.file} has lines of this log, but none that was written with its secret: the register was altered or damaged. Put it back from its other place or from a backup. If none is left, move the file away, and the service builds the register again from the log alone`,
  );
}

/** Identifies a line. An event that a restore brought back has a new revision and so a second line. */
const nameOf = ({ event_id, revision }: RegisterLine): string => `${event_id} ${revision}`;

/** Opens one file of the register. Other processes may append to the same file. @throws what the file system throws */
function openPlace(file: string, owner: RegisterOwner) {
  let state: ReadState | undefined;
  let known = new Set<string>();
  let events = new Set<string>();
  let isReplaced = false;
  /** Whether every line that this process has read from the file is durable. */
  let isDurable = false;

  /** Reads what was added to the file. If the file was replaced, removes the cursor, which belongs to the old file. */
  function readOn(): void {
    let found = linesSince(file, state, owner);
    if (found === undefined) {
      isReplaced = true;
      removeCursor(file);
      [known, events] = [new Set(), new Set()];
      found = linesSince(file, undefined, owner);
    }
    state = found?.state;
    for (const line of found?.lines ?? []) {
      known.add(nameOf(line));
      events.add(line.event_id);
    }
  }

  /** Returns the lines that the file lacks. */
  function lacking(lines: readonly RegisterLine[]): readonly RegisterLine[] {
    readOn();
    return lines.filter((line) => !known.has(nameOf(line)));
  }

  /** Flushes lines that may not be durable, because a process was killed or a flush failed after their write. */
  async function flush(): Promise<void> {
    if (isDurable) return;
    await flushRegister(file);
    isDurable = true;
  }

  return {
    ...{ lacking, flush },
    async add(lines: readonly RegisterLine[]): Promise<void> {
      await flush();
      isDurable = false;
      await appendLines(file, lacking(lines));
      isDurable = true;
      readOn();
    },
    content: (): RegisterContent => readRegister(file, owner),
    /** Returns whether the file was removed or replaced since the last call. */
    takeReplaced(): boolean {
      readOn();
      const wasReplaced = isReplaced;
      isReplaced = false;
      return wasReplaced;
    },
    demandWritable(): void {
      readOn();
      createPrivately(file);
      closeSync(openSync(file, 'a'));
    },
    cursor(): RegisterCursor | undefined {
      readOn();
      return readCursor(file, events.size);
    },
    move: (to: RegisterCursor): void => writeCursor(file, to, events.size),
  };
}
