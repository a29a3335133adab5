/** Checks how far the views are behind the log, and whether they leave out streams. */
import { codec } from '../events/codec.js';
import { catalogueStreams } from '../events/streams.js';
import { readParked } from '../projector/parked.js';
import { checkpointName, hasStorages } from '../projector/storage.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

/** Milliseconds. `yellow` is the limit of readiness. */
const late = { yellow: 5_000, red: 300_000 };

/** @param runs whether a service is known to run on this folder. Without a service, nothing folds an embedded log, and nobody waits for the views. */
export async function checkLag(
  { stores, log: openLog, views: openViews, clock }: OpenPlace,
  runs: boolean,
): Promise<Diagnosis> {
  const [log, views] = [await openLog(), await openViews()];
  const checkpoint = await views.checkpoint(checkpointName);
  if (!hasStorages(checkpoint)) return green('there are no views yet: the next start builds them');
  const parked = [...(await readParked(views)).values()];
  const catalogue = parked.find(({ stream }) => catalogueStreams.has(stream));
  if (catalogue !== undefined)
    return red(`the view ${catalogue.view} cannot fold ${catalogue.stream}: ${catalogue.reason}`, mend);
  if (parked.length > 0)
    return yellow(`streams left out of the views, because an event cannot be folded: ${parked.length}`, mend);
  for await (const [next] of log.readAll({ after: checkpoint.position, limit: 1 })) {
    if (next === undefined) break;
    const lag = Math.max(0, clock() - Date.parse(codec.decode(next).metadata.at));
    const said = `the views are ${(lag / 1_000).toFixed(1)} s behind the log`;
    if (!runs && stores.needService) return green(`${said}: the next start folds on`);
    if (lag > late.red) return red(said, 'See that a process with the role projector runs, and what its log says.');
    if (lag > late.yellow)
      return yellow(said, 'Take load from the service, or look at its log: the projector cannot keep up.');
  }
  return green('the views are up to date with the log');
}

const mend = 'Start a version of the service that knows these events, then run audience projections rebuild.';
