/** The proof of one person: its events with their paths in the tree, and what the sealer signs of them. Written down in docs/evidence.md, for ever. */
import { sign, type KeyObject } from 'node:crypto';
import { field } from '../eventstore/chain.js';

export const proofFormat = 'audience-ledger-proof/1';
export const proofNote =
  'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';

/** An event as it is stored, and its way to the root. */
export interface ProvenEvent {
  readonly ordinal: number;
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  /** RFC 9162, 2.1.3.1, hex. */
  readonly path: readonly string[];
}

/** What the sealer says of the log and of the contact's stream, as of the seal. Position and id of the last sealed event are left out: they are somebody else's. */
interface Statement {
  readonly log_id: string;
  readonly count: number;
  readonly head: string;
  readonly root: string;
  readonly sealed_at: string;
  readonly stream: string;
  readonly last_revision: number;
  /** Ordinals of the deletions of all lists and tags that the events name. */
  readonly deletions: readonly number[];
  readonly public_key: string;
}

export interface Proof extends Statement {
  readonly format: typeof proofFormat;
  readonly note: typeof proofNote;
  /** Ed25519 over the fields of the members before it, base64. */
  readonly signature: string;
  /** In log order: each event of the stream up to the last revision, and the deletions. */
  readonly events: readonly ProvenEvent[];
}

/** @param key the one that signed the seal */
export function createProof(statement: Statement, events: readonly ProvenEvent[], key: KeyObject): Proof {
  const { log_id, count, head, root, sealed_at, stream, last_revision, deletions, public_key } = statement;
  const signed = {
    ...({ format: proofFormat, note: proofNote, log_id, count, head, root, sealed_at } as const),
    ...{ stream, last_revision, deletions, public_key },
  };
  const text = Object.values(signed)
    .map((value) => field(String(value)))
    .join('');
  return { ...signed, signature: sign(null, Buffer.from(text), key).toString('base64'), events };
}
