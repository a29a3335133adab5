/** When each API key was last used: one checkpoint per key in the read models, written beside the requests and at most once a minute, by whichever process is first. */
import {
  CommitConflictError,
  ReadModelsBusyError,
  type Checkpoint,
  type ReadModels,
} from '../../../readmodels/read-models.js';
import type { Grant } from '../../http/auth.js';

const writtenEveryMs = 60_000;
const nameOf = (id: string): string => `key-use-${id}`;

export function createKeyUses(models: ReadModels) {
  /** By id of the key, in milliseconds: its last use that is stored, as far as this process knows. */
  const stored = new Map<string, number>();
  const isDue = ({ id, lastUsed }: Grant): boolean => lastUsed >= (stored.get(id) ?? 0) + writtenEveryMs;

  async function note(grant: Grant): Promise<void> {
    const { id, lastUsed } = grant;
    const name = nameOf(id);
    const previous = await models.checkpoint(name);
    // Of another process, or from before the start.
    if (previous !== null) stored.set(id, Date.parse(previous.position));
    if (!isDue(grant)) return;
    const next: Checkpoint = { logId: '', position: new Date(lastUsed).toISOString(), eventId: '', storages: {} };
    await models.commit({ writes: [], checkpoint: { name, previous, next } });
    stored.set(id, lastUsed);
  }

  return {
    /** ISO 8601, up to a minute old; null: it was never used. @throws ReadModelsUnavailableError */
    read: async (id: string): Promise<string | null> => (await models.checkpoint(nameOf(id)))?.position ?? null,
    /** Those that are due, each by itself: what fails stays due. @throws ReadModelsUnavailableError of the last key that failed */
    async write(grants: Iterable<Grant>): Promise<void> {
      let fault: Error | undefined;
      for (const grant of grants)
        try {
          if (isDue(grant)) await note(grant);
        } catch (error) {
          if (error instanceof Error && !isConflict(error)) fault = error;
        }
      if (fault !== undefined) throw fault;
    },
  };
}

/** Another process or thread is writing. */
function isConflict(error: Error): boolean {
  return error instanceof CommitConflictError || error instanceof ReadModelsBusyError;
}
