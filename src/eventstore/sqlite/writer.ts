/** The writer thread of the embedded event store: one message of appends, one transaction, one fsync, one answer. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { sqliteCode, sqliteMessage, type Database, type Statement } from '../../sqlite/database.js';
import { openTwice } from '../../sqlite/reopening.js';
import { AlteredLogError } from '../log-source.js';
import { createAppender, type Appender } from './append.js';
import type { AppendMessage, Failure, FromWriter, Redaction, ToWriter, WriterData } from './messages.js';
import { createRedactor } from './redact.js';
import { openForWriting, fileUnavailable } from './schema.js';

/** A checkpoint follows when the WAL has this many pages of 4 KiB. */
const checkpointPages = 4_000;
/** With this many pages readers have kept it from starting over: then wait for them a moment. */
const forcedPages = 32_000;
const commitsPerLook = 16;

type Failed = (how: Failure, message: string) => void;

interface Log {
  readonly db: Database;
  readonly appender: Appender;
  readonly redact: ReturnType<typeof createRedactor>;
  readonly begin: Statement;
  readonly commit: Statement;
  readonly walState: Statement<[], { readonly log: number }>;
}

const openLog = (data: WriterData): Log => openTwice(() => openLogOnce(data));

function openLogOnce({ file, expected }: WriterData): Log {
  const db = openForWriting(file);
  try {
    return {
      db,
      appender: createAppender(db, expected),
      redact: createRedactor(db),
      begin: db.prepare('begin immediate'),
      commit: db.prepare('commit'),
      walState: db.prepare('pragma wal_checkpoint(NOOP)'),
    };
  } catch (error) {
    db.close();
    throw fileUnavailable(error, `the event log ${file} cannot be read`);
  }
}

function serve(port: MessagePort, data: WriterData): void {
  const { file } = data;
  const say = (message: FromWriter): void => port.postMessage(message);
  let log: Log;
  try {
    log = openLog(data);
  } catch (error) {
    say({ type: error instanceof AlteredLogError ? 'altered' : 'refused', message: sqliteMessage(error) });
    port.close();
    return;
  }
  let commits = 0;
  let committed = log.appender.frontier();
  let altered: string | undefined;

  port.on('message', (message: ToWriter) => {
    switch (message.type) {
      case 'close':
        return close();
      case 'scrub':
        return scrub();
      case 'redact':
        return redact(message.redactions);
      case 'probe':
        return probe();
      case 'check':
        return check();
      case 'append':
        commit(message);
        commits += 1;
        if (commits % commitsPerLook === 0) checkpoint();
        return;
      default:
        message satisfies never;
    }
  });
  say({ type: 'opened', end: committed });

  function commit(message: AppendMessage): void {
    const start = performance.now();
    const outcomes = transact(
      () => log.appender.take(message),
      (how, text) => say({ type: 'failed', how, message: text, end: committed }),
    );
    if (outcomes === undefined) return;
    const end = log.appender.frontier();
    const hasMoved = end.count > committed.count;
    committed = end;
    say({
      type: 'committed',
      outcomes: Float64Array.from(outcomes),
      end: hasMoved ? end : undefined,
      milliseconds: performance.now() - start,
    });
  }

  function redact(redactions: readonly Redaction[]): void {
    const redacted = transact(
      () => log.redact(redactions),
      (_, message) => say({ type: 'not_redacted', message }),
    );
    if (redacted !== undefined) say({ type: 'redacted', redacted });
  }

  function scrub(): void {
    try {
      say({ type: 'scrubbed', complete: checkpointNow('TRUNCATE') });
    } catch (error) {
      say({ type: 'not_redacted', message: sqliteMessage(error) });
    }
  }

  /** Writes the number of the format again, which changes nothing but needs a durable write. */
  function probe(): void {
    const version = Number(log.db.pragma('user_version'));
    const written = transact(
      () => log.db.exec(`pragma user_version = ${version}`),
      () => undefined,
    );
    say({ type: 'probed', isWritable: written !== undefined });
  }

  function check(): void {
    try {
      if (altered === undefined) log.appender.refuseOtherEvents();
    } catch (error) {
      if (error instanceof AlteredLogError) refuseFromNowOn(error.message);
    }
    say({ type: 'checked' });
  }

  /** Runs in one transaction, which is durable when this returns. Returns undefined if it failed, after `failed` was called. */
  function transact<Answer>(action: () => Answer, failed: Failed): Answer | undefined {
    if (altered !== undefined) return void failed('refused', altered);
    let committing = false;
    try {
      log.begin.run();
      const answer = action();
      committing = true;
      log.commit.run();
      return answer;
    } catch (error) {
      return void fail(error, committing, failed);
    }
  }

  /**
   * After a failed write or fsync, nothing that SQLite or the kernel holds in memory can be trusted, so the file is opened
   * again. If that fails as well, the thread ends and the main thread starts another one.
   */
  function fail(error: unknown, committing: boolean, failed: Failed): void {
    if (error instanceof AlteredLogError) refuseFromNowOn(error.message);
    const harmless = isHarmless(error);
    const most = committing ? log.appender.frontier().count : committed.count;
    const rolledBack = attempt(() => {
      if (log.db.inTransaction) log.db.exec('rollback');
      if (harmless) log.appender.reset(committed);
    });
    if (!harmless || !rolledBack) reopen(most);
    failed(howItFailed(error, committing && !harmless), sqliteMessage(error));
  }

  function reopen(most: number): void {
    log.db.close();
    try {
      log = openLog({ file, expected: { committed, most } });
      committed = log.appender.frontier();
    } catch (error) {
      if (error instanceof AlteredLogError) refuseFromNowOn(error.message);
      throw error;
    }
  }

  function refuseFromNowOn(message: string): void {
    altered = message;
    say({ type: 'altered', message });
  }

  /** Checkpoints the WAL when it is long; a reader with an old snapshot, or a full disk, puts it off. */
  function checkpoint(): void {
    try {
      const pages = log.walState.get()?.log ?? 0;
      if (pages < checkpointPages) return;
      if (pages < forcedPages) log.db.pragma('wal_checkpoint(PASSIVE)');
      else checkpointNow('RESTART');
    } catch (error) {
      say({ type: 'fault', message: `checkpoint of ${file} failed: ${sqliteMessage(error)}` });
    }
  }

  /** Waits for readers, a moment only, because appends wait, too. False: one of them still holds the WAL. */
  function checkpointNow(mode: 'RESTART' | 'TRUNCATE'): boolean {
    log.db.pragma('busy_timeout = 100');
    try {
      return log.db.pragma(`wal_checkpoint(${mode})`) === 0;
    } finally {
      log.db.pragma('busy_timeout = 2000');
    }
  }

  /** A WAL that cannot be checkpointed, because the disk is full, stays beside the file and is read from there. */
  function close(): void {
    try {
      log.db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      say({ type: 'fault', message: `the last checkpoint of ${file} failed: ${sqliteMessage(error)}` });
    }
    attempt(() => log.db.close());
    port.close();
  }
}

/** Returns whether SQLite has rolled back cleanly: the disk is full, or another program holds the file or has written to it. */
const isHarmless = (error: unknown): boolean =>
  error instanceof AlteredLogError ||
  ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_CONSTRAINT'].includes(sqliteCode(error) ?? '');

function howItFailed(error: unknown, inDoubt: boolean): Failure {
  if (inDoubt) return 'in_doubt';
  return sqliteCode(error) === 'SQLITE_FULL' ? 'full' : 'refused';
}

function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

if (parentPort !== null) serve(parentPort, workerData as WriterData);
