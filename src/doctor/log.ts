/** Checks whether the log can be read, and names the server that stores it. */
import { StoreUnavailableError, type EventReader } from '../eventstore/event-store.js';
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
    const reason = messageOf(isOpen ? error : error.cause);
    if (!isOpen && !error.isThere)
      return yellow(reason, 'Start the service, whose first start makes the log, or name the right data folder.');
    return red(reason, open.stores.remedies.log);
  }
}

const endOf = async (log: EventReader): Promise<string> => {
  const head = await log.head();
  return head === '' ? 'and holds no events yet' : `up to position ${head}`;
};
