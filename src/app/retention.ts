/** Retention of e-mails as a subscriber of the processes that fold the views: one at a time, every minute. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { removeFromOutbox } from '../mailer/outbox.js';
import { eraseEnded, retainedSince } from '../privacy/retention.js';
import type { Subscriber } from '../flow/subscriber.js';
import { takeTurns } from '../flow/turns.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { Commands } from './commands.js';
import type { OpenLease } from '../stores/own-lease.js';
import type { Views } from './views.js';

const pauseMs = 60_000;
const lookMs = 200;

interface RetentionOfProcess {
  readonly config: Pick<Config, 'roles' | 'retainEmails'>;
  readonly openLease: OpenLease;
  readonly folder: Pick<DataFolder, 'outbox'>;
  readonly store: OpenEventStore;
  readonly commands: Pick<Commands, 'emails'>;
  readonly views: Pick<Views, 'queries' | 'hasShown'>;
  readonly logger: Logger;
  readonly clock: () => number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

/** Undefined where it is off, or left to the processes that fold the views. @throws ReadModelsUnavailableError */
export async function openRetention(options: RetentionOfProcess): Promise<Subscriber<'turn'> | undefined> {
  const { config, store, folder, commands, views, logger, clock, monotonic } = options;
  if (config.retainEmails === 0 || !config.roles.has('projector')) return undefined;

  async function turn(signal: AbortSignal): Promise<void> {
    const pause = async (milliseconds: number): Promise<void> =>
      await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    // Until the views have shown something, they may not exist.
    while (!views.hasShown() && !signal.aborted) await pause(lookMs);
    const before = retainedSince(config.retainEmails, clock());
    const erased = await eraseEnded(
      {
        store,
        emails: commands.emails,
        endedBefore: views.queries.emailsEndedBefore,
        removeFiles: (emailIds) => removeFromOutbox(folder.outbox, emailIds),
        newContext: () => {
          const id = randomUUID();
          return { correlationId: id, causationId: id, requestId: id, actor: 'service' };
        },
        ...{ monotonic, pause, signal },
      },
      before,
    );
    if (erased > 0) logger.info({ emails: erased, before }, 'what old e-mails said was erased');
  }

  return takeTurns({
    name: 'retention',
    lease: await options.openLease('retention'),
    ...{ pause: pauseMs, monotonic, turn },
  });
}
