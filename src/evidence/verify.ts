/**
 * Verifies a log: computes the evidence chain again from the first event on, compares it with the links that the store keeps
 * and with seals, and says where the log differs. Reads events as they are stored; knows no kind of store.
 */
import { logIdIn } from '../eventstore/log-id.js';
import {
  firstLink,
  fromHex,
  isRedacted,
  leafOf,
  linkOf,
  toHex,
  type ChainHead,
  type Hash,
  type LinkedEvent,
} from '../eventstore/chain.js';
import type { LinkSource } from '../eventstore/link-source.js';
import type { EventReader, Position } from '../eventstore/event-store.js';
import { blockOf, createGrowingTree, eventsPerBlock } from '../eventstore/tree.js';
import { differenceAt, nowhere, type Difference } from './verify-difference.js';
import { createFindings, createStreamChecks, type Finding } from './verify-findings.js';
import { openHeadCheck, type HeadResult } from './verify-head.js';
import { restoreIn } from './restores.js';
import { createSealChecks, type SealContent } from './verify-seals.js';

export interface VerifyOptions {
  readonly source: LinkSource;
  /** Events after this position are not looked at. Default: up to the end as it is then. */
  readonly until?: Position | undefined;
  readonly seals?: readonly SealContent[] | undefined;
  /** Undefined: the sealed head is not looked at. Without the key, which comes from the secret, its MAC is not checked. */
  readonly sealedHead?: { readonly key: Uint8Array | undefined } | undefined;
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
  readonly head: string;
  /** Root of the tree over all of them, hex; null where there are none, or not all were read. */
  readonly root: string | null;
  readonly position: Position;
  readonly event_id: string | null;
  /** Events whose personal data were replaced by their digest. */
  readonly redacted: number;
  /** Whether there were stored links to compare with. Without them, and without a seal, a log says nothing of its past. */
  readonly linked: boolean;
  /** Null: it was not looked at. */
  readonly sealed_head: HeadResult | null;
  /** The newest of the given seals that holds, of those that were reached. */
  readonly holding: SealContent | null;
  /** Broken invariants: faults of the writer, not of the record. */
  readonly findings: readonly Finding[];
}

export type Verification =
  (Verified & { readonly intact: true }) | (Verified & { readonly intact: false; readonly difference: Difference });

/** Whether the log is still the one that was sealed, up to the end of this seal. Null: that is not known. */
export function sealHolds(verification: Verification, { log_id, count }: SealContent): boolean | null {
  const { log_id: logId, intact, holding } = verification;
  if (log_id !== logId) return false;
  if (intact || (holding !== null && count <= holding.count)) return true;
  const { kind, until } = verification.difference;
  return kind === 'sealed' && until === count ? false : null;
}

/** @throws StoreUnavailableError, which a damaged file leads to as well; the signal's reason when it aborts. */
export async function verifyLog(options: VerifyOptions): Promise<Verification> {
  const { source } = options;
  const head = await openHeadCheck(source, options.sealedHead);
  const roots = await keptRoots(source);
  const pass = createPass({ ...options, roots: roots.found, sealedCount: head.sealed?.count });
  const chain = await run(pass, { ...options, until: options.until ?? head.end?.position });
  const result = { ...chain, sealed_head: head.result };
  if (!result.intact) return result;
  const { log_id: logId, count } = result;
  const looks: readonly (() => Difference | undefined | Promise<Difference | undefined>)[] = [
    () => pass.shortened(),
    () => head.difference({ logId: logId ?? '', count, kept: roots.events, linkThere: pass.linkAtSealed() }),
    () => damaged(source),
    () => misnoted(source),
    () => wrongTree(pass.wrongBlock() ?? roots.fault),
  ];
  for (const look of looks) {
    const difference = await look();
    if (difference !== undefined) return { ...result, intact: false, difference };
  }
  return result;
}

/** The roots of complete blocks, of as many events as the store has in its tree. */
async function keptRoots({ tree }: LinkSource) {
  const events = (await tree?.count()) ?? 0;
  const blocks = Math.floor(events / eventsPerBlock);
  const found = (await tree?.blockRoots(blocks)) ?? [];
  return { events, found, fault: found.length < blocks ? 'roots of complete blocks are missing' : undefined };
}

/** The events alone, not what the store keeps beside them. @param options `after`: the chain up to there is taken for granted */
export const verifyChain = (options: VerifyOptions & { readonly after?: ChainHead }): Promise<Verification> =>
  run(createPass(options), options);

async function run(pass: Pass, options: VerifyOptions & { readonly after?: ChainHead }): Promise<Verification> {
  const { signal, onProgress } = options;
  for await (const events of batches(options)) {
    for (const event of events) {
      const difference = pass.take(event);
      if (difference !== undefined) return { ...pass.verified(), intact: false, difference };
    }
    onProgress?.(pass.count());
  }
  signal?.throwIfAborted();
  const difference = pass.unsealed();
  return difference === undefined
    ? { ...pass.verified(), intact: true }
    : { ...pass.verified(), intact: false, difference };
}

interface PassOptions extends Pick<VerifyOptions, 'seals' | 'depth'> {
  readonly after?: ChainHead;
  readonly roots?: readonly Hash[];
  readonly sealedCount?: number | undefined;
}
type Pass = ReturnType<typeof createPass>;
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

function createPass({ seals = [], depth = 'streams', after, roots = [], sealedCount }: PassOptions) {
  const findings = createFindings();
  const sealed = createSealChecks(seals);
  const streams = depth === 'streams' ? createStreamChecks() : undefined;
  const tree = after === undefined ? createGrowingTree() : undefined;
  let count = after?.count ?? 0;
  let head = fromHex(after?.head ?? firstLink);
  let last: LinkedEvent | undefined;
  let redacted = 0;
  let linked = true;
  let logId: string | null = null;
  let linkAtSealed: Hash | undefined;

  let wrongBlock: string | undefined;

  function addToTree(leaf: Hash): void {
    const root = tree?.add(leaf);
    if (root !== undefined && root !== (roots[blockOf(count)] ?? root))
      wrongBlock ??= `the kept root of the block that ends with event ${count} is not that of its events`;
  }

  return {
    take(event: LinkedEvent): Difference | undefined {
      const ordinal = count + 1;
      const leaf = leafOf(ordinal, event);
      const link = linkOf(head, leaf);
      const difference =
        misplaced(event, ordinal) ?? altered(event, { ordinal, link }) ?? streams?.check(event, ordinal);
      // Of two differences the one that may lie further back.
      if (difference !== undefined) return sealed.difference() ?? difference;
      count = ordinal;
      head = link;
      last = event;
      linked &&= event.link !== null;
      if (ordinal === 1) logId = nameIn(event);
      const hasDigest = isRedacted(event.data);
      if (hasDigest) redacted += 1;
      findings.take(event, hasDigest);
      if (count === sealedCount) linkAtSealed = head;
      addToTree(leaf);
      sealed.restored(restoreIn(event));
      sealed.take({ logId, count, link, root: () => tree?.root() });
      return sealed.foreign();
    },
    count: () => count,
    unsealed: () => sealed.difference(),
    shortened: () => sealed.shortened(count),
    linkAtSealed: () => linkAtSealed && toHex(linkAtSealed),
    wrongBlock: () => wrongBlock,
    verified: (): Verified => ({
      ...{ log_id: logId, count, head: toHex(head), root: hexOr(tree?.root()) },
      ...{ position: last?.position ?? '', event_id: last?.id ?? null },
      ...{ redacted, linked: linked && count > 0, sealed_head: null, holding: sealed.holding() ?? null },
      findings: findings.all(),
    }),
  };
}

const nameIn = (first: LinkedEvent): string | null => logIdIn(first) || null;
const hexOr = (hash: Hash | undefined): string | null => (hash === undefined ? null : toHex(hash));

const wrongTree = (message: string | undefined): Difference | undefined =>
  message === undefined
    ? undefined
    : nowhere({
        kind: 'tree',
        ordinal: null,
        message: `${message}: the events are as they were written, but nothing can be proven with it`,
      });

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

function altered(
  event: LinkedEvent,
  { ordinal, link }: { readonly ordinal: number; readonly link: Hash },
): Difference | undefined {
  if (event.link === null || event.link === toHex(link)) return undefined;
  const message = `event ${ordinal} does not fit its link: it, its link or something before it was altered`;
  return differenceAt(event, { kind: 'link', ordinal, message });
}

async function misnoted(source: LinkSource): Promise<Difference | undefined> {
  const stream = await source.brokenStream?.();
  if (stream === undefined) return undefined;
  const message = `the store notes another end of stream ${stream} than its events have: events at its end were cut off, or put there`;
  return { ...nowhere({ kind: 'stream', ordinal: null, message }), stream };
}

async function damaged(source: LinkSource): Promise<Difference | undefined> {
  const damage = await source.damage?.();
  if (damage === undefined) return undefined;
  const message = `the events are as they were written, but the store does not find each where it should: ${damage}`;
  return nowhere({ kind: 'store', ordinal: null, message });
}
