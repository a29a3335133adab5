/**
 * Verifies a log: computes the evidence chain again from the first event on, compares it with the links that the store keeps
 * and with a seal, and names the first event that differs. Reads events as they are stored; knows no kind of store.
 */
import { codec } from '../events/codec.js';
import {
  firstLink,
  isRedacted,
  linkAfter,
  type ChainHead,
  type LinkedEvent,
  type LinkSource,
} from '../eventstore/chain.js';
import type { EventReader, Position } from '../eventstore/event-store.js';
import { differenceAt, nowhere, type Difference } from './verify-difference.js';
import { createFindings, type Finding } from './verify-findings.js';
import { createStreamChecks } from './verify-streams.js';

/** What a seal says of a log: how many events it had, and the link of the last one in hex. */
export interface Sealed {
  readonly count: number;
  readonly head: string;
}

export interface VerifyOptions {
  readonly source: LinkSource;
  /** Events after this position are not looked at. Default: up to the end as it is then. */
  readonly until?: Position | undefined;
  readonly seal?: Sealed | undefined;
  /**
   * `chain`: links, order and what stands beside the events. `streams` (default): also that revisions and times run on in
   * each stream, which takes some 200 bytes of memory a stream.
   */
  readonly depth?: 'chain' | 'streams';
  readonly signal?: AbortSignal | undefined;
  /** After each batch, with the number of events verified so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

interface Verified {
  /** The log's name for itself, from its first event; null where that does not say. */
  readonly log_id: string | null;
  readonly count: number;
  /** Link of the last of them, hex. */
  readonly head: string;
  readonly position: Position;
  readonly event_id: string | null;
  /** Events whose personal data were replaced by their digest. */
  readonly redacted: number;
  /** Whether there were stored links to compare with. Without them, and without a seal, a log says nothing of its past. */
  readonly linked: boolean;
  /** Broken invariants: faults of the writer, not of the record. */
  readonly findings: readonly Finding[];
}

export type Verification =
  (Verified & { readonly intact: true }) | (Verified & { readonly intact: false; readonly difference: Difference });

/** @throws StoreUnavailableError, which a damaged file leads to as well; the signal's reason when it aborts. */
export async function verifyLog(options: VerifyOptions): Promise<Verification> {
  const { source, seal } = options;
  const chain = await verifyChain(options);
  if (!chain.intact) return chain;
  const difference = shortened(chain.count, seal) ?? (await damaged(source)) ?? (await misnoted(source));
  return difference === undefined ? chain : { ...chain, intact: false, difference };
}

/** The events alone, not what the store keeps beside them. @param options `after`: the chain up to there is taken for granted */
export async function verifyChain(options: VerifyOptions & { readonly after?: ChainHead }): Promise<Verification> {
  const { signal, onProgress } = options;
  const pass = createPass(options);
  for await (const events of batches(options)) {
    for (const event of events) {
      const difference = pass.take(event);
      if (difference !== undefined) return { ...pass.verified(), intact: false, difference };
    }
    onProgress?.(pass.count());
  }
  signal?.throwIfAborted();
  return { ...pass.verified(), intact: true };
}

type PassOptions = Pick<VerifyOptions, 'seal' | 'depth'> & { readonly after?: ChainHead };
type Batches = Pick<VerifyOptions, 'source' | 'until' | 'signal'> & { readonly after?: ChainHead };

async function* batches({ source, after, until, signal }: Batches): AsyncGenerator<readonly LinkedEvent[]> {
  const from = { ...(after && { after: after.position }), ...(signal && { signal }) };
  for await (const events of source.readLinked(from)) {
    if (until === undefined || (events.at(-1)?.position ?? '') < until) yield events;
    else {
      yield events.filter(({ position }) => position <= until);
      return;
    }
  }
}

function createPass({ seal, depth = 'streams', after }: PassOptions) {
  const findings = createFindings();
  const streams = depth === 'streams' ? createStreamChecks() : undefined;
  let { count, head } = after ?? { count: 0, head: firstLink };
  let last: LinkedEvent | undefined;
  let redacted = 0;
  let linked = true;
  let logId: string | null = null;
  return {
    take(event: LinkedEvent): Difference | undefined {
      const ordinal = count + 1;
      const link = linkAfter(head, ordinal, event);
      const difference =
        misplaced(event, ordinal) ??
        altered(event, { ordinal, link }) ??
        streams?.check(event, ordinal) ??
        unsealed(event, { ordinal, link, seal });
      if (difference !== undefined) return difference;
      count = ordinal;
      head = link;
      last = event;
      linked &&= event.link !== null;
      if (ordinal === 1) logId = logIdOf(event);
      if (isRedacted(event.data)) redacted += 1;
      findings.take(event);
      return undefined;
    },
    count: () => count,
    verified: (): Verified => ({
      ...{ log_id: logId, count, head, position: last?.position ?? '', event_id: last?.id ?? null },
      ...{ redacted, linked: linked && count > 0, findings: findings.all() },
    }),
  };
}

function logIdOf(first: LinkedEvent): string | null {
  try {
    const { event } = codec.decode(first);
    return event.type === 'ServiceInitialised' ? event.data.log_id : null;
  } catch {
    return null;
  }
}

export function linkSourceOf(reader: EventReader | (EventReader & LinkSource)): LinkSource {
  if ('readLinked' in reader) return reader;
  return {
    async *readLinked(options) {
      for await (const events of reader.readAll(options)) yield events.map((event) => ({ ...event, link: null }));
    },
  };
}

function misplaced(event: LinkedEvent, expected: number): Difference | undefined {
  const found = event.ordinal ?? expected;
  if (found === expected) return undefined;
  return differenceAt(event, {
    kind: 'missing',
    ordinal: expected,
    message:
      found > expected
        ? `event ${expected} is missing: event ${found} stands there`
        : `event ${found} stands where event ${expected} should`,
  });
}

interface Computed {
  readonly ordinal: number;
  readonly link: string;
}

function altered(event: LinkedEvent, { ordinal, link }: Computed): Difference | undefined {
  if (event.link === null || event.link === link) return undefined;
  const message = `event ${ordinal} is not what was written there: its link differs`;
  return differenceAt(event, { kind: 'link', ordinal, message });
}

function unsealed(
  event: LinkedEvent,
  { ordinal, link, seal }: Computed & { readonly seal: Sealed | undefined },
): Difference | undefined {
  if (seal?.count !== ordinal || seal.head === link) return undefined;
  const message = `the history up to event ${ordinal} is not the one that was sealed: it was altered and its links were computed again, or the seal is of another log`;
  return { ...differenceAt(event, { kind: 'sealed', ordinal, message }) };
}

function shortened(count: number, seal: Sealed | undefined): Difference | undefined {
  if (seal === undefined || seal.count <= count) return undefined;
  const message = `the log ends after event ${count}, the seal is of ${seal.count} events: it was shortened, or is an older copy`;
  return nowhere({ kind: 'shortened', ordinal: count + 1, message });
}

async function misnoted(source: LinkSource): Promise<Difference | undefined> {
  const stream = await source.brokenStream?.();
  if (stream === undefined) return undefined;
  const message = `the store notes another end of stream ${stream} than its events have`;
  return { ...nowhere({ kind: 'stream', ordinal: null, message }), stream };
}

async function damaged(source: LinkSource): Promise<Difference | undefined> {
  const damage = await source.damage?.();
  if (damage === undefined) return undefined;
  const message = `the events are as they were written, but the store does not find each where it should: ${damage}`;
  return nowhere({ kind: 'store', ordinal: null, message });
}
