/** What a restore may not undo, and the log may lack when it was put back from a backup: it is asked for again, under its own ids. */
import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { Erasure, ErasuresState } from '../commands/erasures.js';
import type { Key, KeyCommand, KeysState } from '../commands/keys.js';
import { ServiceError } from '../errors.js';
import type { KeyEvent } from '../events/keys.js';
import { erasuresStream, keysStream } from '../events/streams.js';
import { demandLogId } from '../eventstore/log-id.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EraseOptions } from './erase.js';
import { refusalsAgain, type RefusalCommands } from './lasting-refusals.js';
import { placesOf, readRegister, type ErasureEntry, type KeyEntry, type RegisterPlaces } from './register.js';

export interface LastingCommands extends Pick<EraseOptions, 'erasures'>, RefusalCommands {
  readonly keys: Pick<CommandHandler<KeysState, KeyCommand, KeyEvent>, 'fresh' | 'execute'>;
}

interface ReapplyOptions {
  readonly config: RegisterPlaces;
  readonly commands: LastingCommands;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Ids of what was asked for again. */
interface Reapplied {
  readonly erasures: readonly string[];
  /** That were rotated or revoked. */
  readonly keys: readonly string[];
  /** Pseudonyms of those whose refused mail it was. */
  readonly refusals: readonly string[];
}

/** What the registers of the data folder and of SEAL_DIR have and the log has not is in the log when it resolves. @throws RegisterError @throws ServiceError `unavailable` */
export async function reapplyRegister(
  store: OpenEventStore,
  { config, commands, clock }: ReapplyOptions,
): Promise<Reapplied> {
  const logId = await demandLogId(store);
  const registers = placesOf(config).map((file) => readRegister(file, logId));
  const refused = registers.flatMap(({ refusals }) => refusals);
  return {
    refusals: await refusalsAgain(refused, { log: store, commands, newContext }),
    erasures: await erasuresAgain(
      registers.flatMap(({ erasures }) => erasures),
      commands,
    ),
    keys: await keysAgain(
      registers.flatMap(({ keys }) => keys),
      commands,
      clock,
    ),
  };
}

function newContext(): CommandContext {
  const id = randomUUID();
  return { correlationId: id, causationId: id, requestId: id, actor: 'service' };
}

async function erasuresAgain(
  registered: readonly ErasureEntry[],
  { erasures }: LastingCommands,
): Promise<readonly string[]> {
  if (registered.length === 0) return [];
  const missing = missingErasures(registered, (await erasures.fresh(erasuresStream)).state);
  for (const { erasure_id, subject_key, reason } of missing) {
    const command = { type: 'Request', erasure_id, subject_key, reason: reason ?? undefined } as const;
    await erasures.execute({ stream: erasuresStream, command, context: newContext() });
  }
  return missing.map(({ erasure_id }) => erasure_id);
}

/** What the log lacks, oldest first: one of each person, the newest. A later erasure of the same person in the log does for it. */
export function missingErasures<Registered extends ErasureEntry>(
  registered: readonly Registered[],
  { all }: Pick<ErasuresState, 'all'>,
): readonly Registered[] {
  const newest = new Map<string, string>();
  for (const { subject_key, requested_at } of all.values())
    if (requested_at > (newest.get(subject_key) ?? '')) newest.set(subject_key, requested_at);
  const missing = new Map<string, Registered>();
  for (const one of registered) {
    if (all.has(one.erasure_id) || one.requested_at < (newest.get(one.subject_key) ?? '')) continue;
    const other = missing.get(one.subject_key);
    if (other === undefined || other.requested_at <= one.requested_at) missing.set(one.subject_key, one);
  }
  return [...missing.values()].sort((one, other) => (one.requested_at < other.requested_at ? -1 : 1));
}

async function keysAgain(
  registered: readonly KeyEntry[],
  { keys }: LastingCommands,
  clock: () => number,
): Promise<readonly string[]> {
  if (registered.length === 0) return [];
  const { state } = await keys.fresh(keysStream);
  const missing = missingKeyChanges(registered, state);
  for (const [key, change] of missing)
    await keys
      .execute({ stream: keysStream, command: commandOf(change, key, clock()), context: newContext() })
      .catch(unlessRefused);
  return [...new Set(missing.map(([, { key_id }]) => key_id))];
}

/** Each with its key as the log has it; oldest first. A key that the log does not have opens nothing. */
export function missingKeyChanges(
  registered: readonly KeyEntry[],
  state: KeysState,
): readonly (readonly [Key, KeyEntry])[] {
  const once = new Map(registered.map((one) => [`${one.kind} ${one.key_id} ${one.at}`, one]));
  const sorted = [...once.values()].sort((one, other) => (one.at < other.at ? -1 : 1));
  return sorted.flatMap((change) => {
    const key = state.get(change.key_id);
    return key === undefined || hasHappened(change, key) ? [] : [[key, change] as const];
  });
}

function hasHappened(change: KeyEntry, { hash, rotated_at, created_at, revoked_at }: Key): boolean {
  if (change.kind === 'key_revoked') return revoked_at !== null;
  return hash === change.hash || change.at <= (rotated_at ?? created_at);
}

function commandOf(change: KeyEntry, { scopes }: Key, now: number): KeyCommand {
  const { key_id } = change;
  if (change.kind === 'key_revoked') return { type: 'Revoke', key_id, reason: 'restored' };
  const { hash, previous_until } = change;
  const granted = { granter: new Set(scopes), by: 'service', now: new Date(now).toISOString() };
  return { type: 'Rotate', key_id, hash, previous_until, ...granted };
}

/** A key that has ended is not rotated, and opens nothing. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'key_not_rotatable') throw error;
}

/** As the register has them. */
export const entriesOfErasures = ({ all }: Pick<ErasuresState, 'all'>): readonly ErasureEntry[] =>
  [...all.values()].map(entryOfErasure);

export const entryOfErasure = ({ erasure_id, subject_key, reason, requested_at }: Omit<Erasure, 'completed'>) => ({
  erasure_id,
  subject_key,
  reason,
  requested_at,
});

export const entriesOfKeys = (state: KeysState): readonly KeyEntry[] =>
  [...state.values()].flatMap(({ key_id, hash, previous, rotated_at, revoked_at }): KeyEntry[] => [
    ...(rotated_at === null || previous === null
      ? []
      : [{ kind: 'key_rotated' as const, key_id, at: rotated_at, hash, previous_until: previous.until }]),
    ...(revoked_at === null ? [] : [{ kind: 'key_revoked' as const, key_id, at: revoked_at }]),
  ]);
