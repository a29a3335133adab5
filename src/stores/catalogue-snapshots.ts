/** Snapshots of the catalogues, records beside the views, so that a start need not fold a million events. Used only if the log confirms them. */
import { z } from 'zod';
import { catalogueState, type CatalogueState } from '../commands/catalogue.js';
import { metadataSchema, type Idempotency } from '../events/envelope.js';
import type { LoadedState } from '../commands/batch.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { ReadModels } from '../readmodels/read-models.js';
import type { Stores } from './stores.js';

export const snapshotName = (stream: string): string => `snapshot-${stream}`;

/** Folding fewer events than this is quick enough without a snapshot. */
const worthwhile = 10_000n;

/** By hand: a schema for each pair would make the start with a million names longer by half. */
const pairs = <Value>(isValue: (value: unknown) => boolean) =>
  z.custom<readonly (readonly [id: string, value: Value])[]>(
    (all) =>
      Array.isArray(all) && all.every((pair) => Array.isArray(pair) && typeof pair[0] === 'string' && isValue(pair[1])),
  );

const creation = metadataSchema.shape.idempotency.unwrap();

const catalogueSnapshot = z.object({
  revision: z.string().regex(/^\d+$/),
  position: z.string(),
  /** Id of the event at that revision and position: if it differs in the log, the snapshot is of another log. */
  event_id: z.string(),
  at: z.string(),
  names: pairs<string>((name) => typeof name === 'string'),
  /** Of those created with an `Idempotency-Key`. */
  creations: pairs<Idempotency>((value) => creation.safeParse(value).success),
});
type CatalogueSnapshot = z.infer<typeof catalogueSnapshot>;

export type Snapshots = ReturnType<typeof createSnapshots>;

interface SnapshotOptions {
  readonly reader: Pick<EventReader, 'readAt'>;
  readonly models: ReadModels;
  readonly onFault: (error: unknown) => void;
}

interface OpenOptions extends Pick<SnapshotOptions, 'reader'> {
  readonly stores: Pick<Stores, 'openReadModels'>;
  readonly logger: { error(about: object, message: string): void };
}

/** On a connection of their own. @throws ReadModelsUnavailableError */
export const openSnapshots = async ({ reader, stores, logger }: OpenOptions): Promise<Snapshots> =>
  createSnapshots({
    reader,
    models: await stores.openReadModels(),
    onFault: (error) => logger.error({ err: error }, 'a snapshot of a catalogue failed; the next start takes longer'),
  });

export function createSnapshots({ reader, models, onFault }: SnapshotOptions) {
  /** `snapshot`: undefined where there is none of this shape that the log confirms. */
  async function stored(stream: string) {
    const record = await models.readRecord(snapshotName(stream));
    const snapshot = catalogueSnapshot.safeParse(record?.value).data;
    return { snapshot: snapshot && (await confirmed(stream, snapshot)), version: record?.version ?? null };
  }

  async function confirmed(stream: string, snapshot: CatalogueSnapshot): Promise<CatalogueSnapshot | undefined> {
    const event = await reader.readAt(snapshot.position);
    const isTrue = event?.id === snapshot.event_id && event.stream === stream;
    return isTrue && String(event.revision) === snapshot.revision ? snapshot : undefined;
  }

  async function keep(stream: string, { state, revision, position, at }: LoadedState<CatalogueState>): Promise<void> {
    const { snapshot, version } = await stored(stream);
    if (revision - BigInt(snapshot?.revision ?? -1) < worthwhile) return;
    const event = await reader.readAt(position);
    if (event?.stream !== stream || event.revision !== revision) return;
    const [names, creations] = [[...state.nameById.entries()], [...state.creations.entries()]];
    const value: CatalogueSnapshot = {
      revision: String(revision),
      position,
      event_id: event.id,
      at,
      names,
      creations,
    };
    // If another process was first, its snapshot does as well.
    await models.putRecord({ name: snapshotName(stream), value, previous: version });
  }

  return {
    /** The last snapshot; undefined when there is none that the log confirms. */
    async load(stream: string): Promise<LoadedState<CatalogueState> | undefined> {
      try {
        const { snapshot } = await stored(stream);
        if (snapshot === undefined) return undefined;
        const { revision, position, at, names, creations } = snapshot;
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
