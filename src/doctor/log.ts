/** Checks whether the log can be read, and names the server that stores it. */
import { LogFormatError, StoreUnavailableError, type EventReader } from '../eventstore/event-store.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import { StoreNotOpenError, type OpenPlace } from './patient.js';
import { messageOf, sayServer } from './servers.js';

export async function checkLog(open: OpenPlace): Promise<Diagnosis> {
  try {
    const end = await endOf(await open.log());
    const server = await open.stores.seeLog();
    return green(`${server === undefined ? 'it can be read' : sayServer(server)}, ${end}`);
  } catch (error) {
    const isOpen = error instanceof StoreUnavailableError;
    if (!isOpen && !(error instanceof StoreNotOpenError)) throw error;
    const cause = isOpen ? error : error.cause;
    const reason = messageOf(cause);
    if (!isOpen && !error.isThere)
      return yellow(reason, 'Start the service, whose first start makes the log, or name the right data folder.');
    // The disk is well, and a backup would have the same format.
    if (cause instanceof LogFormatError)
      return red(reason, 'Keep the file, and bring its events over as in "Upgrading" of docs/operations.md.');
    return red(reason, open.stores.remedies.log);
  }
}

const endOf = async (log: EventReader): Promise<string> => {
  const head = await log.head();
  return head === '' ? 'and holds no events yet' : `up to position ${head}`;
};
