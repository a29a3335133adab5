/** The proof of one event: as it is stored, with its path to the root of a seal that stands beside it. Written down in docs/evidence.md, for ever. */
import { z } from 'zod';
import { redacted, type HiddenMembers } from '../audit/redaction.js';
import type { TreeSource } from '../eventstore/tree.js';
import { provenEventSchema } from './bundle.js';
import { demandSealed, proven, type NumberedEvent } from './prove.js';
import { createTree } from './proofs.js';
import { sealSchema, type Seal } from './seal.js';

const format = 'audience-ledger-event/1';

export const eventProofSchema = z
  .strictObject({
    format: z.literal(format),
    seal: sealSchema,
    event: provenEventSchema,
  })
  .meta({ id: 'EventProof', description: 'One event, proven to be in the sealed log.' });
export type EventProof = Readonly<z.output<typeof eventProofSchema>>;

interface EventProofRequest extends NumberedEvent {
  /** Its signature has been checked, and it is of this event, too. */
  readonly seal: Seal;
  /** Their digests stand in their place: the leaf is the same. */
  readonly hidden: HiddenMembers;
}

/** @throws ProofError the log is not the sealed one. @throws AlteredBlockError @throws AlteredEventError */
export async function proveEvent(source: TreeSource, request: EventProofRequest): Promise<EventProof> {
  const { ordinal, event, seal, hidden } = request;
  const tree = createTree(source);
  await demandSealed(tree, seal);
  const shown = await proven({ ordinal, event }, { tree, seal });
  return { format, seal, event: { ...shown, data: redacted(shown.data, hidden) } };
}
