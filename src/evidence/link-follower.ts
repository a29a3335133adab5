/**
 * Keeps the evidence chain of a log whose store keeps none: every event's link, computed once, as soon as the
 * event is in the log, and stored beside the views. What is altered in the log later differs from it.
 */
import { readLogId } from '../eventstore/log-id.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import {
  CommitConflictError,
  type Checkpoint,
  type Document,
  type DocumentWrite,
  type ReadModels,
  type View,
} from '../readmodels/read-models.js';
import { macOf, type SealedHead } from '../eventstore/sealed-head.js';
import {
  blockId,
  countName,
  evidenceCheckpoint,
  evidenceView,
  grown,
  keptChain,
  keptFault,
  rootsView,
  sealedHeadId,
  type KeptChain,
} from './link-blocks.js';
import { rootsPages } from './root-pages.js';
import { pause } from '../projector/batch-delay.js';
import { LeaseLostError, type Lease } from '../projector/lease.js';

export interface EvidenceOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly headKey: Uint8Array;
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
  const { reader, readModels, lease, signal, headKey, startAfter, onProgress, onFault } = options;
  let reported = '';

  async function open(): Promise<KeptChain> {
    await readModels.prepare(evidenceView);
    await readModels.prepare(rootsView);
    const chain = await keptChain(readModels);
    const { checkpoint } = chain;
    if (checkpoint !== null && (await reader.readAt(checkpoint.position))?.id !== checkpoint.eventId)
      throw new Error(`the log has another event, or none, at position ${checkpoint.position}`);
    const fault = keptFault(chain, headKey);
    if (fault !== undefined) throw new Error(fault);
    return chain;
  }

  async function extend(chain: KeptChain, events: readonly StoredEvent[], epoch: number): Promise<KeptChain> {
    const last = events.at(-1);
    if (last === undefined) return chain;
    const { blocks, head, open } = grown(chain, events);
    const logId = chain.checkpoint?.logId ?? (await readLogId(reader)) ?? '';
    const mac = macOf(headKey, { logId, ...head });
    const sealed: SealedHead = { count: head.count, head: head.head, mac };
    const next: Checkpoint = {
      logId,
      position: last.position,
      eventId: last.id,
      storages: { [countName]: head.count },
    };
    const documents = new Map<string, Document>([...blocks].map(([number, block]) => [blockId(number), block]));
    documents.set(sealedHeadId, { ...sealed });
    const writes = [
      ...(await writesOf(evidenceView, documents, last.position)),
      ...(await writesOf(rootsView, await rootsPages(readModels, blocks), last.position)),
    ];
    lease.check();
    await readModels.commit({
      writes,
      checkpoint: { name: evidenceCheckpoint, previous: chain.checkpoint, next, epoch },
    });
    reported = '';
    onProgress(head);
    return { head, checkpoint: next, open, sealed };
  }

  /** They may be there already, from a commit that was broken off before the checkpoint moved. */
  async function writesOf(
    view: View,
    documents: ReadonlyMap<string, Document>,
    position: string,
  ): Promise<DocumentWrite[]> {
    const stored = await readModels.load(view, [...documents.keys()]);
    return [...documents].map(([id, document]) => ({
      ...{ view, id, document, position },
      loaded: stored.get(id)?.position ?? null,
    }));
  }

  async function follow(epoch: number): Promise<void> {
    let chain = await open();
    onProgress(chain.head);
    let events: StoredEvent[] = [];
    for await (const message of reader.subscribe({ after: chain.head.position, signal })) {
      if (message.type === 'events') events.push(...message.events);
      if (message.type === 'events' && events.length < eventsPerCommit) continue;
      refuseOther(chain, events);
      chain = await extend(chain, events, epoch);
      events = [];
      // What comes meanwhile is committed together.
      if (message.type === 'caught_up') await pause(intervalMs, signal);
    }
  }

  function tell(error: unknown): void {
    // Another process has taken over.
    if (error instanceof CommitConflictError || error instanceof LeaseLostError) return;
    const message = error instanceof Error ? error.message : 'unexpected failure';
    if (message !== reported) onFault(`the evidence chain has stopped: ${message}`);
    reported = message;
  }

  await orAborted(startAfter, signal);
  while (!signal.aborted) {
    try {
      const epoch = await lease.hold(signal);
      if (epoch !== null) await follow(epoch);
    } catch (error) {
      if (signal.aborted) return;
      tell(error);
      await pause(retryMs, signal);
    }
  }
}

/** A commit that was broken off has left a sealed head for events that come now. */
function refuseOther(chain: KeptChain, events: readonly StoredEvent[]): void {
  const { sealed, head } = chain;
  const upToIt = (sealed?.count ?? 0) - head.count;
  if (sealed === undefined || upToIt <= 0 || upToIt > events.length) return;
  if (grown(chain, events.slice(0, upToIt)).head.head !== sealed.head)
    throw new Error(`the history up to event ${sealed.count} is not the one of the sealed head`);
}

function orAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<unknown> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) resolve();
  });
  return Promise.race([work, aborted]);
}
