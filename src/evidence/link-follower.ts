/**
 * Keeps the evidence chain of a log whose store keeps none: every event's link, computed once, as soon as the
 * event is in the log, and stored beside the views. What is altered in the log later differs from it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
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
  /** It starts after this: views that are built from the first event come first, because people wait for them. */
  readonly startAfter?: Promise<unknown>;
  /** After each commit, and once what was found at the start is known. */
  readonly onProgress: (head: ChainHead) => void;
  /** Once when it stops working, not at every try. Holds no personal data. */
  readonly onFault: (message: string) => void;
}

/** Milliseconds between two commits once it has caught up, and after a failure. */
const intervalMs = 1_000;
const retryMs = 5_000;
const eventsPerCommit = 4_096;

export async function keepEvidence(options: EvidenceOptions): Promise<void> {
  const { reader, readModels, lease, signal, startAfter, onProgress, onFault } = options;
  let told = '';

  const pause = (milliseconds: number): Promise<void> =>
    sleep(milliseconds, undefined, { signal }).catch(() => undefined);

  async function open(): Promise<Chain> {
    await readModels.prepare(evidenceView);
    const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
    if (checkpoint === null) return { head: emptyChain, checkpoint, open: '' };
    if ((await reader.readAt(checkpoint.position))?.id !== checkpoint.eventId)
      throw new Error(`the log has another event, or none, at position ${checkpoint.position}`);
    const count = countOf(checkpoint);
    const block = blockOf(count);
    const length = (count - block * linksPerBlock) * linkCharacters;
    const stored = await readModels.get<EvidenceBlock>(evidenceView, blockId(block));
    const open = (stored?.document.links ?? '').slice(0, length);
    if (open.length !== length) throw new Error(`the links of block ${block} are missing`);
    return { head: { count, head: open.slice(-linkCharacters), position: checkpoint.position }, checkpoint, open };
  }

  async function extend(chain: Chain, events: readonly StoredEvent[], epoch: number): Promise<Chain> {
    const last = events.at(-1);
    if (last === undefined) return chain;
    const { blocks, head, open } = grown(chain, events);
    const next: Checkpoint = {
      logId: chain.checkpoint?.logId ?? (await readLogId(reader)) ?? '',
      position: last.position,
      eventId: last.id,
      storages: { [countName]: head.count },
    };
    // Blocks may be there already, from a commit that was broken off before the checkpoint moved.
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
    told = '';
    onProgress(head);
    return { head, checkpoint: next, open };
  }

  async function follow(epoch: number): Promise<void> {
    let chain = await open();
    onProgress(chain.head);
    let events: StoredEvent[] = [];
    for await (const message of reader.subscribe({ after: chain.head.position, signal })) {
      if (message.type === 'events') events.push(...message.events);
      if (message.type === 'events' && events.length < eventsPerCommit) continue;
      chain = await extend(chain, events, epoch);
      events = [];
      // What comes meanwhile is committed together.
      if (message.type === 'caught_up') await pause(intervalMs);
    }
  }

  function tell(error: unknown): void {
    // Another process has taken over.
    if (error instanceof CommitConflictError || error instanceof LeaseLostError) return;
    const message = error instanceof Error ? error.message : 'unexpected failure';
    if (message !== told) onFault(`the evidence chain has stopped: ${message}`);
    told = message;
  }

  await orAborted(startAfter, signal);
  while (!signal.aborted) {
    try {
      const epoch = await lease.hold(signal);
      if (epoch !== null) await follow(epoch);
    } catch (error) {
      if (signal.aborted) return;
      tell(error);
      await pause(retryMs);
    }
  }
}

function orAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) resolve();
  });
  return Promise.race([work, aborted]);
}
