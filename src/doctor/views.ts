/** Whether the views can be read, and were folded from this log. */
import { checkViews, ForeignViewsError } from '../projector/start.js';
import { green, red, type Diagnosis } from './diagnosis.js';
import { StoreNotOpenError, type OpenPlace } from './patient.js';
import { messageOf, sayServer } from './servers.js';

export async function checkStoredViews(open: OpenPlace): Promise<Diagnosis> {
  const log = await open.log();
  try {
    await checkViews(log, await open.views());
    const server = await open.servers.ofViews();
    return green(`${server === undefined ? 'they can be read' : sayServer(server)}, and they are of this log`);
  } catch (error) {
    if (error instanceof ForeignViewsError)
      return red(
        error.message,
        'Put the right log back; where it is the right one, remove the views: they are built again.',
      );
    if (!(error instanceof StoreNotOpenError) || error.store === 'log') throw error;
    return red(
      messageOf(error.cause),
      open.place.stores.views.kind === 'mongodb'
        ? 'Look at the log of MongoDB and at MONGODB_URL: its address, user, and TLS.'
        : 'Remove views.db while no service runs: it is built again from the log.',
    );
  }
}
