/** Retention of e-mails in a process that folds the views: by one process at a time, again and again. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { removeFromOutbox } from '../mailer/outbox.js';
import { eraseEnded, retainedSince } from '../privacy/retention.js';
import type { Lease } from '../projector/lease.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { OpenEventStore, StoreSettings } from '../stores/stores.js';
import type { Commands } from './commands.js';
import { openLease, seldomLeaseMs } from './own-lease.js';
import { repeat } from './repeat.js';
import type { Views } from './views.js';

const pauseMs = 60_000;
const lookMs = 200;

interface RetentionOfProcess {
  readonly config: Pick<Config, 'roles' | 'retainEmails'>;
  readonly settings: StoreSettings;
  readonly folder: Pick<DataFolder, 'outbox'>;
  readonly store: OpenEventStore;
  readonly commands: Pick<Commands, 'emails'>;
  readonly views: Pick<Views, 'queries' | 'hasEmails'>;
  readonly logger: Logger;
}

/** Undefined where it is off, or left to the processes that fold the views. @throws ReadModelsUnavailableError */
export async function openRetention(options: RetentionOfProcess): Promise<{ close(): Promise<void> } | undefined> {
  const { config, settings } = options;
  if (config.retainEmails === 0 || !config.roles.has('projector')) return undefined;
  const lease = await openLease(settings, 'retention', seldomLeaseMs);
  const closing = new AbortController();
  const turns = startTurns(options, lease, closing.signal);
  return {
    async close() {
      closing.abort();
      await turns;
      await lease?.close();
    },
  };
}

async function startTurns(options: RetentionOfProcess, lease: Lease | undefined, closing: AbortSignal): Promise<void> {
  const { config, store, folder, commands, views, logger } = options;
  const pause = async (milliseconds: number, signal: AbortSignal): Promise<void> =>
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);

  async function turn(): Promise<void> {
    if (lease !== undefined && (await lease.hold(closing)) === null) return;
    const lost = new AbortController();
    lease?.onLost(() => lost.abort());
    const signal = AbortSignal.any([closing, lost.signal]);
    // Until the view has shown something, it may not exist.
    while (!views.hasEmails() && !signal.aborted) await pause(lookMs, signal);
    const before = retainedSince(config.retainEmails, Date.now());
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
        monotonic: () => performance.now(),
        pause: (milliseconds) => pause(milliseconds, signal),
        signal,
      },
      before,
    );
    if (erased > 0) logger.info({ emails: erased, before }, 'what old e-mails said was erased');
  }

  const onFault = (error: unknown): void =>
    logger.warn({ err: error }, 'some old e-mails cannot be erased: tried again');
  await repeat(turn, { pause: pauseMs, signal: closing, onFault });
}
