/** The main thread's end of redactions: all that wait go to the writer thread, appends in between; then the WAL is truncated, once for all. */
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailableError } from '../event-store.js';
import type { Redaction, RedactionAnswer, RedactionMessage } from './messages.js';

/** Streams of one message, which is one transaction. */
const streamsPerMessage = 20;
/** A reader that holds the WAL is waited for. */
const scrubbing = { everyMs: 20, forMs: 2_000 };

interface Pending extends Redaction {
  from: number;
  changed: number;
  readonly resolve: (changed: number) => void;
  readonly reject: (error: unknown) => void;
}

export interface RedactionQueue {
  redact(stream: string, through: bigint): Promise<number>;
  hear(answer: RedactionAnswer): void;
  /** The writer thread is gone: the answer will not come. */
  fail(message: string): void;
}

/** @param post to the writer thread; then `hear` is called with its answer, or `fail` */
export function createRedactionQueue(post: (message: RedactionMessage) => void): RedactionQueue {
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
    const taken = new Set<Pending>();
    try {
      while (waiting.length > 0) {
        const some = waiting.splice(0, streamsPerMessage);
        for (const one of some) taken.add(one);
        const redactions = some.map(({ stream, from, through }) => ({ stream, from, through }));
        waiting.unshift(...unfinished(some, await ask({ type: 'redact', redactions })));
      }
      await scrub();
      for (const { resolve, changed } of taken) resolve(changed);
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
        waiting.push({ stream, from: 0, through: bound, changed: 0, resolve, reject });
        if (!isRunning) void run();
      }),
    hear: (answer) => hear(answer),
    fail: (message) => hear({ type: 'not_redacted', message }),
  };
}

/** Those of which there is more to do. */
const unfinished = (some: readonly Pending[], answer: RedactionAnswer): readonly Pending[] =>
  some.filter((one, at) => {
    const done = answer.type === 'redacted' ? answer.redacted[at] : undefined;
    one.changed += done?.changed ?? 0;
    one.from = done?.next ?? one.from;
    return done?.next !== undefined;
  });
