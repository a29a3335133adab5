/** Proves the events of one person against a seal, with nothing of anybody else; and that the log of one seal begins with that of another. */
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { jsonOrText } from '../audit/redaction.js';
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import { leafOf, toHex } from '../eventstore/chain.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { blockOf, eventsPerBlock, type TreeSource } from '../eventstore/tree.js';
import { createProof, type Proof, type ProvenEvent } from './bundle.js';
import { createTree, rootByInclusion, type Tree } from './proofs.js';
import { fingerprintOf, publicKeyOf, type Seal } from './seal.js';

export class ProofError extends Error {
  override readonly name = 'ProofError';
}

/** What is stored is not what the tree was made of. */
export class AlteredBlockError extends ProofError {}

export interface ProofSources {
  readonly stored: StoredEvents;
  readonly source: TreeSource;
  /** The one that signed the seal. */
  readonly key: KeyObject;
}

export interface ProofRequest {
  readonly stream: string;
  /** Its signature has been checked. */
  readonly seal: Seal;
  /** Largest number of events of the stream. Default: no limit. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * @throws ProofError the log is not the sealed one, the seal is of another key, or the contact came after it.
 * @throws ServiceError `no_such_contact`, `too_many_events`. Else as `Audit`.
 */
export async function provePerson(
  { stored, source, key }: ProofSources,
  { stream, seal, limit = Infinity, signal }: ProofRequest,
): Promise<Proof> {
  const { count, log_id, head, root, sealed_at, public_key } = seal;
  if (publicKeyOf(key) !== public_key)
    throw new ProofError(
      `the seal was signed by another key (fingerprint ${fingerprintOf(public_key)}) than the one at hand (${fingerprintOf(publicKeyOf(key))})`,
    );
  const tree = createTree(source);
  await demandSealed(tree, seal);
  const numbered = async (events: readonly StoredEvent[]): Promise<readonly NumberedEvent[]> => {
    const ordinals = await source.ordinalsAt(events.map(({ position }) => position));
    const found = events.map((event, index) => ({ event, ordinal: ordinals[index] ?? Infinity }));
    return found.filter(({ ordinal }) => ordinal <= count);
  };

  const own: NumberedEvent[] = [];
  let isEmpty = true;
  for await (const page of stored.ofStream(stream, signal)) {
    isEmpty = false;
    const sealed = await numbered(page);
    own.push(...sealed);
    if (own.length > limit) throw new ServiceError('too_many_events', { limit, names: 'prove' });
    if (sealed.length < page.length) break;
  }
  if (isEmpty) throw new ServiceError('no_such_contact');
  if (own.length === 0) throw new ProofError(`the contact came after the seal, which is of ${count} events`);
  const deletions = await numbered(await stored.deletionsOf(namedIn(own)));
  const ordinals = deletions.map(({ ordinal }) => ordinal).sort((one, other) => one - other);

  const events: ProvenEvent[] = [];
  for (const each of [...own, ...deletions].sort((one, other) => one.ordinal - other.ordinal))
    events.push(await proven(each, { tree, seal }));
  const statement = { log_id, count, head, root, sealed_at, public_key };
  return createProof({ ...statement, stream, last_revision: own.length - 1, deletions: ordinals }, events, key);
}

export interface NumberedEvent {
  readonly ordinal: number;
  readonly event: StoredEvent;
}

/** What is kept of the tree is there to be quick: the seal decides. @throws ProofError */
export async function demandSealed(tree: Tree, { count, root, sealed_at }: Seal): Promise<void> {
  const kept = await tree.rootAt(count).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    const before = `the log ends before the seal of ${sealed_at}, which is of ${count} events`;
    throw new ProofError(`${before}, or the service has not linked all of them yet`, { cause: error });
  });
  if (kept !== root)
    throw new ProofError(
      `the first ${count} events of the log are not those of the seal of ${sealed_at}: audience audit verify --seal tells more`,
    );
}

export async function proven(numbered: NumberedEvent, sealed: SealedTree): Promise<ProvenEvent> {
  const { ordinal, event } = numbered;
  const { stream, revision, id, type, data, metadata } = event;
  const path = await pathOf(numbered, sealed);
  return { ordinal, stream, revision: Number(revision), event_id: id, type, data, metadata, path: [...path] };
}

interface SealedTree {
  readonly tree: Tree;
  readonly seal: Pick<Seal, 'count' | 'root'>;
}

/** From the leaf of this event, computed here, to the root. @throws AlteredBlockError it leads elsewhere @throws AlteredEventError */
export async function pathOf({ ordinal, event }: NumberedEvent, { tree, seal: { count, root } }: SealedTree) {
  const path = await tree.inclusion(ordinal, count);
  if (rootByInclusion({ ordinal, count, leaf: toHex(leafOf(ordinal, event)), path }) === root) return path;
  throw new AlteredBlockError(
    `${blockWith(ordinal, count)} are not those that were sealed: audience audit verify tells more`,
  );
}

/** Its path is computed from the others: which one was altered is not known. */
function blockWith(ordinal: number, count: number): string {
  const first = blockOf(ordinal) * eventsPerBlock + 1;
  return `the events ${first} to ${Math.min(count, first + eventsPerBlock - 1)} of the log`;
}

const naming = z.object({
  list_id: z.string().optional().catch(undefined),
  tags: z
    .array(z.object({ tag_id: z.string() }))
    .optional()
    .catch(undefined),
});

/** The lists and tags that these events name, also those of a type that this version does not know. */
function namedIn(events: readonly NumberedEvent[]): { readonly list: Set<string>; readonly tag: Set<string> } {
  const named = { list: new Set<string>(), tag: new Set<string>() };
  for (const { event } of events) {
    const { list_id: list, tags = [] } = naming.safeParse(jsonOrText(event.data)).data ?? {};
    if (list !== undefined) named.list.add(list);
    for (const { tag_id: tag } of tags) named.tag.add(tag);
  }
  return named;
}

interface ConsistencyProof {
  readonly format: 'audience-ledger-consistency/1';
  readonly older: Seal;
  readonly newer: Seal;
  readonly path: readonly string[];
}

/** That the log of the newer seal begins with that of the older one. @param older signatures have been checked. @throws ProofError the log is not that of both */
export async function proveConsistency(source: TreeSource, older: Seal, newer: Seal): Promise<ConsistencyProof> {
  if (older.log_id !== newer.log_id) throw new ProofError('the seals are of two logs');
  if (older.count > newer.count)
    throw new ProofError(
      `the older seal is of ${older.count} events and the newer one of ${newer.count}: the older one comes first`,
    );
  const tree = createTree(source);
  await demandSealed(tree, newer);
  await demandSealed(tree, older);
  const path = await tree.consistency(older.count, newer.count);
  return { format: 'audience-ledger-consistency/1', older, newer, path };
}
