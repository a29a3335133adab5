/** Starts the projector in a thread of its own, off the HTTP thread, and starts it again when it dies. */
import type { ChainHead } from '../eventstore/chain.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import type { SwitchAnswer, NewStorages } from '../rebuild/switch.js';
import { initialStatus, type ProjectorFault, type ProjectorStatus } from '../projector/status.js';
import { isShared, type StoreSettings } from '../stores/stores.js';
import type { FromProjector, ToProjector } from './projector-worker.js';
import { startWorkerThread, type WorkerThread } from '../flow/worker-thread.js';

export interface ProjectorThreadOptions {
  /** The event log, which must exist; the views are made when missing. */
  readonly settings: StoreSettings;
  /** Makes the sealed head; undefined where the log keeps its evidence itself. */
  readonly headKey?: Uint8Array | undefined;
  /** Names this start among the processes that share the views. */
  readonly holder: string;
  readonly onProgress: (status: ProjectorStatus) => void;
  readonly onFault: (fault: ProjectorFault) => void;
}

export type ProjectorThread = ReturnType<typeof startProjectorThread>;

const backOffMs = { first: 100, most: 5_000 };
const closeWithinMs = 10_000;

export function startProjectorThread(options: ProjectorThreadOptions) {
  const { settings, holder, headKey, onProgress, onFault } = options;
  // Until the thread reports that it holds the lease, others may.
  const standby = isShared(settings);
  let status: ProjectorStatus = { ...initialStatus, standby, led: !standby };
  let evidence: ChainHead | undefined;
  let worker: WorkerThread<ToProjector> | undefined;
  let restart: NodeJS.Timeout | undefined;
  let deaths = 0;
  let closing: Promise<void> | undefined;
  let asked: ((answer: SwitchAnswer) => void)[] = [];
  let scrubbing: ((fault: string | undefined) => void)[] = [];

  const update = (next: ProjectorStatus): void => {
    status = next;
    onProgress(status);
  };

  const receive = (message: FromProjector): void => {
    if (message.type === 'fault') return onFault(message.fault);
    if (message.type === 'switched') return asked.shift()?.(message.answer);
    if (message.type === 'scrubbed') return scrubbing.shift()?.(message.fault);
    if (message.type === 'evidence') {
      evidence = message.head;
      return;
    }
    if (message.status.folded > 0) deaths = 0;
    const { parked, live, missing } = message.seldom ?? status;
    update({ ...message.status, parked, live, missing });
    notify(appended);
  };

  const start = (): void => {
    worker = startWorkerThread(
      { name: 'projector', beside: import.meta.url },
      {
        workerData: { settings, holder, headKey },
        onMessage: receive,
        onExit: restartLater,
      },
    );
  };

  const restartLater = (error = 'it ended by itself'): void => {
    worker = undefined;
    notified = '';
    for (const answer of asked) answer({ outcome: 'failed', reason: `the projector's thread died: ${error}` });
    asked = [];
    for (const ended of scrubbing) ended(error);
    scrubbing = [];
    if (closing !== undefined) return;
    deaths += 1;
    update({ ...status, standby, caughtUp: false, fault: error });
    onFault({ kind: 'worker_died', message: `The projector's thread died: ${error}` });
    restart = setTimeout(start, Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(deaths - 1, 16)));
  };

  const send = (message: ToProjector): void => worker?.send(message);

  /** Positions of the last notification and of the last append. */
  let notified = '';
  let appended = '';
  /**
   * Something was appended, up to this position. Cheap enough for every append: folded at once, or under load with the next
   * batch. Sends nothing while the projector has not reached the last notification: it finds by itself what is appended meanwhile, or is notified
   * at its next report.
   */
  const notify = (position: string): void => {
    appended = position;
    if (notified > status.position || appended <= status.position) return;
    notified = appended;
    send('notify');
  };

  const stop = async (): Promise<void> => {
    clearTimeout(restart);
    await worker?.close(closeWithinMs);
  };

  start();
  return {
    notify,
    /** A request waits for what was appended: no batch delay. */
    flush: (): void => send('flush'),
    status: (): ProjectorStatus => status,
    /** How far the evidence chain has come; undefined where the log keeps it itself, or another process does. */
    evidence: (): ChainHead | undefined => evidence,
    async requestSwitch(built: NewStorages): Promise<SwitchAnswer> {
      if (worker === undefined) return { outcome: 'failed', reason: 'the projector is not running' };
      send(built);
      return await new Promise((resolve) => asked.push(resolve));
    },
    /** In the thread that also commits. @throws ReadModelsUnavailableError, see `scrub` of the port */
    async scrub(): Promise<void> {
      if (worker === undefined) throw new ReadModelsUnavailableError('the projector is not running');
      send('scrub');
      const fault = await new Promise<string | undefined>((resolve) => scrubbing.push(resolve));
      if (fault !== undefined) throw new ReadModelsUnavailableError(fault);
    },
    /** Finishes the running batch, then ends the thread. Safe to call twice. */
    close: (): Promise<void> => (closing ??= stop()),
  };
}
