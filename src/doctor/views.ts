/** Checks whether the views can be read, and whether they were folded from this log. */
import { checkViews, ForeignViewsError } from '../projector/start.js';
import { green, red, type Diagnosis } from './diagnosis.js';
import { StoreNotOpenError, type OpenPlace } from './patient.js';
import { messageOf, sayServer } from './servers.js';

export async function checkStoredViews(open: OpenPlace): Promise<Diagnosis> {
  const { remedies } = open.stores;
  try {
    // Open the views first, because they may be readable even if the log is not.
    const views = await open.views();
    await checkViews(await open.log(), views);
    const server = await open.stores.seeViews();
    return green(`${server === undefined ? 'they can be read' : sayServer(server)}, and they are of this log`);
  } catch (error) {
    if (error instanceof ForeignViewsError)
      return red(
        error.message,
        `Put the right log back. If this is the right log, ${remedies.dropViews} while no service runs: the views are built again.`,
      );
    if (!(error instanceof StoreNotOpenError) || error.store === 'log' || !error.isThere) throw error;
    return red(messageOf(error.cause), remedies.views);
  }
}
