/** Verifies the events that came since a verification, with the sealed head of the log: all of them, or what a start can wait for. */
import { readLogId } from '../eventstore/log-id.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { LinkSource } from '../eventstore/link-source.js';
import { nowhere, type Difference } from './verify-difference.js';
import { openHeadCheck } from './verify-head.js';
import { verifyChain, type Verification } from './verify.js';

/** What differs, if anything does, and how far the log was verified. */
export interface VerificationOutcome {
  readonly difference: Difference | undefined;
  readonly verified: ChainHead;
}

export function outcomeOf(result: Verification): VerificationOutcome {
  const { count, head, position } = result;
  return { difference: result.intact ? undefined : result.difference, verified: { count, head, position } };
}

interface VerifyOnOptions {
  readonly log: Pick<EventReader, 'readStream'>;
  readonly source: LinkSource;
  readonly since: VerifiedBefore;
  readonly signal?: AbortSignal;
}

export interface VerifiedBefore {
  /** How far the log was verified before. */
  readonly verified: ChainHead;
  /** Of the sealed head; undefined: it is not known, and its MAC is not checked. */
  readonly headKey: Uint8Array | undefined;
}

/** To the end of the log as it is now, whose sealed head must fit. @throws StoreUnavailableError; the signal's reason when it aborts */
export async function verifyOn({ log, source, since, signal }: VerifyOnOptions): Promise<VerificationOutcome> {
  const { verified, headKey } = since;
  const end = await openHeadCheck(source, { key: headKey });
  const after = verified.count === 0 ? {} : { after: verified };
  const result = await verifyChain({ source, ...after, until: end.end?.position, depth: 'chain', signal });
  if (!result.intact) return outcomeOf(result);
  const { count, head } = result;
  const linkThere = count === end.sealed?.count ? head : undefined;
  const difference = end.difference({ logId: (await readLogId(log)) ?? '', count, kept: count, linkThere });
  return { difference, verified: count === verified.count ? verified : outcomeOf(result).verified };
}

/** At most this many events are verified before the service serves; the whole log is verified in the background. */
export const longestTail = 100_000;

interface TailOptions {
  readonly source: LinkSource & {
    /** The chain up to the event with this ordinal, as it is stored. @throws StoreUnavailableError */
    headAt(count: number): ChainHead | undefined;
  };
  /** Where the log ended when the service started. */
  readonly until: ChainHead;
  /** Up to where a complete verification succeeded before. */
  readonly verified: ChainHead | undefined;
}

/** The first difference in the links of the tail, or that the log no longer holds what was verified before. Streams that began before the tail are not known here. @throws StoreUnavailableError */
export async function verifyTail({ source, until, verified }: TailOptions): Promise<Difference | undefined> {
  const difference = verified && changedSince(verified, { source, until });
  if (difference !== undefined) return difference;
  const after = source.headAt(Math.max(verified?.count ?? 0, until.count - longestTail));
  if (after === undefined) {
    const message = `the event before the last ${longestTail} is missing`;
    return nowhere({ kind: 'missing', ordinal: null, message });
  }
  const result = await verifyChain({ source, after, until: until.position, depth: 'chain' });
  return result.intact ? undefined : result.difference;
}

function changedSince(
  { count, head }: ChainHead,
  { source, until }: Pick<TailOptions, 'source' | 'until'>,
): Difference | undefined {
  if (count > until.count) {
    const message = `the log ends after event ${until.count}, but ${count} events were verified before: it was shortened, or is an older copy`;
    return nowhere({ kind: 'shortened', ordinal: until.count + 1, message });
  }
  if (source.headAt(count)?.head === head) return undefined;
  const message = `the history up to event ${count} is not the one that a complete verification found: the difference lies at or before event ${count}, and links were computed again`;
  return { ...nowhere({ kind: 'sealed', ordinal: null, message }), until: count };
}
