/** What views still hold of who was erased: the stream of a contact, and storages beside those that are read. */
import type { EventReader } from '../eventstore/event-store.js';
import { contacts } from '../projections/contacts.js';
import type { LiveReader } from '../projector/live-reader.js';
import { oldStoragesName } from '../projector/old-storages.js';
import { rebuildName, storedAs } from '../projector/storage.js';
import type { ReadModelReader, ReadModels } from '../readmodels/read-models.js';

interface StreamOptions {
  readonly log: Pick<EventReader, 'readAt'>;
  readonly views: Pick<LiveReader, 'used'>;
  readonly readModels: Pick<ReadModels, 'load'>;
}

/** The stream of a contact that was erased, by its id; undefined: none was. @throws ReadModelsUnavailableError @throws StoreUnavailableError */
export const streamsOfErased =
  ({ log, views, readModels }: StreamOptions) =>
  async (contactId: string): Promise<string | undefined> => {
    const storage = views.used()?.[contacts.name];
    if (storage === undefined) return undefined;
    const stored = (await readModels.load(storedAs(contacts, storage), [contactId])).get(contactId);
    // The erasure is the last event that changed the document.
    const event = stored?.document === null ? await log.readAt(stored.position) : undefined;
    return event?.type === 'ContactErased' ? event.stream : undefined;
  };

interface StoragesOptions {
  readonly views: Pick<ReadModelReader, 'checkpoint'>;
  /** @throws ReadModelsUnavailableError @throws LeaseLostError */
  readonly dropAbandoned: () => Promise<unknown>;
  readonly logger: Record<'info', (about: object, message: string) => void>;
}

/**
 * Whether there are storages beside the live ones: a view is being rebuilt, or what was live before is not dropped yet.
 * Storages that no rebuild continues are dropped first. @throws ReadModelsUnavailableError @throws LeaseLostError
 */
export function createOtherStorages({ views, dropAbandoned, logger }: StoragesOptions): () => Promise<boolean> {
  let isLogged = false;
  return async () => {
    await dropAbandoned();
    const others = await Promise.all([rebuildName, oldStoragesName].map((name) => views.checkpoint(name)));
    const isWaiting = others.some((other) => other !== null);
    const storages = others.map((other) => other?.storages);
    if (isWaiting && !isLogged) logger.info({ storages }, 'erasures wait until other storages of views are gone');
    isLogged = isWaiting;
    return isWaiting;
  };
}
