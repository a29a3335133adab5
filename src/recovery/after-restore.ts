/**
 * Runs the steps of recovery before the service answers anything. The first start after a restore records the restore and holds
 * open emails. Every start brings back what the register has and the log lacks.
 */
import type { CommandHandler } from '../commands/command-handler.js';
import type { EmailCommand, EmailState } from '../commands/email.js';
import type { RecordRestored } from '../commands/service.js';
import type { EmailEvent } from '../events/email.js';
import { deriveRestoredKey } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { restoredMac, restoresOf, restoresToRecord } from '../integrity/restores.js';
import type { KnownSeal } from '../integrity/seal.js';
import { holdRestored } from '../mailer/hold-restored.js';
import type { Config } from '../stores/config.js';
import { applyRegister } from './apply-register.js';
import type { RegisterLine } from './register-line.js';
import type { RecoveryCommands } from './registered-events.js';
import { forgetRestored, type RestoredMark } from './restored-mark.js';

interface RestoreCommands extends RecoveryCommands {
  readonly emails: Pick<CommandHandler<EmailState, EmailCommand, EmailEvent>, 'execute'>;
  /** Records a restore, once. @param eventId the id of the first event */
  recordRestored(eventId: string, command: RecordRestored): Promise<void>;
}

type Log = (about: object, message: string) => void;

interface RecoveryParts {
  readonly store: Pick<EventReader, 'readAll' | 'readStream' | 'readStreams'>;
  readonly commands: RestoreCommands;
  /** Valid lines of all places of the register, each event once. */
  readonly lines: readonly RegisterLine[];
  readonly config: Pick<Config, 'dataDir'>;
  readonly secret: string;
  /** The mark of a restore whose first start is not over. `demandOwnMark` has checked the mark. */
  readonly restored: RestoredMark | undefined;
  /** The newest known seal of the log. Used only if the log was restored. */
  readonly newestSeal: Pick<KnownSeal, 'restores' | 'count' | 'root'> | undefined;
  readonly logger: { readonly info: Log; readonly warn: Log; readonly error: Log };
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/**
 * Recovers a log. Each step is idempotent. If a start is killed here, the mark remains, and the next start repeats the steps.
 * Without a mark, only the register is compared with the log.
 */
export async function recoverLog(parts: RecoveryParts): Promise<void> {
  const { restored, config } = parts;
  if (restored !== undefined) {
    await recordRestore(restored, parts);
    await holdOpenEmails(restored, parts);
  }
  await bringBack(parts);
  if (restored !== undefined) forgetRestored(config.dataDir);
}

/**
 * Appends one `LogRestored`, or more until the log has more restores than the newest seal, because a backup from before an
 * earlier restore has fewer. Appends nothing if the restore is already recorded.
 */
async function recordRestore(
  mark: RestoredMark,
  { store, commands, secret, newestSeal }: Pick<RecoveryParts, 'store' | 'commands' | 'secret' | 'newestSeal'>,
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
  { store, commands, clock, signal, logger }: RecoveryParts,
): Promise<void> {
  const onUnreadable = (stream: string): void =>
    logger.error({ stream }, 'an open email cannot be read, so it cannot be held');
  const held = await holdRestored({ reader: store, handler: commands.emails, clock, signal, onUnreadable });
  logger.warn({ log_id, count, root, held }, 'the log was restored from a backup: open emails are held');
}

/** Number of events in one entry of the service's log. `audience privacy status --json` names all. */
const mostNamed = 100;

async function bringBack({ store, commands, lines, restored, clock, logger }: RecoveryParts): Promise<void> {
  const mode = restored === undefined ? 'late' : 'restored';
  const { applied, reported } = await applyRegister(store, { lines, commands, mode, clock });
  if (applied.length > 0)
    logger.warn(
      { count: applied.length, events: summaryOf(applied) },
      'the log lacked events of the register, and they were brought back',
    );
  if (reported.length > 0)
    logger.warn(
      { count: reported.length, events: summaryOf(reported) },
      'the register has events that the log lacks and that an operator must decide on: run audience privacy status',
    );
}

const summaryOf = (lines: readonly RegisterLine[]): readonly object[] =>
  lines.slice(0, mostNamed).map(({ type, event_id, data: { erasure_id, key_id } }) => ({
    type,
    event_id,
    ...(erasure_id === undefined ? {} : { erasure_id }),
    ...(key_id === undefined ? {} : { key_id }),
  }));
