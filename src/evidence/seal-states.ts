/** The seals of the data folder as the running service knows them: which of them it has verified, and by when. */
import { z } from 'zod';
import { count, object, text, time, type FrozenOutput } from '../events/values.js';
import { readLogId } from '../eventstore/log-id.js';
import type { TreeSource } from '../eventstore/tree.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EvidenceGuard } from './guard.js';
import { sealFaults, type SealFault } from './holding-seal.js';
import { sealPage } from './seal-folder.js';
import { fingerprintOf, sealSchema, type Seal } from './seal.js';

const states = ['verified', 'unverified', 'newer_than_log', 'does_not_hold'] as const;

export const sealState = object(
  'SealState',
  {
    file: text('Name of the file in `seals/` of the data folder.', '2026-03-01T10-00-00.123Z.json'),
    seal: sealSchema.nullable().describe('A file for `verify.mjs`. Null: it cannot be read.'),
    key_fingerprint: text('Of the key that signed it: SHA-256, hex.', 'a3'.repeat(32)).nullable(),
    state: z
      .enum(states)
      .describe(
        '`verified`: this process has read every event up to `count` and found it intact, and signature, link and root are right. `unverified`: they are right, and the events have not all been read. `newer_than_log`: it is of more events than the log has. `does_not_hold`: see `reason`.',
      ),
    reason: text('Why it is not verified; null where it is.', 'another link is stored at its last event').nullable(),
    verified_at: time.nullable().describe('By when the events up to `count` had been read. Null: see `state`.'),
  },
  'A seal that the service has kept, compared with the log when it was asked for.',
);
type SealState = FrozenOutput<typeof sealState>;

/** How far the log is verified by the process that answers; beside the page. */
export const verifiedLog = {
  log_id: text('The name of the log for itself.', '0d7c2f0e-6f0e-4a55-9f2d-0a3b7c1d2e3f').nullable(),
  count: count.describe('Events with a link.'),
  verified_count: count.describe('Events from the first one on that this process has read and found intact.'),
  verified_at: time.nullable().describe('By when. Null: none yet, or this process does not verify the log.'),
  fault: text('Why the log cannot be verified; null: nothing is in the way.', 'disk I/O error').nullable(),
};

export interface SealsRequest {
  /** File name of the last one of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface SealStates {
  readonly items: readonly SealState[];
  readonly next_cursor?: string;
  readonly log: FrozenOutput<z.ZodObject<typeof verifiedLog>>;
}

interface Sources {
  readonly store: OpenEventStore;
  readonly source: TreeSource;
  /** Undefined where other processes write to the log. */
  readonly guard: Pick<EvidenceGuard, 'verifiedAt' | 'verifiedEvents' | 'isVerified' | 'fault'> | undefined;
  readonly folder: string;
}

/** The newest first. @throws as `sealFaults`, and what the file system throws */
export async function sealStates(sources: Sources, request: SealsRequest): Promise<SealStates> {
  const { store, source, guard, folder } = sources;
  const faultOf = await sealFaults(store, source);
  const { found, next } = await sealPage(folder, request);
  const items: SealState[] = [];
  for (const { file, seal } of found)
    items.push({ file, ...(seal === undefined ? unreadable : stateOf(seal, await faultOf(seal), guard)) });
  return { items, ...(next === undefined ? {} : { next_cursor: next }), log: await logOf(sources) };
}

const unreadable = {
  seal: null,
  key_fingerprint: null,
  state: 'does_not_hold',
  reason: 'it is no seal that can be read',
  verified_at: null,
} as const;

function stateOf(seal: Seal, fault: SealFault | undefined, guard: Sources['guard']): Omit<SealState, 'file'> {
  const about = { seal, key_fingerprint: fingerprintOf(seal.public_key) };
  const at = guard?.verifiedAt(seal.count);
  if (fault !== undefined) {
    const state = fault.isNewer === true ? 'newer_than_log' : 'does_not_hold';
    return { ...about, state, reason: fault.reason, verified_at: null };
  }
  if (at === undefined) return { ...about, state: 'unverified', reason: whyUnverified(guard), verified_at: null };
  return { ...about, state: 'verified', reason: null, verified_at: new Date(at).toISOString() };
}

function whyUnverified(guard: Sources['guard']): string {
  if (guard === undefined) return 'the service does not read a log on a server again: audience audit verify does';
  return guard.fault() ?? (guard.isVerified() ? 'the newest events are not read again yet' : 'the log is being read');
}

async function logOf({ store, source, guard }: Sources): Promise<SealStates['log']> {
  const verified_count = guard?.verifiedEvents() ?? 0;
  const at = verified_count === 0 ? undefined : guard?.verifiedAt(verified_count);
  return {
    log_id: (await readLogId(store)) ?? null,
    count: await source.count(),
    verified_count,
    verified_at: at === undefined ? null : new Date(at).toISOString(),
    fault: guard?.fault() ?? null,
  };
}
