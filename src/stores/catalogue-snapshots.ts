/** Snapshots of the catalogues in the read models, so that a start need not fold a million events. Used only if the log confirms them. */
import { catalogueState, type CatalogueState } from '../commands/catalogue.js';
import type { Idempotency } from '../events/envelope.js';
import type { LoadedState } from '../commands/batch.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, Document, ReadModels, View } from '../readmodels/read-models.js';

export const snapshotView: View = { name: 'snapshots', version: 1, indexes: [] };

/** Folding fewer events than this is quick enough without a snapshot. */
const worthwhile = 10_000n;

type SnapshotDocument = Document & {
  readonly revision: string;
  readonly position: string;
  /** Id of the event at that revision and position: if it differs in the log, the snapshot is of another log. */
  readonly event_id: string;
  readonly at: string;
  readonly names: readonly (readonly [id: string, name: string])[];
  /** Of those created with an `Idempotency-Key`. Absent in a snapshot of an earlier version, which would lose them: it is not used. */
  readonly creations?: readonly (readonly [id: string, creation: Idempotency])[];
};

export type Snapshots = ReturnType<typeof createSnapshots>;

export interface SnapshotOptions {
  readonly reader: Pick<EventReader, 'readAt'>;
  readonly models: ReadModels;
  readonly onFault: (error: unknown) => void;
}

export function createSnapshots({ reader, models, onFault }: SnapshotOptions) {
  async function confirmed(stream: string): Promise<SnapshotDocument | undefined> {
    await models.prepare(snapshotView);
    const document = (await models.get<SnapshotDocument>(snapshotView, stream))?.document;
    if (document?.creations === undefined) return undefined;
    const event = await reader.readAt(document.position);
    const isTrue = event?.id === document.event_id && event.stream === stream;
    return isTrue && String(event.revision) === document.revision ? document : undefined;
  }

  async function keep(stream: string, { state, revision, position, at }: LoadedState<CatalogueState>): Promise<void> {
    const kept = await confirmed(stream);
    if (revision - BigInt(kept?.revision ?? -1) < worthwhile) return;
    const event = await reader.readAt(position);
    if (event?.stream !== stream || event.revision !== revision) return;
    const [names, creations] = [[...state.nameById.entries()], [...state.creations.entries()]];
    const document: SnapshotDocument = {
      revision: String(revision),
      position,
      event_id: event.id,
      at,
      names,
      creations,
    };
    const before = (await models.load(snapshotView, [stream])).get(stream);
    const name = `snapshot-${stream}`;
    const next: Checkpoint = { logId: '', position, eventId: event.id, storages: {} };
    const write = { view: snapshotView, id: stream, document, position, loaded: before?.position ?? null };
    await models.commit({ writes: [write], checkpoint: { name, previous: await models.checkpoint(name), next } });
  }

  return {
    /** The last snapshot; undefined when there is none that the log confirms. */
    async load(stream: string): Promise<LoadedState<CatalogueState> | undefined> {
      try {
        const document = await confirmed(stream);
        if (document === undefined) return undefined;
        const { revision, position, at, names, creations } = document;
        return { state: catalogueState(names, creations), revision: BigInt(revision), position, at };
      } catch (error) {
        onFault(error);
        return undefined;
      }
    },
    save: (stream: string, folded: LoadedState<CatalogueState>): Promise<void> => keep(stream, folded).catch(onFault),
    close: () => models.close(),
  };
}
