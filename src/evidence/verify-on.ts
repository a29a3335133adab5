/** Verifies the events that came since a verification, and the sealed head of the log. */
import { readLogId } from '../eventstore/log-id.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { LinkSource } from '../eventstore/link-source.js';
import type { Difference } from './verify-difference.js';
import { openHeadCheck } from './verify-head.js';
import { verifyChain, type Verification } from './verify.js';

/** What differs, if anything does, and how far the log was verified. */
export interface Outcome {
  readonly difference: Difference | undefined;
  readonly verified: ChainHead;
}

export function outcomeOf(result: Verification): Outcome {
  const { count, head, position } = result;
  return { difference: result.intact ? undefined : result.difference, verified: { count, head, position } };
}

interface VerifyOnOptions {
  readonly log: Pick<EventReader, 'readStream'>;
  readonly source: LinkSource;
  readonly since: Since;
  readonly signal?: AbortSignal;
}

export interface Since {
  /** How far the log was verified before. */
  readonly verified: ChainHead;
  /** Of the sealed head; undefined: it is not known, and its MAC is not checked. */
  readonly headKey: Uint8Array | undefined;
}

/** To the end of the log as it is now, whose sealed head must fit. @throws StoreUnavailableError; the signal's reason when it aborts */
export async function verifyOn({ log, source, since, signal }: VerifyOnOptions): Promise<Outcome> {
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
