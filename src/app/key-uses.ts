/** When each API key was last used: one checkpoint per key in the read models, written beside the requests and at most once a minute. */
import type { Grant } from '../api/auth.js';
import type { Checkpoint, ReadModels } from '../readmodels/read-models.js';

const writtenEveryMs = 60_000;
const nameOf = (id: string): string => `key-use-${id}`;

export function createKeyUses(models: ReadModels) {
  /** By id of the key, in milliseconds: its use that was written last. */
  const written = new Map<string, number>();
  return {
    /** ISO 8601, up to a minute old; null: it was never used. @throws ReadModelsUnavailableError */
    read: async (id: string): Promise<string | null> => (await models.checkpoint(nameOf(id)))?.position ?? null,
    /** Those that are due. @throws ReadModelsUnavailableError, or CommitConflictError: another process was at it */
    async write(grants: Iterable<Grant>): Promise<void> {
      for (const { id, lastUsed } of grants) {
        if (lastUsed < (written.get(id) ?? 0) + writtenEveryMs) continue;
        const name = nameOf(id);
        const previous = await models.checkpoint(name);
        const next: Checkpoint = { logId: '', position: new Date(lastUsed).toISOString(), eventId: '', storages: {} };
        // Another process may have seen a later use.
        if (previous === null || previous.position < next.position)
          await models.commit({ writes: [], checkpoint: { name, previous, next } });
        written.set(id, lastUsed);
      }
    },
  };
}
