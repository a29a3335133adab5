/** Steps of a start before it serves anything, so that a log that was restored from a backup undoes nothing that must last: records the restore, holds open emails and asks again for what the register has. */
import { deriveRestoredKey, keysStream } from '../events/streams.js';
import { demandLogId } from '../eventstore/log-id.js';
import { restoredMac, restoresOf, restoresToRecord } from '../integrity/restores.js';
import type { KnownSeal } from '../integrity/seal.js';
import { holdRestored } from '../mailer/hold-restored.js';
import { entriesOfKeys, reapplyRegister } from '../privacy/lasting.js';
import { openRegisters, type Register } from '../privacy/register.js';
import type { Config } from '../stores/config.js';
import { forgetRestored, type RestoredMark } from '../stores/restored.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { Commands } from './commands.js';
import type { Logs } from './logs.js';

interface LastingParts extends Pick<Logs, 'logger'> {
  readonly store: OpenEventStore;
  readonly commands: Commands;
  readonly config: Config;
  readonly secret: string;
  /** The log was restored from a backup, and its first start is not over. `demandOwnMark` has checked the mark. */
  readonly restored: RestoredMark | undefined;
  /** The newest known seal of the log. It is used only if the log was restored. */
  readonly newestSeal: Pick<KnownSeal, 'restores' | 'count' | 'root'> | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/** Each step can be repeated. If a start is killed here, the mark remains, and the next start repeats the steps. */
export async function openLasting(parts: LastingParts): Promise<Register> {
  const { restored, config } = parts;
  if (restored !== undefined) {
    await recordRestore(restored, parts);
    await holdOpenEmails(restored, parts);
  }
  const register = await openKeptRegister(parts);
  if (restored !== undefined) forgetRestored(config.dataDir);
  return register;
}

/**
 * Appends one `LogRestored`, or as many as it takes for the log to have more restores than the newest seal: a backup from
 * before an earlier restore has fewer. Appends nothing if the restore is recorded already.
 */
async function recordRestore(
  mark: RestoredMark,
  { store, commands, secret, newestSeal }: Pick<LastingParts, 'store' | 'commands' | 'secret' | 'newestSeal'>,
): Promise<void> {
  const { log_id: logId, count, root } = mark;
  const superseded = newestSeal === undefined ? null : { count: newestSeal.count, root: newestSeal.root };
  const key = deriveRestoredKey(secret);
  const recorded = (await restoresOf(store)).length;
  const macs = Array.from({ length: restoresToRecord(recorded, newestSeal?.restores) }, (_, index) => {
    const number = recorded + 1 + index;
    return { number, mac: restoredMac({ logId, number, count, root, superseded }, key) };
  });
  await commands.recordRestored(mark.event_id, { type: 'RecordRestored', count, root, superseded, macs });
}

async function holdOpenEmails(
  { log_id, count, root }: RestoredMark,
  { store, commands, clock, signal, logger }: LastingParts,
): Promise<void> {
  const onUnreadable = (stream: string): void =>
    logger.error({ stream }, 'an open email cannot be read, so it cannot be held');
  const held = await holdRestored({ reader: store, handler: commands.emails, clock, signal, onUnreadable });
  logger.warn({ log_id, count, root, held }, 'the log was restored from a backup: open emails are held');
}

/** Asks again for what the register has and the log lacks. The register then has everything that the log has. */
async function openKeptRegister({ store, commands, config, restored, logger, clock }: LastingParts): Promise<Register> {
  const register = openRegisters(config, await demandLogId(store), (error) =>
    logger.warn({ err: error }, 'the register of what must not come back cannot be copied to SEAL_DIR'),
  );
  commands.keepIn(register);
  const isThorough = restored !== undefined;
  const { erasures, keys, refusals } = await reapplyRegister(store, { config, commands, clock, isThorough });
  if (erasures.length + keys.length + refusals.length > 0)
    logger.warn(
      { erasures, keys, refusals: refusals.length },
      'the log lacked entries of the register, because it was restored from a backup or a process was killed: they are requested again',
    );
  await register.keep(entriesOfKeys((await commands.keys.fresh(keysStream)).state));
  return register;
}
