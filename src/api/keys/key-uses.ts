/** When each API key was last used: one record per key, written beside the requests and at most once a minute, by whichever process is first. */
import { z } from 'zod';
import { time } from '../../events/values.js';
import { ReadModelsBusyError, type ReadModels } from '../../readmodels/read-models.js';
import type { Grant } from '../http/auth.js';

const keyUse = z.object({ last_used_at: time });
type KeyUse = z.infer<typeof keyUse>;

const writtenEveryMs = 60_000;
const nameOf = (id: string): string => `key-use-${id}`;

export function createKeyUses(models: ReadModels, clock: () => number) {
  /** By id of the key, in milliseconds: its last use that is stored, as far as this process knows. */
  const stored = new Map<string, number>();
  const isDue = ({ id, lastUsed }: Grant): boolean => lastUsed >= (stored.get(id) ?? 0) + writtenEveryMs;

  /** Reads when the key was last used. Ignores a record with another shape, which the next use replaces. */
  async function load(id: string): Promise<{ readonly last: string | null; readonly version: string | null }> {
    const record = await models.readRecord(nameOf(id));
    return { last: keyUse.safeParse(record?.value).data?.last_used_at ?? null, version: record?.version ?? null };
  }

  async function note(grant: Grant): Promise<void> {
    const { id, lastUsed } = grant;
    const { last, version } = await load(id);
    // Another process or an earlier run has stored a use. A use in the future was stored while the clock was ahead.
    const at = last === null ? undefined : Date.parse(last);
    if (at !== undefined) stored.set(id, at > clock() + writtenEveryMs ? 0 : at);
    if (!isDue(grant)) return;
    const value: KeyUse = { last_used_at: new Date(lastUsed).toISOString() };
    // If another process was first, the use is still due, and is read again at the next turn.
    if (await models.putRecord({ name: nameOf(id), value, previous: version })) stored.set(id, lastUsed);
  }

  return {
    /** ISO 8601, up to a minute old; null: it was never used. @throws ReadModelsUnavailableError */
    read: async (id: string): Promise<string | null> => (await load(id)).last,
    /** Those that are due, each by itself: what fails stays due. @throws ReadModelsUnavailableError of the last key that failed */
    async write(grants: Iterable<Grant>): Promise<void> {
      let fault: Error | undefined;
      for (const grant of grants)
        try {
          if (isDue(grant)) await note(grant);
        } catch (error) {
          // Another process or thread is writing.
          if (error instanceof Error && !(error instanceof ReadModelsBusyError)) fault = error;
        }
      if (fault !== undefined) throw fault;
    },
  };
}
