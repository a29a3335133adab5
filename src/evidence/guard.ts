/** Verifies the embedded log: at the start of the service its tail before anything is served and the whole of it in the background, later what came since. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readLogId } from '../eventstore/log-id.js';
import { printable } from '../events/printable.js';
import type { Difference } from './verify-difference.js';
import { keptChain, keptFault } from './link-blocks.js';
import { outcomeOf, verifyOn, type VerifiedBefore } from './verify-on.js';
import { createVerifiedMarks } from './verified-marks.js';
import { verifyLog } from './verify.js';
import type { FromVerifier } from './evidence-worker.js';
import type { ChainHead } from '../eventstore/chain.js';
import { logStart } from '../eventstore/event-store.js';
import { openSqliteEventReader, type SqliteEventReader } from '../eventstore/sqlite/reader.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import type { OpenEventStore, StoreSettings } from '../stores/stores.js';
import { startWorkerThread } from '../flow/worker-thread.js';

/** Verifying this many events takes less time than starting a thread. */
const eventsAtOnce = 4_000;

/** The log is not what was written. The message is for the operator, and names no person. */
export class AlteredLogError extends Error {
  override readonly name = 'AlteredLogError';
}

export interface EvidenceGuard {
  /** Resolves when the tail of the log is verified, or cannot be read. @throws AlteredLogError */
  tailVerified(): Promise<void>;
  isVerified(): boolean;
  /** Events from the first on that are known to be intact. */
  verifiedEvents(): number;
  /** By when this process had read the first events, as many as this, and found them intact: milliseconds since the epoch. Undefined: it has not. */
  verifiedAt(count: number): number | undefined;
  /**
   * Verifies the events that came since, and the sealed head, whose key this is.
   * @returns how far the log is known to be intact; undefined: the whole is not verified, or was altered, which is reported
   * @throws where the log cannot be read, or the signal aborts
   */
  verifyOn(headKey: Uint8Array, signal: AbortSignal): Promise<ChainHead | undefined>;
  /** Another part of the service has found the log altered. Call it only after the tail was verified, which tells more. */
  report(message: string): void;
  /** Why the log can no longer be verified, though nothing is known to be altered. */
  fault(): string | null;
  /** Settles only when an alteration is found, however late. */
  readonly altered: Promise<AlteredLogError>;
  close(): Promise<void>;
}

/** Refuses a log that has lost its beginning, or all of its events: it must not get a new one. @throws AlteredLogError */
export async function refuseHeadless(log: OpenEventStore, file: string): Promise<void> {
  if ((await log.head()) === logStart) return refuseAlteredLog(log, file);
  if ((await readLogId(log)) !== undefined) return;
  throw new AlteredLogError(
    'the event log does not begin with its own name: it was altered, or is not one of this service',
  );
}

/** By its sealed head, or by what its writer has found. @throws AlteredLogError */
export function refuseAlteredLog(store: Pick<OpenEventStore, 'altered'>, file: string): void {
  const message = store.altered?.();
  if (message !== undefined)
    throw new AlteredLogError(`the event log was altered: ${message}. ${advice(file)}. Nothing was changed`);
}

/** By the sealed head of what is kept beside the views. @throws AlteredLogError @throws ReadModelsUnavailableError */
export async function refuseAlteredLinks(views: ReadModelReader, headKey: Uint8Array): Promise<void> {
  const fault = keptFault(await keptChain(views), headKey);
  if (fault !== undefined)
    throw new AlteredLogError(
      `the links beside the views were altered: ${fault}. Nothing was changed. Put the views back from a backup; without the documents of evidence the links are computed again from the log as it is, and say nothing of the time before`,
    );
}

/** The log, and the views, which say how far it was verified. */
interface GuardedLog {
  readonly file: string;
  readonly views: StoreSettings['views'];
}

interface GuardOptions extends GuardedLog {
  readonly clock: () => number;
}

/** Starts at once. Await `tailVerified` before anything is written to the log, or folded from it. */
export function guardLog({ clock, ...log }: GuardOptions): EvidenceGuard {
  const stopping = new AbortController();
  /** Up to where the log is known to be intact. */
  let verified: ChainHead | undefined;
  const marks = createVerifiedMarks(clock);
  let fault: string | null = null;
  let endTail: (error?: AlteredLogError) => void = () => undefined;
  let endAltered: (error: AlteredLogError) => void = () => undefined;
  const tail = new Promise<AlteredLogError | undefined>((resolve) => (endTail = resolve));
  const altered = new Promise<AlteredLogError>((resolve) => (endAltered = resolve));

  function take(message: FromVerifier): void {
    if (stopping.signal.aborted) return endTail();
    const error = wrongIn(message, log.file);
    fault = message.type === 'failed' ? message.message : null;
    if (message.type === 'whole' && error === undefined) note(message.verified);
    // Later messages do not change it.
    endTail(error);
    if (error !== undefined) endAltered(error);
  }

  function note(head: ChainHead): void {
    verified = head;
    marks.note(head.count);
  }

  function report(error: AlteredLogError): void {
    verified = undefined;
    endAltered(error);
  }

  const ended = verifyPatiently(log, { signal: stopping.signal, take });
  return {
    altered,
    async tailVerified() {
      const error = await tail;
      if (error !== undefined) throw new AlteredLogError(`${error.message}. Nothing was changed`);
    },
    isVerified: () => verified !== undefined,
    verifiedEvents: () => verified?.count ?? 0,
    verifiedAt: (count) => (verified === undefined ? undefined : marks.at(count)),
    async verifyOn(headKey, signal) {
      if (verified === undefined) return undefined;
      signal.throwIfAborted();
      const since = { verified, headKey };
      const verifyOnce = (): Promise<FromVerifier> => new Promise((take) => void verify(log, { since, signal, take }));
      const first = await verifyOnce();
      const message = wrongIn(first, log.file) === undefined ? first : await verifyOnce();
      const error = wrongIn(message, log.file);
      if (error !== undefined) report(error);
      else if (message.type === 'failed') throw new Error(message.message);
      else if (message.type === 'whole') note(message.verified);
      return verified;
    },
    fault: () => fault,
    report: (message) => report(new AlteredLogError(printable(`${message}. ${advice(log.file)}`))),
    async close() {
      stopping.abort();
      await ended;
    },
  };
}

interface VerificationJob {
  /** Undefined: all of it. */
  readonly since?: VerifiedBefore;
  readonly signal: AbortSignal;
  readonly take: (message: FromVerifier) => void;
}

/** Milliseconds before a log that could not be read is verified again. */
const pauseMs = { first: 1_000, most: 60_000 };

/**
 * Verifies the log until it can be read. A log is called altered only if a second pass, which opens the file again, says so
 * as well, because a disk may give a wrong answer once.
 */
async function verifyPatiently(log: GuardedLog, job: VerificationJob): Promise<void> {
  let failures = 0;
  let isSecond = false;
  while (!isAborted(job.signal)) {
    let held: FromVerifier | undefined;
    const take = (message: FromVerifier): void => {
      held = message.type === 'failed' || message.difference !== undefined ? message : undefined;
      if (held === undefined) job.take(message);
    };
    await verify(log, { ...job, take });
    if (held === undefined) return;
    const isWrong = wrongIn(held, log.file) !== undefined;
    if (!isWrong || isSecond) job.take(held);
    if (isWrong && isSecond) return;
    isSecond = isWrong;
    if (isWrong) continue;
    await sleep(Math.min(pauseMs.most, pauseMs.first * 2 ** failures), undefined, {
      signal: job.signal,
      ref: false,
    }).catch(() => undefined);
    failures = Math.min(failures + 1, 16);
  }
}

/** A function, so that the compiler does not rely on an earlier check. The signal may abort between two awaits. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

async function verify({ file, views }: GuardedLog, { since, signal, take }: VerificationJob): Promise<void> {
  let source: SqliteEventReader | undefined;
  try {
    source = openSqliteEventReader({ file, pollMs: 0 });
    const until = source.chainHead();
    if (until.count - (since?.verified.count ?? 0) > eventsAtOnce)
      return await verifyInThread({ file, until, views, since }, { signal, take });
    const outcome =
      since === undefined
        ? outcomeOf(await verifyLog({ source, until: until.position, depth: 'chain', signal }))
        : await verifyOn({ log: source, source, since, signal });
    take({ type: 'whole', ...outcome });
  } catch (error) {
    take({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  } finally {
    await source?.close();
  }
}

function verifyInThread(
  workerData: GuardedLog & { readonly until: ChainHead; readonly since: VerifiedBefore | undefined },
  { signal, take }: VerificationJob,
): Promise<void> {
  return new Promise((resolve) => {
    let isOver = false;
    const tell = (message: FromVerifier): void => {
      if (isOver) return;
      isOver = message.type !== 'tail' || message.difference !== undefined;
      take(message);
    };
    const thread = startWorkerThread<FromVerifier, never>(
      { name: 'evidence', beside: import.meta.url },
      {
        workerData,
        onMessage: tell,
        onExit(error = 'its thread ended') {
          tell({ type: 'failed', message: error });
          resolve();
        },
      },
    );
    signal.addEventListener('abort', () => void thread.close(0));
  });
}

/** What cannot be read because the file is damaged counts as altered. */
function wrongIn(message: FromVerifier, file: string): AlteredLogError | undefined {
  if (message.type !== 'failed') return message.difference && alteredLog(message.difference, file);
  if (!/malformed|not a database/.test(message.message)) return undefined;
  return new AlteredLogError(`the event log is damaged: ${message.message}. ${advice(file)}`);
}

const alteredLog = (difference: Difference, file: string): AlteredLogError =>
  new AlteredLogError(
    printable(`the event log was altered: ${difference.message}${placeOf(difference)}. ${advice(file)}`),
  );

function placeOf({ position, stream, type, revision }: Difference): string {
  return position === null ? '' : ` (position ${position}: ${type}, revision ${revision} of ${stream})`;
}

const advice = (file: string): string =>
  `Keep the altered file: audience audit verify, or verify.mjs on an export, tells more. Then put ${file} back from the last good backup, and remove views.db, which is folded again`;
