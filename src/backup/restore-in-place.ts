/** Marks a log that other tools have put back, such as those of EventStoreDB. The first start then does what it does after a restore. */
import path from 'node:path';
import { makeFolder, writeDurably } from '../flow/durable-file.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { LogPlace } from '../evidence/open-links.js';
import { linkSourceOf, verifyLog } from '../evidence/verify.js';
import { CommandFailedError } from '../failures.js';
import { joinedRegisters, registerName } from '../privacy/register.js';
import { isMarkedRestored, markRestored } from '../stores/restored.js';
import { comparedRegister, type ComparedRegister } from './newest-register.js';

interface MarkOptions {
  /** The log. No service runs on it. */
  readonly log: EventReader;
  readonly headKey: LogPlace['headKey'];
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
  readonly head: string;
  readonly position: string;
  readonly register: ComparedRegister;
}

/** The mark comes last. @throws CommandFailedError @throws RegisterError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function markInPlace(options: MarkOptions): Promise<MarkedLog> {
  const { dataDir, register: given, eventId: event_id } = options;
  // Another id would be another event, where a start was killed that has appended the first.
  if (isMarkedRestored(dataDir))
    throw new CommandFailedError(`${dataDir} is marked already: start the service.`, { type: 'marked' });
  const { log_id, count, head, position } = await verified(options);
  const own = path.join(dataDir, registerName);
  const register = comparedRegister({ own, given, logId: log_id });
  makeFolder(dataDir);
  writeDurably(own, joinedRegisters([own, ...(given === undefined ? [] : [given])]));
  markRestored(dataDir, { event_id, log_id, count, head });
  return { log_id, count, head, position, register };
}

/** EventStoreDB has no links to compare with: there the order and the numbers of the events are verified. */
async function verified({ log, headKey, signal, onVerified }: MarkOptions) {
  const source = linkSourceOf(log);
  const key = await headKey(log);
  const onProgress = (done: number): void => onVerified(done, undefined);
  const result = await verifyLog({ source, depth: 'chain', sealedHead: { key }, signal, onProgress });
  const { log_id, count, head, position } = result;
  if (result.intact && log_id !== null) return { log_id, count, head, position };
  const why = result.intact ? 'it does not say which log it is' : result.difference.message;
  throw new CommandFailedError(`The log is not as it was written: ${why}.`, { type: 'altered', exitCode: 1 });
}
