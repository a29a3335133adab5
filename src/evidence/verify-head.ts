/** Compares a log with its sealed head, as it was when the verification began: somebody without the secret cannot make one. */
import type { ChainHead } from '../eventstore/chain.js';
import type { LinkSource } from '../eventstore/link-source.js';
import { headFault, unsealedEvents, type SealedHead } from '../eventstore/sealed-head.js';
import { nowhere, type Difference } from './verify-difference.js';

/** `count`: events that the sealed head covers, null where there is none. `checked`: whether its MAC could be checked. */
export interface HeadResult {
  readonly checked: boolean;
  readonly count: number | null;
}

interface Read {
  readonly logId: string;
  readonly count: number;
  /** Events that the store has a leaf of. */
  readonly kept: number;
  /** The link, in hex, of the event where the sealed head is. */
  readonly linkThere: string | undefined;
}

interface HeadCheck {
  readonly sealed: SealedHead | undefined;
  /** Of the log, where each append moves the sealed head. */
  readonly end: ChainHead | undefined;
  readonly result: HeadResult | null;
  difference(read: Read): Difference | undefined;
}

const unchecked: HeadCheck = { sealed: undefined, end: undefined, result: null, difference: () => undefined };

/** @param request undefined: the sealed head is not looked at */
export async function openHeadCheck(
  source: LinkSource,
  request: { readonly key: Uint8Array | undefined } | undefined,
): Promise<HeadCheck> {
  const found = request && (await source.sealedHead?.());
  if (found === undefined || request === undefined) return unchecked;
  const { sealed, end } = found;
  return {
    ...found,
    result: { checked: request.key !== undefined, count: sealed?.count ?? null },
    difference({ logId, count, kept, linkThere }) {
      // Beside the views there may be neither links nor a sealed head yet.
      const log = { logId, count: sealed === undefined ? kept : count, sealed, linkThere };
      const fault = headFault(log, request.key) ?? (end && unsealedEvents({ count: end.count, sealed }));
      return fault && nowhere({ ...fault, ordinal: null });
    },
  };
}
