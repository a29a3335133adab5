/** The proof of one person: its events with their paths in the tree, and what the sealer signs of them. Written down in docs/evidence.md, for ever. */
import { sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { field } from '../eventstore/chain.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const wholeNumber = z.int().min(0);

export const provenEventSchema = z
  .strictObject({
    ordinal: wholeNumber.describe('Number of the event in the log, from 1.'),
    stream: z.string(),
    revision: wholeNumber,
    event_id: z.string(),
    type: z.string(),
    data: z.string().describe('JSON as it is stored.'),
    metadata: z.string().describe('JSON as it is stored.'),
    path: z.array(hash).describe('From the leaf to the root: RFC 9162, 2.1.3.1.'),
  })
  .meta({ id: 'ProvenEvent' });
export type ProvenEvent = Readonly<z.output<typeof provenEventSchema>>;

/** Position and id of the last sealed event are left out: that event is about another person. */
export const proofSchema = z
  .strictObject({
    format: z.literal('audience-ledger-proof/1'),
    note: z.string().describe('What the proof covers.'),
    log_id: z.string(),
    count: wholeNumber.describe('Events that were sealed.'),
    head: hash.describe('Link of the last of them.'),
    root: hash.describe('Root of the tree over them.'),
    sealed_at: z.string(),
    stream: z.string(),
    last_revision: wholeNumber.describe('Of the stream at the seal.'),
    deletions: z.array(wholeNumber).describe('Ordinals of the deletions of all lists and tags that the events name.'),
    public_key: z.string().describe('Ed25519, SPKI in DER, base64.'),
    signature: z.string().describe('Over the fields of all members before it, base64.'),
    events: z.array(provenEventSchema).describe('In the order of the log.'),
  })
  .meta({ id: 'Proof', description: 'The events of one contact, proven to be in the sealed log.' });
export type Proof = Readonly<z.output<typeof proofSchema>>;
type Statement = Omit<Proof, 'format' | 'note' | 'signature' | 'events'>;

const { format } = proofSchema.shape;

const note =
  'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';

export function createProof(statement: Statement, events: readonly ProvenEvent[], key: KeyObject): Proof {
  const { log_id, count, head, root, sealed_at, stream, last_revision, deletions, public_key } = statement;
  const sealed = { format: format.value, note, log_id, count, head, root, sealed_at };
  const signed = { ...sealed, stream, last_revision, deletions, public_key };
  const text = Object.values(signed).map((value) => field(String(value)));
  const signature = sign(null, Buffer.from(text.join('')), key).toString('base64');
  return { ...signed, signature, events: [...events] };
}
