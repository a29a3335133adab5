/** When each API key was last used: one small document per key in the read models, written beside the requests and at most once a minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Grant } from '../api/auth.js';
import type { Document, ReadModels, View } from '../readmodels/read-models.js';

const useView: View = { name: 'key_uses', version: 1, indexes: [] };

const lookMs = 1_000;
const writtenEveryMs = 60_000;
const afterFaultMs = 10_000;

type UseDocument = Document & { readonly last_used_at: string };

export interface KeyUses {
  /** ISO 8601 by id of the key, up to a minute old; keys that were never used are missing. Nothing where the read models are out of reach. */
  read(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}

export interface KeyUsesOptions {
  readonly models: ReadModels;
  readonly grants: () => Iterable<Grant>;
  /** A failure costs nothing but an older time. */
  readonly onFault: (error: unknown) => void;
}

export function openKeyUses({ models, grants, onFault }: KeyUsesOptions): KeyUses {
  /** By id of the key, in milliseconds: its use that was written last. */
  const written = new Map<string, number>();

  function due(): ReadonlyMap<string, number> {
    const uses = new Map<string, number>();
    for (const { id, lastUsed } of grants())
      if (lastUsed >= (written.get(id) ?? 0) + writtenEveryMs && lastUsed > (uses.get(id) ?? 0)) uses.set(id, lastUsed);
    return uses;
  }

  async function write(uses: ReadonlyMap<string, number>): Promise<void> {
    await models.prepare(useView);
    const before = await models.load(useView, [...uses.keys()]);
    const writes = [...uses].map(([id, use]) => {
      const last_used_at = new Date(use).toISOString();
      const loaded = before.get(id)?.position ?? null;
      // Another process may have seen a later use.
      const position = loaded !== null && loaded > last_used_at ? loaded : last_used_at;
      return { view: useView, id, document: { last_used_at: position }, position, loaded };
    });
    const name = 'key-uses';
    const next = { logId: '', position: '', eventId: '', storages: {} };
    await models.commit({ writes, checkpoint: { name, previous: await models.checkpoint(name), next } });
    for (const [id, use] of uses) written.set(id, use);
  }

  const closing = new AbortController();
  const { signal } = closing;
  async function follow(): Promise<void> {
    while (!signal.aborted) {
      let pause = lookMs;
      try {
        const uses = due();
        if (uses.size > 0) await write(uses);
      } catch (error) {
        onFault(error);
        pause = afterFaultMs;
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  const following = follow();
  return {
    async read(ids) {
      try {
        await models.prepare(useView);
        const found = await models.getMany<UseDocument>(useView, ids);
        return new Map([...found].map(([id, { document }]) => [id, document.last_used_at]));
      } catch (error) {
        onFault(error);
        return new Map();
      }
    },
    async close() {
      closing.abort();
      await following;
      await models.close();
    },
  };
}
