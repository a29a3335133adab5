/** Marks a log that other tools have put back, such as those of EventStoreDB. The first start then does what it does after a restore. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { makeFolder, writeDurably } from '../flow/durable-file.js';
import type { EventReader } from '../eventstore/event-store.js';
import { logSourceOf } from '../eventstore/log-source.js';
import { verifyLog } from '../integrity/verify.js';
import { CommandFailedError } from '../failures.js';
import { joinedRegisters, registerName } from '../privacy/register.js';
import { isMarkedRestored, markRestored } from '../stores/restored.js';
import { comparedRegister, type ComparedRegister } from './newest-register.js';

interface MarkOptions {
  /** The log. No service runs on it. */
  readonly log: EventReader;
  /** Key of the MAC of restores, and of the mark. */
  readonly restoredKey: KeyObject;
  readonly signal: AbortSignal;
  /** Called with the number of events so far. The total is not known. */
  readonly onVerified: (done: number, total: undefined) => void;
  /** The data folder of the process that starts first. */
  readonly dataDir: string;
  /** The newest register; undefined if none is left. */
  readonly register: string | undefined;
  /** Id of the event that the first start appends. */
  readonly eventId: string;
}

interface MarkedLog {
  readonly log_id: string;
  readonly count: number;
  readonly root: string;
  readonly position: string;
  readonly register: ComparedRegister;
}

/** Marks the log as restored. The mark is written last. @throws CommandFailedError @throws RegisterError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function markInPlace(options: MarkOptions): Promise<MarkedLog> {
  const { dataDir, register: given, eventId: event_id, restoredKey } = options;
  // A second mark would have another event id than the event that a killed start may have appended.
  if (isMarkedRestored(dataDir))
    throw new CommandFailedError(`${dataDir} is marked already: start the service.`, { type: 'marked' });
  const { log_id, count, root, position } = await verified(options);
  const own = path.join(dataDir, registerName);
  const register = comparedRegister({ own, given, logId: log_id });
  makeFolder(dataDir);
  writeDurably(own, joinedRegisters([own, ...(given === undefined ? [] : [given])]));
  markRestored(dataDir, { event_id, log_id, count, root }, restoredKey);
  return { log_id, count, root, position, register };
}

/** Verifies the log without seals, because seals that are newer than the backup do not match it. */
async function verified({ log, restoredKey, signal, onVerified }: MarkOptions) {
  const onProgress = (done: number): void => onVerified(done, undefined);
  const result = await verifyLog({ source: logSourceOf(log), restoredKey, signal, onProgress });
  const { log_id, count, root, position } = result;
  if (result.intact && log_id !== null && root !== null) return { log_id, count, root, position };
  const why = result.difference?.message ?? 'its first event does not name the log';
  throw new CommandFailedError(`The log was altered: ${why}.`, { type: 'altered', exitCode: 1 });
}
