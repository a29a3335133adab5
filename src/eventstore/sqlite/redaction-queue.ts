/** The main thread's end of redactions: all that wait go to the writer thread, appends in between; then the WAL is truncated, once for all. */
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../event-store.js';
import type { Redaction, RedactionAnswer, RedactionMessage } from './messages.js';

/** Streams of one message, which is one transaction: appends wait for its end. */
const streamsPerMessage = 20;
/** A reader that holds the WAL is waited for. */
const scrubbing = { everyMs: 20, forMs: 2_000 };

interface Pending extends Redaction {
  readonly resolve: (changed: number) => void;
  readonly reject: (error: unknown) => void;
}

export interface Redactions {
  redact(stream: string, through: bigint): Promise<number>;
  hear(answer: RedactionAnswer): void;
  /** The answer that is waited for will not come. */
  fail(message: string): void;
}

/** @param post to the writer thread; its answer is heard, or `fail` called */
export function createRedactions(post: (message: RedactionMessage) => void): Redactions {
  const waiting: Pending[] = [];
  let isRunning = false;
  let hear: (answer: RedactionAnswer) => void = () => undefined;

  async function ask(message: RedactionMessage): Promise<RedactionAnswer> {
    const answer = await new Promise<RedactionAnswer>((resolve) => {
      hear = resolve;
      post(message);
    });
    if (answer.type === 'not_redacted') throw new StoreUnavailableError(answer.message);
    return answer;
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await redactAll();
    isRunning = false;
  }

  async function redactAll(): Promise<void> {
    const taken: Pending[] = [];
    const changed: number[] = [];
    try {
      while (waiting.length > 0) {
        const next = waiting.splice(0, streamsPerMessage);
        taken.push(...next);
        const redactions = next.map(({ stream, through }) => ({ stream, through }));
        const answer = await ask({ type: 'redact', redactions });
        if (answer.type === 'redacted') changed.push(...answer.changed);
      }
      await scrub();
      for (const [at, { resolve }] of taken.entries()) resolve(changed[at] ?? 0);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }

  async function scrub(): Promise<void> {
    for (const end = performance.now() + scrubbing.forMs; ; await pause(scrubbing.everyMs)) {
      const answer = await ask({ type: 'scrub' });
      if (answer.type === 'scrubbed' && answer.complete) return;
      if (performance.now() >= end)
        throw new StoreUnavailableError('the events are redacted, but a reader of the event log still holds its WAL');
    }
  }

  return {
    redact: (stream, through) =>
      new Promise((resolve, reject) => {
        const bound = Math.min(Number(through), Number.MAX_SAFE_INTEGER);
        waiting.push({ stream, through: bound, resolve, reject });
        if (!isRunning) void run();
      }),
    hear: (answer) => hear(answer),
    fail: (message) => hear({ type: 'not_redacted', message }),
  };
}
