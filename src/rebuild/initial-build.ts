/** Builds the views of a log that has none yet, or whose views were reset: nobody reads them until they are whole. */
import { logStart } from '../eventstore/event-store.js';
import { prepareAll, type InitialBuild } from '../projector/projector.js';
import { checkpointName, storagesOf, initialBuildName, moveCheckpoint } from '../projector/storage.js';
import type { Checkpoint } from '../readmodels/read-models.js';
import { bulkBuild } from './bulk-build.js';

/** Up to where the log is now; goes on where it was interrupted. Null while the log is empty. */
export async function buildInitially(build: InitialBuild): Promise<Checkpoint | null> {
  const { reader, readModels, projections, epoch, check } = build;
  const until = await reader.head();
  if (until === logStart) return await prepareAll(build);
  const from = await readModels.checkpoint(initialBuildName);
  const built = await bulkBuild({ ...build, name: initialBuildName, from, until, park: true });
  const next = { ...built, storages: storagesOf(projections) };
  await moveCheckpoint(build, { name: checkpointName, previous: null, next });
  check();
  await readModels.forget({ name: initialBuildName, previous: built, epoch });
  return next;
}
