/** Starts the projector in a thread of its own, off the HTTP thread, and starts it again when it dies. */
import { Worker } from 'node:worker_threads';
import type { ChainHead } from '../eventstore/chain.js';
import type { Order, OrderAnswer } from '../rebuild/projector-commands.js';
import { initialStatus, type ProjectorFault, type ProjectorStatus } from '../projector/status.js';
import type { FromProjector, ToProjector } from './projector-worker.js';
import { isShared, type StoreSettings } from '../stores/stores.js';

export interface ProjectorThreadOptions {
  /** The event log, which must exist; the views are made when missing. */
  readonly settings: StoreSettings;
  /** Names this start among the processes that share the views. */
  readonly holder: string;
  /** What it reports is visible to every connection. */
  readonly onProgress: (status: ProjectorStatus) => void;
  readonly onFault: (fault: ProjectorFault) => void;
  /** To the orders of a rebuild. Those that a dead thread was given stay without. */
  readonly onAnswer?: (answer: OrderAnswer) => void;
}

export interface ProjectorThread {
  /** Something was appended, up to this position. Cheap enough for every append: looked at at once, or under load with what comes in the next moments. */
  notify(position: string): void;
  /** Somebody waits for what was appended: no more gathering. */
  hurry(): void;
  status(): ProjectorStatus;
  /** How far the evidence chain has come; undefined where the log keeps it itself, or another process does. */
  evidence(): ChainHead | undefined;
  order(order: Order): void;
  /** Finishes the running batch, then ends the thread. Safe to call twice. */
  close(): Promise<void>;
}

const url = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/app/projector-worker.js' : './projector-worker.js',
  import.meta.url,
);
const backOffMs = { first: 100, most: 5_000 };
const closeWithinMs = 10_000;

export function startProjectorThread(options: ProjectorThreadOptions): ProjectorThread {
  const { settings, holder, onProgress, onFault, onAnswer = () => undefined } = options;
  // Until the thread says that it holds the lease, others may.
  const standby = isShared(settings);
  let status: ProjectorStatus = { ...initialStatus, standby };
  let evidence: ChainHead | undefined;
  let worker: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let deaths = 0;
  let closing: Promise<void> | undefined;

  const update = (next: ProjectorStatus): void => {
    status = next;
    onProgress(status);
  };

  const receive = (message: FromProjector): void => {
    if (message.type === 'fault') return onFault(message.fault);
    if (message.type === 'answer') return onAnswer(message.answer);
    if (message.type === 'evidence') {
      evidence = message.head;
      return;
    }
    if (message.status.folded > 0) deaths = 0;
    const { parked, live, missing } = message.seldom ?? status;
    update({ ...message.status, parked, live, missing });
    notify(grown);
  };

  const start = (): void => {
    let message = 'it ended by itself';
    const started = new Worker(url, { workerData: { settings, holder }, name: 'projector' });
    worker = started;
    started.on('message', receive);
    started.on('error', (error) => {
      message = `${error.name}: ${error.message}`;
    });
    started.on('exit', () => {
      worker = undefined;
      told = '';
      if (closing !== undefined) return;
      deaths += 1;
      update({ ...status, standby, caughtUp: false, fault: message });
      onFault({ kind: 'worker_died', message: `The projector's thread died: ${message}` });
      restart = setTimeout(start, Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(deaths - 1, 16)));
    });
  };

  const send = (message: ToProjector): void => worker?.postMessage(message);

  /** Up to where the projector has been told to look, and the log has grown. */
  let told = '';
  let grown = '';
  /** One message until the projector has come as far: what is appended meanwhile it finds by itself, or is told of then. */
  const notify = (position: string): void => {
    grown = position;
    if (told > status.position || grown <= status.position) return;
    told = grown;
    send('notify');
  };

  const stop = async (): Promise<void> => {
    clearTimeout(restart);
    const running = worker;
    if (running === undefined) return;
    const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
    send('stop');
    const timer = setTimeout(() => void running.terminate(), closeWithinMs);
    await ended;
    clearTimeout(timer);
  };

  start();
  const hurry = (): void => send('hurry');

  const order = (given: Order): void => {
    if (worker !== undefined) send(given);
    else if (given.type !== 'retire') onAnswer({ type: 'lost', id: given.id, reason: 'the projector is not running' });
  };

  return {
    notify,
    hurry,
    order,
    status: () => status,
    evidence: () => evidence,
    close: () => (closing ??= stop()),
  };
}
