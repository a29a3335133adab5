/** Starts the projector in a thread of its own, off the HTTP thread, and starts it again when it dies. */
import type { Frontier } from '../eventstore/tree.js';
import { startRestartingThread } from '../flow/restarting-thread.js';
import { startWorkerThread } from '../flow/worker-thread.js';
import { createAppendNotifier } from '../projector/append-notifier.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import type { Damage } from '../rebuild/damage.js';
import type { SwitchAnswer, NewStorages } from '../rebuild/switch.js';
import type { Storages } from '../projector/storage.js';
import { initialStatus, type ProjectorFault, type ProjectorStatus } from '../projector/status.js';
import type { StoreSettings } from '../stores/stores.js';
import type { FromProjector, ToProjector } from './projector-worker.js';

interface ProjectorThreadOptions {
  /** The event log, which must exist; the views are made when missing. */
  readonly settings: StoreSettings;
  /** Whether other processes may fold the views, too. */
  readonly isShared: boolean;
  /** Names this start among the processes that share the views. */
  readonly holder: string;
  readonly onProgress: (status: ProjectorStatus) => void;
  readonly onFault: (fault: ProjectorFault) => void;
  readonly onDamage: (damage: Damage) => void;
}

export type ProjectorThread = ReturnType<typeof startProjectorThread>;

const closeWithinMs = 10_000;

export function startProjectorThread(options: ProjectorThreadOptions) {
  const { settings, isShared, holder, onProgress, onFault } = options;
  // Until the thread reports that it holds the lease, others may.
  const standby = isShared;
  let status: ProjectorStatus = { ...initialStatus, standby, led: !standby };
  let reached: Frontier | undefined;
  const thread = startRestartingThread<FromProjector, ToProjector>({
    name: 'projector',
    start: (hooks) =>
      startWorkerThread(
        { name: 'projector', beside: import.meta.url },
        { ...hooks, workerData: { settings, isShared, holder } },
      ),
    onMessage: receive,
    onDied(error) {
      reached = undefined;
      appends.onRestart();
      update({ ...status, standby, caughtUp: false, fault: error });
      onFault({ kind: 'worker_died', message: `The projector's thread died: ${error}` });
    },
  });
  const appends = createAppendNotifier(() => thread.send('notify'));
  const switches = thread.requests<SwitchAnswer>((reason) => ({ outcome: 'failed', reason }));
  const scrubs = thread.requests<string | undefined>((reason) => reason);

  function update(next: ProjectorStatus): void {
    status = next;
    onProgress(status);
  }

  function receive(message: FromProjector): void {
    switch (message.type) {
      case 'fault':
        return onFault(message.fault);
      case 'switched':
        return switches.answer(message.answer);
      case 'scrubbed':
        return scrubs.answer(message.fault);
      case 'damaged':
        return options.onDamage(message.damage);
      case 'reached':
        reached = message.frontier;
        return;
      case 'progress': {
        if (message.status.folded > 0) thread.worked();
        const { parked, live, missing } = message.seldom ?? status;
        update({ ...message.status, parked, live, missing });
        return appends.onReached(status.position);
      }
      default:
        message satisfies never;
    }
  }

  return {
    /** Something was appended, up to this position. Cheap enough for every append. */
    notify: appends.onAppended,
    /** A request waits for what was appended: no batch delay. */
    flush: (): void => thread.send('flush'),
    status: (): ProjectorStatus => status,
    /** Gives up damaged storages: a rebuild builds their views. */
    discard: (storages: Storages): void => thread.send({ discard: storages }),
    /** The tree of the events that this process has followed; undefined if the log is embedded or another process follows it. */
    reached: (): Frontier | undefined => reached,
    /** Never rejects. */
    requestSwitch: (built: NewStorages): Promise<SwitchAnswer> => switches.ask(built),
    /** In the thread that also commits. @throws ReadModelsUnavailableError, see `scrub` of the port */
    async scrub(): Promise<void> {
      const fault = await scrubs.ask('scrub');
      if (fault !== undefined) throw new ReadModelsUnavailableError(fault);
    },
    /** Finishes the running batch, then ends the thread. Safe to call twice. */
    close: (): Promise<void> => thread.close(closeWithinMs),
  };
}
