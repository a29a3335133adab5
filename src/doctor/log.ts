/** Whether the log can be read, and what keeps it. */
import type { EventReader } from '../eventstore/event-store.js';
import { messageOf, sayServer, type SeenServer } from './servers.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import { StoreNotOpenError, type OpenPlace } from './patient.js';

export async function checkLog(open: OpenPlace): Promise<Diagnosis> {
  const { events } = open.place.stores;
  try {
    const log = await open.log();
    if (events.kind === 'embedded') return green(`${events.file} can be read, ${await amount(log)}`);
    return green(`${sayServer('EventStoreDB', await serverOf(events.url))}, ${await amount(log)}`);
  } catch (error) {
    if (!(error instanceof StoreNotOpenError)) throw error;
    const reason = messageOf(error.cause);
    if (!error.isThere)
      return yellow(reason, 'Start the service, whose first start makes the log, or name the right data folder.');
    return events.kind === 'embedded'
      ? red(reason, 'Put the log back from the last good backup where it is damaged, and keep the file as it is now.')
      : red(reason, 'Look at the log of EventStoreDB and at EVENTSTORE_URL: its address, user, and TLS.');
  }
}

const amount = async (log: EventReader): Promise<string> => {
  const head = await log.head();
  return head === '' ? 'and holds no events yet' : `up to position ${head}`;
};

const serverOf = async (url: string): Promise<SeenServer> => {
  const { seeEventStoreDb } = await import('../eventstore/eventstoredb/server-info.js');
  return await seeEventStoreDb(url);
};
