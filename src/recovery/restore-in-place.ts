/** Marks a log that other tools have restored, such as those of EventStoreDB, so that the first start does what it does after a restore. */
import path from 'node:path';
import { deriveRegisterKey, deriveRestoredKey } from '../events/streams.js';
import { makeFolder } from '../flow/durable-file.js';
import type { EventReader } from '../eventstore/event-store.js';
import { logSourceOf } from '../eventstore/log-source.js';
import { verifyLog } from '../integrity/verify.js';
import { CommandFailedError } from '../failures.js';
import { appendLines, linesLackedBy, readRegister, registerName } from './register-file.js';
import { isMarkedRestored, markRestored } from './restored-mark.js';
import { compareRegisters, noticeOfInvalid, readNamed, type ComparedRegister } from './compare-registers.js';

interface MarkOptions {
  /** The log. No service runs on it. */
  readonly log: EventReader;
  /** The secret of the log, with which the mark is made and the register is checked. */
  readonly secret: string;
  readonly signal: AbortSignal;
  /** Called with the number of events so far. The total is not known. */
  readonly onVerified: (done: number, total: undefined) => void;
  /** The data folder of the process that starts first. */
  readonly dataDir: string;
  /** The file of the newest register, or undefined if none is left. */
  readonly register: string | undefined;
  /** Id of the event that the first start appends. */
  readonly eventId: string;
  /** Called with facts for the operator. */
  readonly onNotice: (notice: string) => void;
}

interface MarkedLog {
  readonly log_id: string;
  readonly count: number;
  readonly root: string;
  readonly position: string;
  readonly register: ComparedRegister;
}

/** Marks the log as restored. The mark is written last. @throws CommandFailedError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function markInPlace(options: MarkOptions): Promise<MarkedLog> {
  const { dataDir, register, eventId: event_id, secret, onNotice } = options;
  // A second mark would have another event id than the event that a killed start may have appended.
  if (isMarkedRestored(dataDir))
    throw new CommandFailedError(`${dataDir} is already marked as restored. Start the service.`, { type: 'marked' });
  const { log_id, count, root, position } = await verified(options);
  const owner = { logId: log_id, key: deriveRegisterKey(secret), onNotice };
  const own = readRegister(path.join(dataDir, registerName), owner);
  noticeOfInvalid(own, onNotice);
  const named = register === undefined ? undefined : readNamed(register, owner);
  makeFolder(dataDir);
  if (named !== undefined) await appendLines(own.file, linesLackedBy(own, named.lines));
  markRestored(dataDir, { event_id, log_id, count, root }, deriveRestoredKey(secret));
  return { log_id, count, root, position, register: compareRegisters(own, named) };
}

/** Verifies the log without seals, because seals that are newer than the backup do not match it. */
async function verified({ log, secret, signal, onVerified }: MarkOptions) {
  const restoredKey = deriveRestoredKey(secret);
  const onProgress = (done: number): void => onVerified(done, undefined);
  const result = await verifyLog({ source: logSourceOf(log), restoredKey, signal, onProgress });
  const { log_id, count, root, position } = result;
  if (result.intact && log_id !== null && root !== null) return { log_id, count, root, position };
  const why = result.difference?.message ?? 'its first event does not name the log';
  throw new CommandFailedError(`The log was altered: ${why}.`, { type: 'altered', exitCode: 1 });
}
