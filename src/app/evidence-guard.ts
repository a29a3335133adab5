/** Verifies the embedded log at the start of the service: before anything is answered, or in the background where it is long. */
import { Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Difference } from '../evidence/verify-difference.js';
import { verifyLog, type Verification } from '../evidence/verify.js';
import type { FromVerifier } from './evidence-worker.js';
import { logStart, type EventReader } from '../eventstore/event-store.js';
import { openSqliteEventReader, type SqliteEventReader } from '../eventstore/sqlite/reader.js';
import { readLogId } from '../projector/start.js';

/** A start waits so long for the verification; what takes longer goes on while the service works. */
const patienceMs = 10_000;
/** So many events are verified in less time than a thread takes to start. */
const eventsAtOnce = 4_000;

const url = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/app/evidence-worker.js' : './evidence-worker.js',
  import.meta.url,
);

/** The log is not what was written. The message is for the operator, and names no person. */
export class AlteredLogError extends Error {
  override readonly name = 'AlteredLogError';
}

export interface EvidenceGuard {
  /** Resolves when the log is verified, or has not been for ten seconds. @throws AlteredLogError */
  firstLook(): Promise<void>;
  /** The whole log, as it was at the start, is as it was written. */
  isVerified(): boolean;
  /** Why the log can no longer be verified, though nothing is known to be altered. */
  fault(): string | null;
  /** Settles only when an alteration is found, however late. */
  readonly altered: Promise<AlteredLogError>;
  close(): Promise<void>;
}

/** A log that has lost its beginning is not given another one. @throws AlteredLogError */
export async function refuseHeadless(log: EventReader): Promise<void> {
  if ((await log.head()) === logStart || (await readLogId(log)) !== undefined) return;
  throw new AlteredLogError(
    'the event log does not begin with its own name: it was altered, or is not one of this service',
  );
}

/** Starts at once. Whoever writes to the log, or folds it, awaits `firstLook` before. */
export function guardLog(file: string): EvidenceGuard {
  const stopping = new AbortController();
  let isVerified = false;
  let fault: string | null = null;

  async function look(): Promise<AlteredLogError | undefined> {
    const outcome = await outcomeOf(file, stopping.signal);
    if (stopping.signal.aborted) return undefined;
    const error = wrongIn(outcome, file);
    isVerified = error === undefined && outcome.type === 'verified';
    fault = outcome.type === 'failed' ? outcome.message : null;
    return error;
  }

  const looking = look();
  return {
    altered: new Promise((resolve) => void looking.then((error) => error && resolve(error))),
    async firstLook() {
      const settled = new AbortController();
      const late = sleep(patienceMs, undefined, { signal: settled.signal }).catch(() => undefined);
      const error = await Promise.race([looking, late]);
      settled.abort();
      if (error !== undefined) throw new AlteredLogError(`${error.message}. Nothing was changed`);
    },
    isVerified: () => isVerified,
    fault: () => fault,
    async close() {
      stopping.abort();
      await looking;
    },
  };
}

async function outcomeOf(file: string, signal: AbortSignal): Promise<FromVerifier> {
  let source: SqliteEventReader | undefined;
  try {
    source = openSqliteEventReader({ file, pollMs: 0 });
    const head = source.chainHead();
    const until = head?.position ?? '';
    if ((head?.count ?? 0) > eventsAtOnce) return await inThread({ file, until }, signal);
    return { type: 'verified', result: await verifyLog({ source, until, depth: 'chain', signal }) };
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? error.message : String(error) };
  } finally {
    await source?.close();
  }
}

function inThread(
  workerData: { readonly file: string; readonly until: string },
  signal: AbortSignal,
): Promise<FromVerifier> {
  return new Promise((resolve) => {
    const worker = new Worker(url, { workerData, name: 'evidence' });
    const failed = (message: string): void => resolve({ type: 'failed', message });
    worker.on('message', (message: FromVerifier) => resolve(message));
    worker.on('error', (error) => failed(error.message));
    worker.on('exit', () => failed('its thread ended'));
    signal.addEventListener('abort', () => void worker.terminate());
  });
}

/** What cannot be read because the file is damaged has been altered, by whomever. */
function wrongIn(outcome: FromVerifier, file: string): AlteredLogError | undefined {
  switch (outcome.type) {
    case 'verified':
      return refuted(outcome.result, file);
    case 'failed':
      if (!/malformed|not a database/.test(outcome.message)) return undefined;
      return new AlteredLogError(`the event log is damaged: ${outcome.message}. ${advice(file)}`);
    default:
      return outcome satisfies never;
  }
}

function refuted(result: Verification, file: string): AlteredLogError | undefined {
  if (result.intact) return undefined;
  return new AlteredLogError(
    `the event log was altered: ${result.difference.message}${placeOf(result.difference)}. ${advice(file)}`,
  );
}

function placeOf({ position, stream, type, revision }: Difference): string {
  return position === null ? '' : ` (position ${position}: ${type}, revision ${revision} of ${stream})`;
}

const advice = (file: string): string =>
  `Keep the altered file: audience audit verify, or verify.mjs on an export, tells more. Then put ${file} back from the last good backup, and remove views.db, which is folded anew`;
