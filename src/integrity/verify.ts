/**
 * Verifies a log: recomputes its tree from the first event on, compares it with the stored block roots and with seals, and
 * checks that each stream is in order. Reads events as they are stored and knows no kind of store.
 */
import type { KeyObject } from 'node:crypto';
import type { Position } from '../eventstore/event-store.js';
import { digestsIn, leafOf, toHex, type Hash } from '../eventstore/leaf.js';
import { logIdIn } from '../eventstore/log-id.js';
import type { LogSource, NumberedEvent } from '../eventstore/log-source.js';
import { blockOf, createGrowingTree, eventsPerBlock, type GrowingTree } from '../eventstore/tree.js';
import { pause } from '../flow/abort.js';
import { judgeSeal, type ComparedSeal, type Judgement } from './compare-seals.js';
import {
  createFindings,
  createStreamChecks,
  differenceAt,
  nowhere,
  type Difference,
  type Finding,
} from './findings.js';
import { checkedRestores, restoreIn, type CheckedRestore, type Restore } from './restores.js';
import type { KnownSeal } from './seal.js';

export interface VerifyOptions<SomeSeal extends KnownSeal = KnownSeal> {
  readonly source: LogSource;
  /** Seals whose signature has been checked. */
  readonly seals?: readonly SomeSeal[];
  /** Key of the MAC of restores; undefined if the secret is not at hand. */
  readonly restoredKey?: KeyObject | undefined;
  /** Ignores events after this position. Default: reads to the end. */
  readonly until?: Position | undefined;
  /** Largest share of one core to use, above 0. Default: 1. */
  readonly share?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch with the number of events so far. */
  readonly onProgress?: ((events: number) => void) | undefined;
}

export interface Verification<SomeSeal extends KnownSeal = KnownSeal> {
  /** From the first event; null if that does not name the log. */
  readonly log_id: string | null;
  readonly count: number;
  /** Root of the tree over all events, hex. Null if the log is empty. */
  readonly root: string | null;
  /** Position of the last event; empty if the log is empty. */
  readonly position: Position;
  /** Number of events whose personal data were replaced by digests. */
  readonly redacted: number;
  readonly restores: readonly VerifiedRestore[];
  readonly seals: readonly ComparedSeal<SomeSeal>[];
  /** The seal of the most events that holds; null if none does. */
  readonly holding: SomeSeal | null;
  /** Broken invariants: faults of a writer, not signs of an alteration. */
  readonly findings: readonly Finding[];
  readonly intact: boolean;
  /** At most 100, in the order in which they were found. */
  readonly differences: readonly Difference[];
  /** The first difference; null if the log is intact. */
  readonly difference: Difference | null;
}

type VerifiedRestore = Omit<CheckedRestore, 'mac'> & { readonly ordinal: number };

const mostDifferences = 100;

/** @throws StoreUnavailableError also if the file is damaged; the reason of the signal if it aborts */
export async function verifyLog<SomeSeal extends KnownSeal>(
  options: VerifyOptions<SomeSeal>,
): Promise<Verification<SomeSeal>> {
  const { source, seals = [], restoredKey } = options;
  const pass = createPass(seals, await storedRoots(source));
  // 1. Read
  await readThrough(pass, options);
  // 2. Compare
  const restores = await pass.restores(source, restoredKey);
  const compared = pass.compareSeals(restores.recorded);
  const fault = await source.storeFault?.();
  const shortened = options.until === undefined ? pass.endBeforeBlocks() : undefined;
  const differences = [
    ...pass.differences(),
    ...(shortened === undefined ? [] : [shortened]),
    ...restores.differences,
    ...compared.flatMap(({ difference }) => difference ?? []),
    ...(fault === undefined ? [] : [nowhere('store', `the store is damaged: ${fault}`)]),
  ].slice(0, mostDifferences);
  const [first = null] = differences;
  return {
    ...pass.verified(),
    restores: restores.verified,
    seals: compared.map(({ seal, state, reason }) => ({ seal, state, reason })),
    holding: compared.filter(({ state }) => state === 'holds').at(-1)?.seal ?? null,
    intact: first === null,
    differences,
    difference: first,
  };
}

/** Feeds the events up to `until` to the pass. */
async function readThrough(pass: ReturnType<typeof createPass>, options: VerifyOptions): Promise<void> {
  const { source, until, share = 1, signal, onProgress } = options;
  const rest = restBetween({ share, signal });
  for await (const events of source.readEvents(signal && { signal })) {
    const wanted = until === undefined ? events : events.filter(({ position }) => position <= until);
    for (const event of wanted) pass.take(event);
    onProgress?.(pass.count());
    if (wanted.length < events.length) break;
    await rest();
  }
  signal?.throwIfAborted();
}

/** How much of a core a long read may use. */
export interface ReadPace {
  /** Largest share of one core, above 0. */
  readonly share: number;
  /** Ends the read when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts when a caller waits for the result. From then on, the read does not pause. */
  readonly urgent?: AbortSignal | undefined;
}

/** Returns a function that pauses after each batch. @throws the reason of the signal if it aborts */
export function restBetween({ share, signal, urgent }: ReadPace): () => Promise<void> {
  const woken = AbortSignal.any([signal, urgent].filter((one) => one !== undefined));
  let startedAt = performance.now();
  return async () => {
    // Whole milliseconds, because a timer cuts off fractions.
    const rest = Math.ceil((performance.now() - startedAt) * (1 / share - 1));
    if (rest > 0 && !woken.aborted) await pause(rest, woken);
    signal?.throwIfAborted();
    startedAt = performance.now();
  };
}

async function storedRoots({ tree }: LogSource): Promise<readonly Hash[]> {
  if (tree === undefined) return [];
  const blocks = Math.floor((await tree.count()) / eventsPerBlock);
  const roots = await tree.blockRoots(blocks);
  return roots.length < blocks ? [...roots, ''] : roots;
}

function createPass<SomeSeal extends KnownSeal>(seals: readonly SomeSeal[], roots: readonly Hash[]) {
  const findings = createFindings();
  const streams = createStreamChecks();
  const tree = createGrowingTree();
  const differences: Difference[] = [];
  const restores: RecordedRestore[] = [];
  const sealedCounts = new Set(seals.map(({ count }) => count));
  const reached = new Map<number, { readonly root: string | undefined; readonly restores: number }>();
  let last: NumberedEvent | undefined;
  /** Difference between the numbers that the store gives the events and their places. */
  let shift = 0;
  let redacted = 0;
  let logId: string | null = null;
  let wrongBlocks = 0;

  const differ = (difference: Difference | undefined): void => {
    if (difference !== undefined && differences.length < mostDifferences) differences.push(difference);
  };

  function compareBlock(root: Hash | undefined, ordinal: number): void {
    if (root === undefined) return;
    const stored = roots[blockOf(ordinal)];
    if (stored === undefined || stored === root) return;
    wrongBlocks += 1;
    // An altered first event shifts nothing, but a removed event shifts all blocks after it.
    if (wrongBlocks > 3) return;
    const first = ordinal - eventsPerBlock + 1;
    const message =
      stored === ''
        ? `the root of the block of events ${first} to ${ordinal} is missing`
        : `the stored root of the block of events ${first} to ${ordinal} is not the root of these events: one of them or the root was altered`;
    differ({ ...nowhere('block', message), ordinal: first, until: ordinal });
  }

  return {
    take(event: NumberedEvent): void {
      const ordinal = tree.count() + 1;
      const found = event.ordinal ?? ordinal;
      // A removed event shifts all events after it, which is one difference.
      if (found !== ordinal + shift) differ(misplaced(event, ordinal, ordinal + shift));
      shift = found - ordinal;
      differ(streams.check(event, ordinal));
      const rootBefore = event.type === 'LogRestored' ? tree.root() : undefined;
      const restore = restoreIn(event, restores.length + 1);
      if (restore !== undefined) restores.push({ restore, ordinal, root: rootBefore });
      const { digested, hasDigest } = digestsIn(event.data);
      compareBlock(tree.add(leafOf(ordinal, event, digested)), ordinal);
      last = event;
      if (ordinal === 1) logId = logIdIn(event) || null;
      if (hasDigest) redacted += 1;
      findings.take(event, hasDigest);
      if (sealedCounts.has(ordinal)) reached.set(ordinal, { root: rootIn(tree), restores: restores.length });
    },
    count: () => tree.count(),
    differences: (): readonly Difference[] => differences,

    /** Returns a difference if the log ends before the last stored block. */
    endBeforeBlocks(): Difference | undefined {
      const count = tree.count();
      const stored = roots.length * eventsPerBlock;
      if (stored <= count) return undefined;
      const message = `the log ends after event ${count}, but blocks of ${stored} events are stored: the log was shortened, or is an older copy`;
      return { ...nowhere('shortened', message), ordinal: count + 1 };
    },

    /** Checks root, place and MAC of each recorded restore. */
    async restores(source: LogSource, key: KeyObject | undefined) {
      const found = checkedRestores(
        restores.map(({ restore }) => restore),
        { logId: logId ?? '', key },
      );
      const wrong: Difference[] = [];
      const verified: VerifiedRestore[] = [];
      for (const [index, place] of withRoots(restores).entries()) {
        const restore = found[index];
        if (restore === undefined) break;
        const { mac: _, ...shown } = restore;
        verified.push({ ...shown, ordinal: place.ordinal });
        const reason = await wrongIn(restore, { ...place, source });
        if (reason !== undefined) wrong.push(differenceIn(restore, place.ordinal, reason));
      }
      return { differences: wrong, verified, recorded: wrong.length === 0 ? found : [] };
    },

    /** Compares the seals, those of the fewest events first, so that a failing one names the last one that holds. */
    compareSeals(recorded: readonly CheckedRestore[]) {
      const log = { logId: logId ?? undefined, count: tree.count(), restores: recorded };
      let holding: KnownSeal | undefined;
      return [...seals]
        .sort((one, other) => one.count - other.count)
        .map((seal) => {
          const judgement = judgeSeal(seal, log, reached.get(seal.count));
          if (judgement.state === 'holds') holding = seal;
          if (judgement.state !== 'fails') return { seal, ...judgement, difference: undefined };
          const difference = differenceOf(judgement, seal, holding);
          return { seal, state: judgement.state, reason: difference.message, difference };
        });
    },

    verified() {
      return {
        log_id: logId,
        count: tree.count(),
        root: rootIn(tree) ?? null,
        position: last?.position ?? '',
        redacted,
        findings: findings.all(),
      };
    },
  };
}

/** Returns the difference that a failing seal shows. @param holding the last seal that holds */
function differenceOf(
  { kind, reason }: Extract<Judgement, { state: 'fails' }>,
  { count }: KnownSeal,
  holding: KnownSeal | undefined,
): Difference {
  if (kind !== 'sealed') return nowhere(kind, reason);
  const after =
    holding === undefined ? '' : ` and after event ${holding.count}, where the seal of ${holding.sealed_at} holds`;
  const message = `${reason}: the difference is at or before event ${count}${after}`;
  return { ...nowhere(kind, message), ordinal: (holding?.count ?? 0) + 1, until: count };
}

/** Returns the root in hex. */
function rootIn(tree: GrowingTree): string | undefined {
  const root = tree.root();
  return root && toHex(root);
}

interface RecordedRestore {
  readonly restore: Restore;
  readonly ordinal: number;
  /** Root of the tree over the events before. */
  readonly root: Hash | undefined;
}

/** Returns the root at the count that each restore names, if it follows there. Several are recorded in one append if the backup is older than an earlier restore. */
function withRoots(restores: readonly RecordedRestore[]): readonly Pick<RestoreCheck, 'ordinal' | 'expected'>[] {
  let before: { readonly count: number; readonly ordinal: number; readonly expected: Hash | undefined } | undefined;
  return restores.map(({ restore: { count }, ordinal, root }) => {
    const isRepeated = before?.ordinal === ordinal - 1 && before.count === count;
    const expected = isRepeated ? before?.expected : count === ordinal - 1 ? root : undefined;
    before = { count, ordinal, expected };
    return { ordinal, expected };
  });
}

interface RestoreCheck {
  readonly ordinal: number;
  /** Root of the tree at the count that the event names, if the event follows there. */
  readonly expected: Hash | undefined;
  readonly source: LogSource;
}

/** Returns what is wrong with a recorded restore, or undefined. Version 1 of the event has no root and no MAC. */
async function wrongIn(
  restore: CheckedRestore,
  { ordinal, expected, source }: RestoreCheck,
): Promise<string | undefined> {
  if (restore.root === null) return undefined;
  if (restore.isValid === false) return 'it was not recorded with the secret of this log';
  if (restore.count >= ordinal) return `it records a restore of ${restore.count} events, and fewer come before it`;
  const root = expected ?? (await rootAt(source, restore.count));
  return toHex(root) === restore.root
    ? undefined
    : `the first ${restore.count} events do not have the root that it names`;
}

/** Reads the first events again. Needed only if other events were appended between a restore and its record. */
async function rootAt(source: LogSource, count: number): Promise<Hash> {
  const tree = createGrowingTree();
  for await (const events of source.readEvents())
    for (const event of events) {
      if (tree.count() === count) return tree.root() ?? '';
      tree.add(leafOf(tree.count() + 1, event));
    }
  return tree.root() ?? '';
}

const differenceIn = (restore: Restore, ordinal: number, reason: string): Difference => ({
  ...nowhere('restored', `event ${ordinal} (LogRestored of ${restore.at}) was altered or forged: ${reason}`),
  ordinal,
  until: ordinal,
});

function misplaced(event: NumberedEvent, ordinal: number, expected: number): Difference {
  const found = event.ordinal ?? ordinal;
  const message =
    found > expected
      ? `event ${expected} is missing: the store has event ${found} in its place`
      : `event ${found} is in the place of event ${expected}`;
  return differenceAt(event, { kind: 'order', ordinal, message });
}
