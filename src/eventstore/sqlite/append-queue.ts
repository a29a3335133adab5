/** The main thread's end of the writer thread: queues appends, posts all that wait when the thread is free, settles them, keeps the thread alive. */
import { Worker } from 'node:worker_threads';
import { pause } from '../../flow/abort.js';
import { backOff } from '../../flow/backoff.js';
import {
  StoreUnavailableError,
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
} from '../event-store.js';
import type { Observe } from '../../flow/observe.js';
import { AlteredLogError } from '../log-source.js';
import type { Frontier } from '../tree.js';
import { validateAppend } from '../validate-append.js';
import {
  expectationNumber,
  failures,
  pack,
  settle,
  type PendingAppend,
  type FromWriter,
  type ToWriter,
  type WriterData,
} from './messages.js';
import { createRedactionQueue, type RedactionQueue } from './redaction-queue.js';
import { formatPosition } from './schema.js';

const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/eventstore/sqlite/writer.js' : './writer.js',
  import.meta.url,
);

/** Bounds of one message, which is one transaction, and of all that waits: what comes beyond is refused. */
const appendsPerMessage = 1_024;
const charactersPerMessage = 4 * 1024 * 1024;
const charactersWaiting = 128 * 1024 * 1024;
/**
 * Messages sent to the writer at a time: the one it works on, and, where this many appends wait, the next. Fewer wait until
 * it is free: each commit costs an fsync and its pages, so a few large ones cost far less than many of a few.
 */
const messagesInFlight = 2;
const appendsAhead = 256;
/** Milliseconds between two probes of a log that could not be written. */
const probeMs = 1_000;
const restartPauses = { first: 100, most: 5_000 };

interface WriteQueueOptions {
  readonly file: string;
  readonly clock: () => number;
  /** Called once when the log turns out to have other events than this service has appended. Must not throw. */
  readonly onAltered?: ((message: string) => void) | undefined;
  readonly onFault?: ((error: Error) => void) | undefined;
  readonly observe?: Observe | undefined;
}

/** The queue and its thread. `opened` settles once the file is open, or refused. */
export class WriteQueue {
  readonly opened: Promise<void>;
  readonly #options: WriteQueueOptions;
  readonly #listeners = new Set<(position: Position) => void>();
  readonly #fault = (error: Error): void => this.#options.onFault?.(error);
  readonly redactions: RedactionQueue = createRedactionQueue((message) => {
    if (this.#closing || this.#state !== 'up') this.redactions.fail('the event log is not open at present');
    else this.#worker?.postMessage(message satisfies ToWriter);
  });
  #queue: PendingAppend[] = [];
  /** The messages that the writer has, in order. */
  #posted: PendingAppend[][] = [];
  #size = 0;
  /** The tree over the committed events; undefined before the log is open. */
  #end: Frontier | undefined;
  #altered: string | undefined;
  /** Events of appends that were posted to a thread that died, so that they may have been written. */
  #lost = 0;
  #checks: (() => void)[] = [];
  #scheduled = false;
  #worker: Worker | undefined;
  /** `starting` queues, `down` refuses at once. */
  #state: 'starting' | 'up' | 'down' | 'closed' = 'starting';
  #everOpened = false;
  /** The last write failed. */
  #isRefused = false;
  #probe: NodeJS.Timeout | undefined;
  #closing = false;
  /** Restarts since the log was last open. */
  #restarts = 0;
  readonly #stop = new AbortController();
  #whenEmpty: (() => void) | undefined;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.opened = new Promise((resolve, reject) => this.#start(resolve, reject));
  }

  append(stream: string, events: readonly EventToAppend[], expectedRevision: ExpectedRevision): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const size = validateAppend(stream, events, expectedRevision);
      if (this.#closing) throw new StoreUnavailableError('the event store is closed');
      if (this.#altered !== undefined) throw new StoreUnavailableError(this.#altered);
      if (this.#state === 'down') throw new StoreUnavailableError('the event log cannot be opened at present');
      if (this.#size > 0 && this.#size + size > charactersWaiting)
        throw new StoreUnavailableError('too much waits for the disk');
      const expected = expectationNumber(expectedRevision);
      // A copy: the caller may reuse its array before this turn ends.
      this.#queue.push({ stream, events: [...events], expected, size, expectedRevision, resolve, reject });
      this.#size += size;
      if (this.#queue.length >= appendsAhead) this.#post();
      else this.#schedule();
    });
  }

  /** Whether the file is open, is the log that this service wrote, and the last write or probe succeeded. */
  get isWritable(): boolean {
    return this.#state === 'up' && !this.#isRefused && this.#altered === undefined;
  }

  /** The tree over the committed events. Undefined before the log is open. */
  get end(): Frontier | undefined {
    return this.#end;
  }

  /** Why the log cannot be trusted any more; undefined if nothing is known against it. */
  get altered(): string | undefined {
    return this.#altered;
  }

  /** Refuses all appends from now on. Does nothing if they are refused already. */
  refuse(message: string): void {
    if (this.#altered !== undefined) return;
    this.#altered = message;
    this.#refuseQueued(message);
    this.#options.onAltered?.(message);
  }

  /** Lets the writer compare the end of the file with the events that it has appended. If they differ, appends are refused from then on. */
  check(): Promise<void> {
    if (this.#state !== 'up') return Promise.resolve();
    this.#worker?.postMessage({ type: 'check' } satisfies ToWriter);
    return new Promise((resolve) => this.#checks.push(resolve));
  }

  /** Appends without an answer. */
  get waiting(): number {
    return this.#posted.reduce((sum, { length }) => sum + length, this.#queue.length);
  }

  onCommitted(listener: (position: Position) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes no more appends; resolves when those that wait are settled. */
  drain(): Promise<void> {
    this.#closing = true;
    this.#stop.abort();
    if (this.#state === 'down') this.#refuseQueued('the event store is closed');
    const drained = new Promise<void>((resolve) => (this.#whenEmpty = resolve));
    this.#settled();
    return drained;
  }

  /** Ends the thread, which first checkpoints the WAL. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stop.abort();
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    this.#state = 'closed';
    worker.postMessage({ type: 'close' } satisfies ToWriter);
    await ended;
  }

  #start(opened: () => void, refused: (error: Error) => void): void {
    this.#state = 'starting';
    const { file } = this.#options;
    const committed = this.#end;
    const expected = committed && { committed, most: committed.count + this.#lost };
    const worker = new Worker(workerUrl, {
      workerData: { file, expected } satisfies WriterData,
      name: 'event-log-writer',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker = worker;
    let reason: Error | undefined;
    worker.on('message', (message: FromWriter) => {
      if (message.type === 'opened') {
        this.#state = this.#state === 'closed' ? 'closed' : 'up';
        this.#everOpened = true;
        this.#end = message.end;
        this.#lost = 0;
        this.#restarts = 0;
        // A probe may have ended the previous thread.
        if (this.#isRefused) this.#probeLater();
        this.#schedule();
        opened();
      } else if (message.type === 'refused') reason = new StoreUnavailableError(message.message);
      else if (message.type === 'altered' && this.#state === 'starting') {
        reason = new AlteredLogError(message.message);
        if (this.#everOpened) this.refuse(message.message);
      } else this.#hear(message);
    });
    worker.on('error', (error: Error) => (reason = error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const error = reason ?? new StoreUnavailableError('the event-log writer ended');
      refused(error);
      this.#ended(error);
    });
  }

  #hear(message: Exclude<FromWriter, { type: 'opened' | 'refused' }>): void {
    switch (message.type) {
      case 'committed': {
        this.#isRefused = false;
        const committed = this.#takePosted();
        this.#options.observe?.commit({ appends: committed.length, milliseconds: message.milliseconds });
        if (message.end !== undefined) {
          this.#end = message.end;
          this.#tell(formatPosition(message.end.count));
        }
        this.#post();
        settle(committed, message.outcomes);
        return this.#settled();
      }
      case 'failed': {
        const Failed = failures[message.how];
        this.#isRefused = true;
        this.#probeLater();
        // An append that is in doubt may have been written.
        this.#end = message.end;
        const refused = this.#takePosted();
        this.#options.observe?.commit({ appends: refused.length, milliseconds: undefined });
        for (const waiting of refused) waiting.reject(new Failed(message.message));
        this.#fault(new Failed(message.message));
        this.#schedule();
        return this.#settled();
      }
      case 'probed':
        this.#isRefused &&= !message.isWritable;
        if (this.#isRefused) this.#probeLater();
        return;
      case 'redacted':
      case 'scrubbed':
      case 'not_redacted':
        return this.redactions.hear(message);
      case 'altered':
        return this.refuse(message.message);
      case 'checked':
        return this.#checks.shift()?.();
      case 'fault':
        this.#fault(new Error(message.message));
        return;
      default:
        message satisfies never;
    }
  }

  /** Finds out that the disk accepts writes again, because without requests there is no append. */
  #probeLater(): void {
    clearTimeout(this.#probe);
    const probe = (): void => {
      if (!this.#isRefused || this.#closing) return;
      if (this.#state === 'up') this.#worker?.postMessage({ type: 'probe' } satisfies ToWriter);
      else this.#probeLater();
    };
    this.#probe = setTimeout(probe, probeMs).unref();
  }

  #takePosted(): PendingAppend[] {
    const taken = this.#posted.shift() ?? [];
    for (const { size } of taken) this.#size -= size;
    return taken;
  }

  #settled(): void {
    if (this.#queue.length + this.#posted.length > 0) return;
    this.#whenEmpty?.();
    this.#whenEmpty = undefined;
  }

  /** Appends of one turn of the event loop go out together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#post();
    });
  }

  /** All that waits, up to the bounds of a message, unless the writer has enough. */
  #post(): void {
    if (this.#state !== 'up' || !this.#hasRoom() || this.#queue.length === 0) return;
    let size = 0;
    const last = this.#queue.findIndex((waiting) => (size += waiting.size) >= charactersPerMessage);
    const message = this.#queue.splice(0, last < 0 ? appendsPerMessage : Math.min(last + 1, appendsPerMessage));
    this.#posted.push(message);
    const recordedAt = new Date(this.#options.clock()).toISOString();
    this.#worker?.postMessage(pack(message, recordedAt) satisfies ToWriter);
  }

  #hasRoom(): boolean {
    const { length } = this.#posted;
    return length === 0 || (length < messagesInFlight && this.#queue.length >= appendsAhead);
  }

  /** The thread is gone, and with it the answers to what was posted; what was only queued waits for its successor. */
  #ended(error: Error): void {
    for (const resolve of this.#checks.splice(0)) resolve();
    this.#leaveInDoubt(error);
    this.redactions.fail(`the event-log writer ended: ${error.message}`);
    if (this.#state === 'closed') return this.#settled();
    const neverOpened = this.#state === 'starting';
    if (neverOpened || this.#closing) this.#refuseQueued(error.message);
    this.#state = neverOpened ? 'down' : 'starting';
    this.#settled();
    // Where the log could not be opened in the first place, the opener decides what to do.
    if (!this.#everOpened) return;
    this.#fault(error);
    if (!this.#closing && this.#altered === undefined) void this.#restart();
  }

  #leaveInDoubt(error: Error): void {
    while (this.#posted.length > 0)
      for (const waiting of this.#takePosted()) {
        this.#lost += waiting.events.length;
        waiting.reject(new failures.in_doubt(`the event-log writer ended: ${error.message}`, { cause: error }));
      }
  }

  async #restart(): Promise<void> {
    await pause(backOff(this.#restarts, restartPauses), this.#stop.signal);
    this.#restarts += 1;
    if (this.#stop.signal.aborted) {
      this.#refuseQueued('the event store is closed');
      return this.#settled();
    }
    // Closed in the same turn in which the pause ended: the lock may be gone already.
    if (this.#closing) return;
    this.#start(ignore, ignore);
  }

  #refuseQueued(message: string): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const { size, reject } of queue) {
      this.#size -= size;
      reject(new StoreUnavailableError(message));
    }
  }

  #tell(position: Position): void {
    for (const listener of this.#listeners) {
      try {
        listener(position);
      } catch (error) {
        this.#fault(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}

const ignore = (): void => undefined;
