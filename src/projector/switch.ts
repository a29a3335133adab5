/** Makes the storages live that a rebuild has built: folds what they miss, then one compare-and-set of the checkpoint. */
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint } from '../readmodels/read-models.js';
import type { Projection } from '../projections/projection.js';
import { PoisonEventError } from './fold.js';
import type { SwitchAnswer } from './jobs.js';
import { foldNewStorages, type NewStorages } from './new-storages.js';
import { noteOldStorages, unpark } from './old-storages.js';
import { checkpointName, rebuildName, moveCheckpoint, type Storages, type ViewsWriter } from './storage.js';

/** The live views are folded no further meanwhile: reads wait this long. */
const mostMissing = 1_000;

export interface Switching extends ViewsWriter {
  readonly reader: EventReader;
  readonly projections: readonly Projection[];
  readonly checkpoint: Checkpoint;
  readonly signal: AbortSignal;
}

export type Switched =
  | { readonly answer: SwitchAnswer & { readonly outcome: 'behind' | 'failed' } }
  | {
      readonly answer: SwitchAnswer & { readonly outcome: 'switched' };
      readonly checkpoint: Checkpoint;
      readonly old: Storages;
    };

/** @throws what makes it unknown whether they are live: the views are to be opened again. */
export async function switchTo(input: Switching, built: NewStorages): Promise<Switched> {
  const { readModels, checkpoint: live } = input;
  const missing = await eventsMissing(input, built.checkpoint.position);
  if (missing === undefined) return { answer: { outcome: 'behind' } };
  try {
    const folding = await foldNewStorages(built, input);
    // Also where none is missing: the commit fails if somebody else builds them by now.
    await folding.fold(missing);
    built = { ...built, checkpoint: folding.checkpoint() };
  } catch (error) {
    if (!(error instanceof PoisonEventError)) throw error;
    return { answer: { outcome: 'failed', reason: error.message, poison: error.poison } };
  }
  const fresh = built.checkpoint.storages;
  const old = Object.fromEntries(Object.entries(live.storages).filter(([name]) => fresh[name] !== undefined));
  await noteOldStorages(input, old);
  const next = { ...live, storages: { ...live.storages, ...fresh } };
  await moveCheckpoint(input, { name: checkpointName, previous: live, next });
  // A rebuild that parks has written what it has parked itself.
  if (!built.park) await unpark(input, ({ view }) => fresh[view] !== undefined, next);
  // They are live. Where this fails, the next rebuild forgets it.
  await readModels.forget({ name: rebuildName, previous: built.checkpoint, epoch: built.epoch }).catch(() => undefined);
  return { answer: { outcome: 'switched' }, checkpoint: next, old };
}

/** What the live views have folded and the new storages have not; undefined: too much. New storages may also be ahead. */
async function eventsMissing(
  { reader, checkpoint, signal }: Switching,
  after: string,
): Promise<readonly StoredEvent[] | undefined> {
  if (after >= checkpoint.position) return [];
  const events: StoredEvent[] = [];
  for await (const page of reader.readAll({ after, limit: mostMissing + 1, signal }))
    events.push(...page.filter(({ position }) => position <= checkpoint.position));
  signal.throwIfAborted();
  return events.length > mostMissing ? undefined : events;
}
