/** When each API key was last used: one small document per key in the read models, written beside the requests and at most once a minute. */
import type { Grant } from '../api/auth.js';
import type { ReadModels, View } from '../readmodels/read-models.js';

/** The position of a document is the time of the use, in ISO 8601: an earlier one does not replace it. */
const useView: View = { name: 'key_uses', version: 1, indexes: [] };
const checkpointName = 'key-uses';
const noCheckpoint = { logId: '', position: '', eventId: '', storages: {} };
const writtenEveryMs = 60_000;

export interface KeyUses {
  /** ISO 8601 by id of the key, up to a minute old; keys that were never used are missing. @throws ReadModelsUnavailableError */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Those that are due. @throws ReadModelsUnavailableError, or CommitConflictError: another process was at it */
  write(grants: Iterable<Grant>): Promise<void>;
}

export function createKeyUses(models: ReadModels): KeyUses {
  /** By id of the key, in milliseconds: its use that was written last. */
  const written = new Map<string, number>();
  return {
    async read(ids) {
      await models.prepare(useView);
      const found = await models.getMany(useView, ids);
      return new Map([...found].map(([id, { position }]) => [id, position]));
    },
    async write(grants) {
      const uses = new Map<string, number>();
      for (const { id, lastUsed } of grants)
        if (lastUsed >= (written.get(id) ?? 0) + writtenEveryMs) uses.set(id, Math.max(lastUsed, uses.get(id) ?? 0));
      if (uses.size === 0) return;
      await models.prepare(useView);
      const before = await models.load(useView, [...uses.keys()]);
      const writes = [...uses].flatMap(([id, use]) => {
        const last_used_at = new Date(use).toISOString();
        const loaded = before.get(id)?.position ?? null;
        // Another process may have seen a later use.
        if (loaded !== null && loaded >= last_used_at) return [];
        return [{ view: useView, id, document: { last_used_at }, position: last_used_at, loaded }];
      });
      const previous = await models.checkpoint(checkpointName);
      await models.commit({ writes, checkpoint: { name: checkpointName, previous, next: noCheckpoint } });
      for (const [id, use] of uses) written.set(id, use);
    },
  };
}
