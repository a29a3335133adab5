/** What a start does before anything is answered, so that a log that was restored from a backup undoes nothing that lasts: e-mails are held, and the register is asked for again. */
import { keysStream } from '../events/streams.js';
import { demandLogId } from '../eventstore/log-id.js';
import { holdRestored } from '../mailer/hold-restored.js';
import { entriesOfKeys, reapplyRegister } from '../privacy/lasting.js';
import { openRegisters, type Register } from '../privacy/register.js';
import type { Config } from '../stores/config.js';
import { demandOwnMark, forgetRestored, type RestoredMark } from '../stores/restored.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { Commands } from './commands.js';
import type { Logs } from './logs.js';

interface LastingParts extends Logs {
  readonly store: OpenEventStore;
  readonly commands: Commands;
  readonly config: Config;
  /** The log was restored from a backup, and its first start is not over. */
  readonly restored: RestoredMark | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/** Each step may be repeated: a start that is killed here leaves the mark, and the next one does them again. */
export async function openLasting(parts: LastingParts): Promise<Register> {
  const { restored, config } = parts;
  if (restored !== undefined) await holdOpenEmails(restored, parts);
  const register = await openKeptRegister(parts);
  if (restored !== undefined) forgetRestored(config.dataDir);
  return register;
}

async function holdOpenEmails(restored: RestoredMark, { store, commands, clock, signal, logger }: LastingParts) {
  const { count, head, log_id } = restored;
  demandOwnMark(restored, {
    logId: await demandLogId(store),
    // EventStoreDB knows no links.
    head: store.headAt === undefined ? head : store.headAt(count)?.head,
  });
  await commands.recordRestored(restored);
  const onUnreadable = (stream: string): void => logger.error({ stream }, 'an open e-mail cannot be read, nor be held');
  const held = await holdRestored({ reader: store, handler: commands.emails, clock, signal, onUnreadable });
  logger.warn({ log_id, count, head, held }, 'the log was restored from a backup: what e-mails were open are held');
}

/** What the register has and the log has not is asked for again; then the register has all that the log has. */
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
