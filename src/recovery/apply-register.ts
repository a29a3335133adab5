/** Finds the lines of the register whose events the log lacks, and brings these events back through the deciders. */
import { listDecider } from '../commands/catalogue.js';
import type { CommandContext } from '../commands/batch.js';
import { createJointReads } from '../commands/reads-together.js';
import { codec, isUnreadable, type DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import { contactStream, erasuresStream, listsStream, suppressionStream } from '../events/streams.js';
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import { serviceStream } from '../eventstore/log-id.js';
import { foldStream } from '../commands/fold-stream.js';
import type { RegisterLine } from './register-line.js';
import { registeredKind, type RecoveryCommands, type RegisteredKind, type TrialStream } from './registered-events.js';

/**
 * The time of a comparison of lines with the log.
 *
 * - `restored`: the first start after a restore, before anything else is written. All lost events are brought back.
 * - `late`: any other time. Each kind of event has its own rule, see `LateRule`.
 */
type RegisterMode = 'restored' | 'late';

type Log = Pick<EventReader, 'readStream' | 'readStreams'>;

interface ComparisonOptions {
  readonly lines: readonly RegisterLine[];
  readonly mode: RegisterMode;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Ids of erasures that the operator has decided to apply. */
  readonly erasures?: ReadonlySet<string>;
}

/** Lines whose events the log lacks and whose commands would change the log. Sorted by stream and revision. */
export interface MissingLines {
  /** Lines that the next start brings back, or that were brought back. */
  readonly applied: readonly RegisterLine[];
  /** Lines that the operator must decide on. */
  readonly reported: readonly RegisterLine[];
}

/** Returns what `applyRegister` would do, and changes nothing. @throws StoreUnavailableError */
export async function missingInLog(log: Log, options: ComparisonOptions): Promise<MissingLines> {
  const steps = (await compare(log, options)).flat();
  const applied = steps.filter(({ apply }) => apply !== undefined);
  return { applied: applied.map(({ line }) => line), reported: reportedOf(steps) };
}

interface ApplyOptions extends ComparisonOptions {
  readonly commands: RecoveryCommands;
}

/**
 * Brings back what the log lacks. Idempotent, so that the start after a killed one continues the work.
 * @returns the lines whose events were appended, and those that are left to the operator
 * @throws StoreUnavailableError @throws ServiceError `unavailable`
 */
export async function applyRegister(log: Log, { commands, ...options }: ApplyOptions): Promise<MissingLines> {
  const streams = await compare(log, options);
  const applied: RegisterLine[] = [];
  async function applyStream(steps: readonly Step[]): Promise<void> {
    for (const { line, apply } of steps) if (await apply?.(commands)) applied.push(line);
  }
  // Apply erasures first, because an unsubscription that comes back would look as if the person had acted since the restore.
  const areErasures = ([step]: readonly Step[]): boolean => step?.line.stream === erasuresStream;
  for (const steps of streams.filter(areErasures)) await applyStream(steps);
  await inGroups(
    streams.filter((steps) => !areErasures(steps)),
    applyStream,
  );
  return { applied: inOrder(applied), reported: reportedOf(streams.flat()) };
}

/** The event keeps its id and its actor. */
const contextOf = ({ id, metadata }: RecordedEvent<DomainEvent>): CommandContext => ({
  eventId: id,
  actor: metadata.actor,
  correlationId: metadata.$correlationId,
  causationId: metadata.$causationId,
  requestId: metadata.request_id,
});

/** A line that the log lacks, and how its event is brought back. */
interface Step {
  readonly line: RegisterLine;
  /** Brings the event back, and resolves with whether that changed anything. Undefined if the operator must decide. */
  readonly apply: ((commands: RecoveryCommands) => Promise<boolean>) | undefined;
}

const reportedOf = (steps: readonly Step[]): readonly RegisterLine[] =>
  steps.filter(({ apply }) => apply === undefined).map(({ line }) => line);

const inOrder = (lines: readonly RegisterLine[]): readonly RegisterLine[] =>
  [...lines].sort((one, other) =>
    one.stream === other.stream ? one.revision - other.revision : one.stream < other.stream ? -1 : 1,
  );

/** Number of streams that are compared or written at the same time. */
const atOnce = 32;

async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  return results;
}

/** Returns the steps of each stream that lacks lines. */
async function compare(log: Log, options: ComparisonOptions): Promise<readonly (readonly Step[])[]> {
  const byStream = new Map<string, RegisterLine[]>();
  for (const line of inOrder(options.lines)) {
    const lines = byStream.get(line.stream);
    if (lines === undefined) byStream.set(line.stream, [line]);
    else lines.push(line);
  }
  const restoredAt = byStream.size === 0 ? undefined : await newestRestore(log);
  const readTogether = createJointReads(log);
  let names: ReturnType<typeof listNames> | undefined;
  const steps = await inGroups([...byStream], async ([stream, lines]) => {
    const events = (await readTogether(stream)) ?? (await readWhole(log, stream));
    const ids = new Set(events.map(({ id }) => id));
    const missing = lines.filter(({ event_id }) => !ids.has(event_id));
    if (missing.length === 0) return [];
    const nameOf = await (names ??= listNames(log));
    return await stepsOf(missing, events, { ...options, log, restoredAt, nameOf });
  });
  return steps.filter(({ length }) => length > 0);
}

async function readWhole(log: Log, stream: string): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const events of log.readStream(stream)) all.push(...events);
  return all;
}

async function listNames(log: Log): Promise<(listId: string) => string | undefined> {
  const { nameById } = await foldStream(log, listsStream, listDecider);
  return (listId) => nameById.get(listId);
}

/** Returns the position of the newest `LogRestored`, or undefined if the log was never restored. */
async function newestRestore(log: Log): Promise<Position | undefined> {
  const events = await readWhole(log, serviceStream);
  return events.findLast(({ type }) => type === 'LogRestored')?.position;
}

interface StreamContext extends Omit<ComparisonOptions, 'lines'> {
  readonly log: Log;
  readonly restoredAt: Position | undefined;
  readonly nameOf: (listId: string) => string | undefined;
}

/** A line that this version can read. */
interface ReadLine {
  readonly line: RegisterLine;
  readonly recorded: RecordedEvent<DomainEvent>;
  readonly kind: RegisteredKind;
}

async function stepsOf(
  missing: readonly RegisterLine[],
  events: readonly StoredEvent[],
  context: StreamContext,
): Promise<readonly Step[]> {
  // 1. Read the events and the lines. What this version cannot read is left to the operator
  const there = readable(() => events.map((event) => codec.decode(event)));
  if (there === undefined) return missing.map(leftToOperator);
  const steps: Step[] = [];
  const known: ReadLine[] = [];
  for (const line of missing) {
    const one = readLine(line);
    if (one === undefined) steps.push(leftToOperator(line));
    else known.push(one);
  }
  // 2. Try the lines on a copy of the stream
  const trial = known[0]?.kind.openTrial();
  if (trial === undefined) return steps;
  for (const recorded of there) trial.take(recorded);
  for (const one of known) {
    const step = await stepOf(one, { ...context, there, known, trial });
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

interface StepContext extends StreamContext {
  /** The events of the stream. */
  readonly there: readonly RecordedEvent<DomainEvent>[];
  /** The missing lines of the stream. */
  readonly known: readonly ReadLine[];
  readonly trial: TrialStream;
}

/** Returns undefined if there is nothing to bring back. */
async function stepOf(one: ReadLine, context: StepContext): Promise<Step | undefined> {
  const { line, recorded } = one;
  const { mode, there, trial, clock, nameOf } = context;
  // The log ends before an event that a restore has just removed, so nothing in the log can supersede it.
  const isJustRemoved = mode === 'restored' && recorded.revision > headOf(there);
  if (!isJustRemoved && isSuperseded(one, context)) return undefined;
  const attempt = trial.attempt(recorded, { now: clock(), nameOf });
  if (attempt === undefined) return undefined;
  if (!(await isToApply(one, context))) return leftToOperator(line);
  attempt.keep();
  return { line, apply: (commands) => attempt.execute(commands, contextOf(recorded)) };
}

const headOf = (events: readonly RecordedEvent<DomainEvent>[]): bigint => events.at(-1)?.revision ?? -1n;

const leftToOperator = (line: RegisterLine): Step => ({ line, apply: undefined });

function readLine(line: RegisterLine): ReadLine | undefined {
  const { stream, revision, event_id: id, type, data, metadata } = line;
  const kind = registeredKind(type);
  const stored = { stream, revision: BigInt(revision), position: '', id, type };
  const texts = { data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
  const recorded = kind && readable(() => codec.decode({ ...stored, ...texts }));
  return recorded && kind && { line, recorded, kind };
}

/** Returns the result, or undefined if this version cannot read an event. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/**
 * Returns whether a later event of the log decides the same thing. An event is later if its revision is not lower, or if it
 * came after the newest restore, because that restore removed the event of the line. No times are compared.
 */
const isSuperseded = (
  { recorded: { event, revision }, kind }: ReadLine,
  { there, restoredAt }: Pick<StepContext, 'there' | 'restoredAt'>,
): boolean =>
  there.some(
    (later) =>
      (later.revision >= revision || (restoredAt !== undefined && later.position > restoredAt)) &&
      kind.isSupersededBy(event, later.event),
  );

/**
 * Returns whether the revisions of the missing lines about the same thing tell their order. They do not if the lines come from
 * different branches of a log that was restored several times.
 */
function isOrdered({ recorded, kind }: ReadLine, { known, there }: StepContext): boolean {
  const subject = kind.subjectOf(recorded.event);
  const revisions = known
    .filter((other) => other.kind.subjectOf(other.recorded.event) === subject)
    .map((other) => other.recorded.revision);
  return revisions.every((revision) => revision > headOf(there)) && new Set(revisions).size === revisions.length;
}

async function isToApply(one: ReadLine, context: StepContext): Promise<boolean> {
  const isRestored = context.mode === 'restored';
  switch (one.kind.late) {
    case 'apply':
      return true;
    case 'report':
      return isRestored && isOrdered(one, context);
    case 'apply_if_unchanged':
      return isRestored || (await isErasureToApply(one.recorded.event, context));
    default:
      return one.kind.late satisfies never;
  }
}

/** Returns whether the operator has decided to apply the erasure, or nothing has happened to the person. */
async function isErasureToApply(event: DomainEvent, context: StreamContext): Promise<boolean> {
  if (event.type !== 'ErasureRequested') return false;
  const { erasure_id, subject_key } = event.data;
  return context.erasures?.has(erasure_id) === true || (await isUnchanged(subject_key, context));
}

/** Returns whether the streams of the person have no event after the newest restore, or no event if there was no restore. */
async function isUnchanged(key: string, { log, restoredAt }: StreamContext): Promise<boolean> {
  for (const stream of [contactStream(key), suppressionStream(key)])
    for await (const [last] of log.readStream(stream, { direction: 'backwards', limit: 1 }))
      if (last !== undefined && (restoredAt === undefined || last.position > restoredAt)) return false;
  return true;
}
