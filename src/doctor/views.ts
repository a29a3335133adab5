/** Whether the views can be read, belong to this log, and how far they are behind it. */
import { checkViews, ForeignViewsError } from '../projector/start.js';
import { messageOf, sayServer } from './servers.js';
import { green, red, type Diagnosis } from './diagnosis.js';
import { StoreNotOpenError, type OpenPlace } from './patient.js';

export async function checkStoredViews(open: OpenPlace): Promise<Diagnosis> {
  const { views } = open.place.stores;
  const log = await open.log();
  const server = views.kind === 'mongodb' ? await seen(views.url) : undefined;
  if (server !== undefined && 'reason' in server)
    return red(
      `MongoDB cannot be used: ${server.reason}`,
      'Look at the log of MongoDB and at MONGODB_URL: its address, user, and TLS.',
    );
  try {
    await checkViews(log, await open.views());
  } catch (error) {
    if (error instanceof ForeignViewsError)
      return red(
        error.message,
        'Put the right log back; where it is the right one, remove the views: they are built again from it.',
      );
    if (!(error instanceof StoreNotOpenError)) throw error;
    return red(messageOf(error.cause), 'Remove views.db while no service runs: it is built again from the log.');
  }
  const where = views.kind === 'mongodb' ? sayServer('MongoDB', server ?? nothing) : `${views.file} can be read`;
  return green(`${where}, and its views are of this log`);
}

const nothing = { version: undefined, time: undefined };

async function seen(url: string) {
  const { seeMongo } = await import('../readmodels/mongodb/check.js');
  return await seeMongo(url);
}
