/** What a restore may not undo, and the log may lack when it was put back from a backup: it is asked for again, under its own ids. */
import { randomUUID } from 'node:crypto';
import { serviceContext, type CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { Erasure, ErasuresState } from '../commands/erasures.js';
import type { Key, KeyCommand, KeysState } from '../commands/keys.js';
import { ServiceError } from '../errors.js';
import type { KeyEvent } from '../events/keys.js';
import { erasuresStream, keysStream } from '../events/streams.js';
import { demandLogId } from '../eventstore/log-id.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EraseOptions } from './erase.js';
import { refuseAgain, type RefusalCommands } from './lasting-refusals.js';
import { missingInLog } from './missing.js';
import { placesOf, readRegister, type ErasureEntry, type KeyEntry, type RegisterPlaces } from './register.js';

export interface LastingCommands extends Pick<EraseOptions, 'erasures'>, RefusalCommands {
  readonly keys: Pick<CommandHandler<KeysState, KeyCommand, KeyEvent>, 'fresh' | 'execute'>;
}

interface ReapplyOptions {
  readonly config: RegisterPlaces;
  readonly commands: LastingCommands;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Compares what each person refused, and not only the end of each register. */
  readonly isThorough: boolean;
}

/** Ids of what was asked for again. */
interface Reapplied {
  readonly erasures: readonly string[];
  /** That were rotated or revoked. */
  readonly keys: readonly string[];
  /** Pseudonyms of those whose refused mail it was. */
  readonly refusals: readonly string[];
}

/** What the registers of the data folder and of SEAL_DIR have and the log has not is in the log when it resolves. @throws RegisterError @throws ServiceError `unavailable` @throws StoreUnavailableError */
export async function reapplyRegister(
  store: OpenEventStore,
  { config, commands, clock, isThorough }: ReapplyOptions,
): Promise<Reapplied> {
  const logId = await demandLogId(store);
  const registers = placesOf(config).map((file) => readRegister(file, logId));
  const { erasures, keys, refusals } = await missingInLog(store, registers, { isThorough });
  for (const entry of [...refusals.values()].flat()) await refuseAgain(entry, commands, newContext());
  for (const entry of erasures) await eraseAgain(entry, commands);
  for (const [key, change] of keys) await changeAgain(commandOf(change, key, clock()), commands);
  return {
    erasures: erasures.map(({ erasure_id }) => erasure_id),
    keys: [...new Set(keys.map(([{ key_id }]) => key_id))],
    refusals: [...refusals.keys()],
  };
}

const newContext = (): CommandContext => serviceContext(randomUUID());

async function eraseAgain({ erasure_id, subject_key, reason }: ErasureEntry, { erasures }: LastingCommands) {
  const command = { type: 'Request', erasure_id, subject_key, reason: reason ?? undefined } as const;
  await erasures.execute({ stream: erasuresStream, command, context: newContext() });
}

/** A key that has ended is not rotated, and opens nothing. */
async function changeAgain(command: KeyCommand, { keys }: LastingCommands): Promise<void> {
  await keys.execute({ stream: keysStream, command, context: newContext() }).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.code !== 'key_not_rotatable') throw error;
  });
}

function commandOf(change: KeyEntry, { scopes }: Key, now: number): KeyCommand {
  const { key_id } = change;
  if (change.kind === 'key_revoked') return { type: 'Revoke', key_id, reason: 'restored' };
  const { hash, previous_until } = change;
  const granted = { granter: new Set(scopes), by: 'service', now: new Date(now).toISOString() };
  return { type: 'Rotate', key_id, hash, previous_until, ...granted };
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
