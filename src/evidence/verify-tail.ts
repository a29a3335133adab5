/** What a start verifies of the embedded log before anything is served: the events since the last complete verification. */
import type { ChainHead } from '../eventstore/chain.js';
import type { LinkSource } from '../eventstore/link-source.js';
import { nowhere, type Difference } from './verify-difference.js';
import { verifyChain } from './verify.js';

/** At most this many events are verified before the service serves; the whole log is verified in the background. */
const longestTail = 100_000;

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
