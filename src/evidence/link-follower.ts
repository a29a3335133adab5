/**
 * Keeps the evidence chain of a log whose store keeps none: every event's link, computed once, right after the event was
 * read for the first time, and stored beside the views. What is altered in the log later differs from it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainHead } from '../eventstore/chain.js';
import { logStart, type EventReader, type Position, type StoredEvent } from '../eventstore/event-store.js';
import {
  CommitConflictError,
  type Checkpoint,
  type DocumentWrite,
  type ReadModels,
} from '../readmodels/read-models.js';
import {
  blockId,
  blockOf,
  countName,
  countOf,
  emptyChain,
  evidenceCheckpoint,
  evidenceView,
  grown,
  linkCharacters,
  linksPerBlock,
  type Chain,
  type EvidenceBlock,
} from './link-blocks.js';
import { LeaseLostError, type Lease } from '../projector/lease.js';
import { readLogId } from '../projector/start.js';

export interface EvidenceOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** It works from then on. Views that are filled from the first event come first: people wait for them. */
  readonly startAfter?: Promise<unknown>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** After each commit, and once what was found at the start is known. */
  readonly onProgress: (head: ChainHead) => void;
  /** Once when it stops working, not at every try. Holds no personal data. */
  readonly onFault: (message: string) => void;
}

export interface EvidenceKeeper {
  /** Events that were just read after this position, in the order of the log: they need not be read again. */
  offer(after: Position, events: readonly StoredEvent[]): void;
  /** Ends with the signal. */
  readonly ended: Promise<void>;
}

/** The log has another event, or none, where the chain ends: it was altered, shortened or exchanged. */
class EvidenceBrokenError extends Error {
  override readonly name = 'EvidenceBrokenError';
}

/** Milliseconds between two commits, and after a failure. */
const intervalMs = 1_000;
const retryMs = 5_000;
/** After this many milliseconds without an offer the log itself is read. */
const unofferedMs = 15_000;
/** At most this many events, and a page, are kept for the next commit; others are read again then. */
const mostOffered = 8_192;
const eventsPerCommit = 4_096;

export function keepEvidence(options: EvidenceOptions): EvidenceKeeper {
  const { reader, readModels, lease, signal, startAfter, now, onProgress, onFault } = options;
  let readAgainAt = -Infinity;
  let told = '';
  let offered: { readonly after: Position; readonly events: StoredEvent[] } | undefined;

  /** Of the last event that the chain is known to have. */
  let known: Position = logStart;
  let wake = (): void => undefined;

  function offer(after: Position, events: readonly StoredEvent[]): void {
    const last = events.at(-1)?.position ?? logStart;
    if (last <= known || (offered !== undefined && offered.events.length >= mostOffered)) return;
    if (offered?.events.at(-1)?.position === after) offered.events.push(...events);
    else offered = { after, events: [...events] };
    if (offered.events.length >= eventsPerCommit) wake();
  }

  /** Until the next commit is due. */
  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, intervalMs);
      signal.addEventListener('abort', done);
      wake = done;
      if (signal.aborted) done();
    });
  }

  /** What follows `position`: as offered, or read. */
  async function following(position: Position): Promise<readonly StoredEvent[]> {
    const waiting = offered;
    if (waiting === undefined && now() < readAgainAt) return [];
    if (waiting !== undefined && waiting.after <= position) {
      offered = undefined;
      return waiting.events.filter((event) => event.position > position);
    }
    const events: StoredEvent[] = [];
    for await (const page of reader.readAll({ after: position, limit: eventsPerCommit, signal })) events.push(...page);
    if (signal.aborted) return [];
    if (events.length < eventsPerCommit) readAgainAt = now() + unofferedMs;
    return events;
  }

  async function open(): Promise<Chain> {
    await readModels.prepare(evidenceView);
    const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
    if (checkpoint === null) return { head: emptyChain, checkpoint, open: '' };
    if ((await reader.readAt(checkpoint.position))?.id !== checkpoint.eventId)
      throw new EvidenceBrokenError(`the log has another event, or none, at position ${checkpoint.position}`);
    const count = countOf(checkpoint);
    const block = blockOf(count);
    const stored = await readModels.get<EvidenceBlock>(evidenceView, blockId(block));
    const open = (stored?.document.links ?? '').slice(0, (count - block * linksPerBlock) * linkCharacters);
    if (open.length !== (count - block * linksPerBlock) * linkCharacters)
      throw new EvidenceBrokenError(`the links of block ${block} are missing`);
    return { head: { count, head: open.slice(-linkCharacters), position: checkpoint.position }, checkpoint, open };
  }

  async function extend(chain: Chain, events: readonly StoredEvent[], epoch: number): Promise<void> {
    const last = events.at(-1);
    if (last === undefined) return;
    const { blocks, head, open } = grown(chain, events);
    const next: Checkpoint = {
      logId: chain.checkpoint?.logId ?? (await readLogId(reader)) ?? '',
      position: last.position,
      eventId: last.id,
      live: { [countName]: head.count },
    };
    // They may be there already, of a commit that was broken off before the checkpoint moved.
    const stored = await readModels.load(evidenceView, [...blocks.keys()]);
    const writes: DocumentWrite[] = [...blocks].map(([id, links]) => ({
      view: evidenceView,
      id,
      document: { links } satisfies EvidenceBlock,
      position: last.position,
      loaded: stored.get(id)?.position ?? null,
    }));
    lease.check();
    await readModels.commit({
      writes,
      checkpoint: { name: evidenceCheckpoint, previous: chain.checkpoint, next, epoch },
    });
    chain.head = head;
    chain.checkpoint = next;
    chain.open = open;
    known = head.position;
    told = '';
    onProgress(head);
  }

  function tell(error: unknown): void {
    // Another process has taken over.
    if (error instanceof CommitConflictError || error instanceof LeaseLostError) return;
    const message = error instanceof Error ? error.message : 'unexpected failure';
    if (message !== told) onFault(`the evidence chain has stopped: ${message}`);
    told = message;
  }

  async function run(): Promise<void> {
    await Promise.race([startAfter, whenAborted(signal)]);
    while (!signal.aborted) {
      try {
        const epoch = await lease.hold(signal);
        if (epoch === null) return;
        const chain = await open();
        known = chain.head.position;
        onProgress(chain.head);
        await keep(chain, epoch);
      } catch (error) {
        if (signal.aborted) return;
        tell(error);
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function keep(chain: Chain, epoch: number): Promise<void> {
    while (!signal.aborted) {
      const before = chain.head.count;
      await extend(chain, await following(chain.head.position), epoch);
      const isBehind = chain.head.count - before >= eventsPerCommit || (offered?.events.length ?? 0) >= eventsPerCommit;
      if (!isBehind) await pause();
    }
  }

  return { offer, ended: run() };
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) resolve();
  });

/** A reader whose subscriptions show to `offer`, too, what they yield. */
export function observed(reader: EventReader, offer: EvidenceKeeper['offer']): EventReader {
  return {
    ...reader,
    async *subscribe(options) {
      // What comes after 'now' has no place that is known before the mark.
      let after = options.after === 'now' ? undefined : options.after;
      for await (const message of reader.subscribe(options)) {
        if (message.type === 'caught_up') after = message.position;
        else {
          if (after !== undefined) offer(after, message.events);
          after = message.events.at(-1)?.position ?? after;
        }
        yield message;
      }
    },
  };
}
