/**
 * The proofs that `verify.mjs` checks: the events of one person, one event, and that a newer seal contains an older one.
 * docs/evidence.md specifies their formats.
 */
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { jsonOrText, redacted, type HiddenMembers } from '../audit/redaction.js';
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import { leafOf, toHex } from '../eventstore/leaf.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { fingerprintOf, publicKeyOf, sealSchema, signatureOf, type KnownSeal, type Seal } from './seal.js';
import { createTree, type Tree } from './tree-proofs.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const wholeNumber = z.int().min(0);

const provenEventSchema = z
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
type ProvenEvent = Readonly<z.output<typeof provenEventSchema>>;

export const proofSchema = z
  .strictObject({
    format: z.literal('audience-ledger-proof/2'),
    note: z.string().describe('What the proof covers.'),
    log_id: z.string(),
    count: wholeNumber.describe('Number of sealed events.'),
    root: hash.describe('Root of the tree over the sealed events.'),
    sealed_at: z.string(),
    stream: z.string(),
    last_revision: wholeNumber.describe('Revision of the last event of the stream at the seal.'),
    deletions: z
      .array(wholeNumber)
      .describe('Numbers of the events that deleted the lists and tags that the events name.'),
    public_key: z.string().describe('Ed25519, SPKI in DER, base64.'),
    signature: z.string().describe('Over the fields of all members before it, base64.'),
    events: z.array(provenEventSchema).describe('In the order of the log.'),
  })
  .meta({ id: 'Proof', description: 'The events of one contact, proven to be in the sealed log.' });
export type Proof = Readonly<z.output<typeof proofSchema>>;
type Statement = Omit<Proof, 'format' | 'note' | 'signature' | 'events'>;

const note =
  'The events of one contact, and the deletions of the lists and tags that these name. E-mails to the person are not in it.';

/** Signs a statement about the events of one stream. */
export function createProof(statement: Statement, events: readonly ProvenEvent[], key: KeyObject): Proof {
  const { log_id, count, root, sealed_at, stream, last_revision, deletions, public_key } = statement;
  const sealed = { format: proofSchema.shape.format.value, note, log_id, count, root, sealed_at };
  const signed = { ...sealed, stream, last_revision, deletions, public_key };
  return { ...signed, signature: signatureOf(signed, key), events: [...events] };
}

/** No proof can be made; the message says why and names no person. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
}

export interface ProofSources {
  readonly stored: StoredEvents;
  readonly source: TreeSource;
  /** The key that signed the seal. */
  readonly key: KeyObject;
}

export interface PersonProofRequest {
  readonly stream: string;
  /**
   * A seal whose signature has been checked, or a function that returns the seal to prove against. The function is given
   * the number of the last event that the proof needs: Infinity if that event has not been counted yet.
   */
  readonly seal: KnownSeal | ((last: number) => Promise<KnownSeal>);
  /** Largest number of events of the stream. Default: no limit. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Proves all events of one person against a seal, and discloses no other person's events.
 * @throws AlteredLogError if the log is not the sealed one
 * @throws ProofError if the seal was signed by another key, or the contact came after it
 * @throws ServiceError `no_such_contact`, `too_many_events`
 * @throws as `Audit`
 */
export async function provePerson(sources: ProofSources, request: PersonProofRequest): Promise<Proof> {
  const { source, key } = sources;
  // 1. Read the events of the person, and the deletions of the lists and tags that they name.
  const { own, deletions } = await eventsToProve(sources, request);
  const all = [...own, ...deletions].sort(byOrdinal);

  // 2. Choose the seal, which must fit the key and the log.
  const last = all.at(-1)?.ordinal ?? Infinity;
  const seal = typeof request.seal === 'function' ? await request.seal(last) : request.seal;
  demandKey(key, seal);
  const tree = createTree(source);
  await demandSealed(tree, seal);

  // 3. Prove each event.
  const events: ProvenEvent[] = [];
  for (const each of all) events.push(await proven(each, tree, seal));
  const { log_id, count, root, sealed_at, public_key } = seal;
  const about = { stream: request.stream, last_revision: own.length - 1 };
  const ordinals = [...deletions].sort(byOrdinal).map(({ ordinal }) => ordinal);
  return createProof({ log_id, count, root, sealed_at, public_key, ...about, deletions: ordinals }, events, key);
}

const byOrdinal = (one: NumberedEvent, other: NumberedEvent): number => one.ordinal - other.ordinal;

/** Returns the events up to a seal that is given, or all events. */
async function eventsToProve({ stored, source }: ProofSources, request: PersonProofRequest) {
  const { stream, seal, limit = Infinity, signal } = request;
  const end = typeof seal === 'function' ? Infinity : seal.count;
  const numbered = async (events: readonly StoredEvent[]): Promise<readonly NumberedEvent[]> => {
    const ordinals = await source.ordinalsAt(events.map(({ position }) => position));
    const found = events.map((event, index) => ({ event, ordinal: ordinals[index] ?? Infinity }));
    return found.filter(({ ordinal }) => ordinal <= end);
  };
  const own: NumberedEvent[] = [];
  let isWritten = false;
  for await (const page of stored.ofStream(stream, signal)) {
    isWritten = true;
    own.push(...(await numbered(page)));
    if (own.length > limit) throw new ServiceError('too_many_events', { limit, names: 'prove' });
  }
  if (!isWritten) throw new ServiceError('no_such_contact');
  if (own.length === 0) throw new ProofError(`the contact came after the seal, which covers ${end} events`);
  return { own, deletions: await numbered(await stored.deletionsOf(namedIn(own))) };
}

/** @throws ProofError if another key signed the seal */
function demandKey(key: KeyObject, { public_key }: KnownSeal): void {
  const own = publicKeyOf(key);
  if (own === public_key) return;
  throw new ProofError(
    `the seal was signed by the key with the fingerprint ${fingerprintOf(public_key)}, but the key at hand has the fingerprint ${fingerprintOf(own)}`,
  );
}

interface NumberedEvent {
  readonly ordinal: number;
  readonly event: StoredEvent;
}

/** @throws AlteredLogError if the tree of the log has another root where the seal was made @throws ProofError if it is shorter */
async function demandSealed(tree: Tree, { count, root, sealed_at }: KnownSeal): Promise<void> {
  const computed = await tree.rootAt(count).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    const missing = `the seal of ${sealed_at} covers ${count} events, and the tree of the log has fewer`;
    throw new ProofError(missing, { cause: error });
  });
  if (computed !== root)
    throw new AlteredLogError(
      `the first ${count} events of the log are not those of the seal of ${sealed_at}: audience audit verify says where they differ`,
    );
}

async function proven(numbered: NumberedEvent, tree: Tree, { count }: Pick<Seal, 'count'>): Promise<ProvenEvent> {
  const { ordinal, event } = numbered;
  const { stream, revision, id, type, data, metadata } = event;
  await demandLeaf(numbered, tree);
  const path = await tree.inclusion(ordinal, count);
  return { ordinal, stream, revision: Number(revision), event_id: id, type, data, metadata, path: [...path] };
}

/** @throws AlteredLogError if the event is not the one in the tree */
async function demandLeaf({ ordinal, event }: NumberedEvent, tree: Tree): Promise<void> {
  if ((await tree.leafAt(ordinal)) !== toHex(leafOf(ordinal, event)))
    throw new AlteredLogError(`event ${ordinal} of the log was altered while it was read`);
}

const naming = z.object({
  list_id: z.string().optional().catch(undefined),
  tags: z
    .array(z.object({ tag_id: z.string() }))
    .optional()
    .catch(undefined),
});

/** Returns the ids of lists and tags in these events, including events of a type that this version does not know. */
function namedIn(events: readonly NumberedEvent[]): { readonly list: Set<string>; readonly tag: Set<string> } {
  const named = { list: new Set<string>(), tag: new Set<string>() };
  for (const { event } of events) {
    const { list_id: list, tags = [] } = naming.safeParse(jsonOrText(event.data)).data ?? {};
    if (list !== undefined) named.list.add(list);
    for (const { tag_id: tag } of tags) named.tag.add(tag);
  }
  return named;
}

const eventFormat = 'audience-ledger-event/2';

export const eventProofSchema = z
  .strictObject({
    format: z.literal(eventFormat),
    seal: sealSchema,
    event: provenEventSchema,
  })
  .meta({ id: 'EventProof', description: 'One event, proven to be in the sealed log.' });
export type EventProof = Readonly<z.output<typeof eventProofSchema>>;

interface EventProofRequest extends NumberedEvent {
  /** A seal that covers the event, and whose signature has been checked. */
  readonly seal: Seal;
  /** Members that are shown as digests, which leaves the leaf unchanged. */
  readonly hidden: HiddenMembers;
}

/** Proves one event against a seal. @throws AlteredLogError if the log is not the sealed one @throws ProofError */
export async function proveEvent(source: TreeSource, request: EventProofRequest): Promise<EventProof> {
  const { ordinal, event, seal, hidden } = request;
  const tree = createTree(source);
  await demandSealed(tree, seal);
  const shown = await proven({ ordinal, event }, tree, seal);
  return { format: eventFormat, seal, event: { ...shown, data: redacted(shown.data, hidden) } };
}

interface ConsistencyProof {
  readonly format: 'audience-ledger-consistency/2';
  readonly older: Seal;
  readonly newer: Seal;
  readonly path: readonly string[];
}

/**
 * Proves that the log of the newer seal begins with the log of the older one. The signatures of both have been checked.
 * @throws ProofError if the seals are of two logs @throws AlteredLogError if the log does not fit both
 */
export async function proveConsistency(source: TreeSource, older: Seal, newer: Seal): Promise<ConsistencyProof> {
  if (older.log_id !== newer.log_id) throw new ProofError('the seals are of two logs');
  if (older.count > newer.count)
    throw new ProofError(
      `the first seal covers ${older.count} events and the second one ${newer.count}: name the seal of fewer events first`,
    );
  const tree = createTree(source);
  await demandSealed(tree, newer);
  await demandSealed(tree, older);
  const path = await tree.consistency(older.count, newer.count);
  return { format: 'audience-ledger-consistency/2', older, newer, path };
}

/** The seals that a page names, and the check of its events. */
export interface PageSeals {
  /** Seals that hold. A page names the first one that covers all of its events. */
  readonly holding: readonly KnownSeal[];
  /** The newest seal that does not hold. */
  readonly failing: (Pick<KnownSeal, 'count' | 'sealed_at'> & { readonly reason: string }) | undefined;
  /**
   * Returns the number of the last event that a page shows or takes names from, or Infinity if one of them has not been counted yet.
   * @param shown the stream, and the positions of other events
   * @throws AlteredLogError if an event is not the one in the tree @throws ProofError
   */
  demandInTree(shown: { readonly stream: string; readonly positions: ReadonlySet<Position> }): Promise<number>;
}

interface Sources {
  readonly log: Pick<EventReader, 'readStream' | 'readAt'>;
  /** Undefined if no tree of the log is kept. */
  readonly source: TreeSource | undefined;
  /** A seal that holds, if there is one. */
  readonly holding: KnownSeal | undefined;
}

/** Compares each event with its leaf in the tree, and the tree with the seal. */
export function createTreeCheck({ log, source, holding }: Sources): PageSeals['demandInTree'] {
  return async ({ stream, positions }) => {
    if (source === undefined) return Infinity;
    const tree = createTree(source);
    const count = await source.count();
    if (holding !== undefined) await demandSealed(tree, holding);
    let last = 0;
    const demand = async (events: readonly StoredEvent[]): Promise<void> => {
      const ordinals = await source.ordinalsAt(events.map(({ position }) => position));
      for (const [index, event] of events.entries()) {
        const ordinal = ordinals[index] ?? Infinity;
        last = Math.max(last, ordinal);
        // An event that joined the tree after its size was read is not compared.
        if (ordinal <= count) await demandLeaf({ ordinal, event }, tree);
      }
    };
    const own = new Set<Position>();
    for await (const page of log.readStream(stream)) {
      for (const { revision, position } of page) {
        if (revision !== BigInt(own.size)) throw new AlteredLogError(`the stream ${stream} has a gap`);
        own.add(position);
      }
      await demand(page);
    }
    const others: StoredEvent[] = [];
    for (const at of [...positions].filter((position) => !own.has(position)).sort()) {
      const event = await log.readAt(at);
      if (event === undefined) throw new AlteredLogError(`the event at position ${at} is gone`);
      others.push(event);
    }
    await demand(others);
    return last;
  };
}
