/** When each API key was last used: one small document per key in the read models, written beside the requests and at most once a minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Grant } from '../api/auth.js';
import type { ReadModels, View } from '../readmodels/read-models.js';

/** The position of a document is the time of the use, in ISO 8601: an earlier one does not replace it. */
const useView: View = { name: 'key_uses', version: 1, indexes: [] };

const lookMs = 1_000;
const writtenEveryMs = 60_000;
const afterFaultMs = 10_000;

export interface KeyUses {
  /** ISO 8601 by id of the key, up to a minute old; keys that were never used are missing. @throws ReadModelsUnavailableError */
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

  async function write(): Promise<void> {
    const uses = new Map<string, number>();
    for (const { id, lastUsed } of grants())
      if (lastUsed >= (written.get(id) ?? 0) + writtenEveryMs && lastUsed > (uses.get(id) ?? 0)) uses.set(id, lastUsed);
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
    const name = 'key-uses';
    const next = { logId: '', position: '', eventId: '', storages: {} };
    await models.commit({ writes, checkpoint: { name, previous: await models.checkpoint(name), next } });
    for (const [id, use] of uses) written.set(id, use);
  }

  const closing = new AbortController();
  const { signal } = closing;
  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const hasFailed = await write().then(
        () => false,
        (error: unknown) => (onFault(error), true),
      );
      await sleep(hasFailed ? afterFaultMs : lookMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const following = follow();
  return {
    async read(ids) {
      await models.prepare(useView);
      const found = await models.getMany(useView, ids);
      return new Map([...found].map(([id, { position }]) => [id, position]));
    },
    async close() {
      closing.abort();
      await following;
      await models.close();
    },
  };
}
