/** The evidence of a log whose store keeps none, beside the views: the leaves in blocks, roots of complete blocks, the sealed head, and how far all that goes in a checkpoint of its own. */
import {
  firstLink,
  fromHex,
  leafOf,
  linkBytes,
  linkOf,
  toHex,
  type ChainHead,
  type Hash,
} from '../eventstore/chain.js';
import { logStart, type Position, type StoredEvent } from '../eventstore/event-store.js';
import { headFault, type SealedHead } from '../eventstore/sealed-head.js';
import { blockOf, createGrowingTree, eventsPerBlock } from '../eventstore/tree.js';
import type { Checkpoint, ReadModelReader, View } from '../readmodels/read-models.js';

/** A document for each block, by its number from 0, and the sealed head. */
export const evidenceView: View = { name: 'evidence', version: 1, indexes: [] };
export const sealedHeadId = 'head';
/** A document for each `blocksPerPage` complete blocks, so that a proof need not read the blocks. */
export const rootsView: View = { name: 'evidence_roots', version: 1, indexes: [] };
export const blocksPerPage = 256;
export const evidenceCheckpoint = 'evidence';

export type Block = {
  /** Of its events, so that a proof need not read the log. */
  readonly positions: readonly Position[];
  /** Of its events, hex, one after the other. */
  readonly leaves: string;
  /** Of the last event in it, hex. */
  readonly link: string;
};

export type RootsPage = {
  /** Of complete blocks, hex, one after the other. */
  readonly roots: string;
  /** Where the first event of each stands. */
  readonly firsts: readonly Position[];
};

export const hashCharacters = 2 * linkBytes;
/**
 * Where other checkpoints name storages, that of the evidence holds how many events it has, under this name: it must move
 * in one step with the position, and a process of an earlier version that takes over reads it there.
 */
export const countName = 'events';
export const countOf = ({ storages }: Checkpoint): number => storages[countName] ?? 0;

export const emptyChain: ChainHead = { count: 0, head: firstLink, position: logStart };
export const blockId = (number: number): string => String(number).padStart(12, '0');
export const hashesIn = (hex: string): readonly Hash[] =>
  Array.from({ length: hex.length / hashCharacters }, (_, at) =>
    fromHex(hex.slice(at * hashCharacters, (at + 1) * hashCharacters)),
  );

interface ExtendedBlocks {
  readonly blocks: ReadonlyMap<number, Block>;
  readonly head: ChainHead;
  readonly open: Block | undefined;
}

/** The chain with these events at its end, and the blocks that have changed, by number. */
export function grown(chain: Pick<KeptChain, 'head' | 'open'>, events: readonly StoredEvent[]): ExtendedBlocks {
  const blocks = new Map<number, Block>();
  let { count, position } = chain.head;
  let link = fromHex(chain.head.head);
  let block = chain.open;
  for (const event of events) {
    count += 1;
    position = event.position;
    const leaf = leafOf(count, event);
    link = linkOf(link, leaf);
    const number = blockOf(count);
    const { positions, leaves } = block ?? { positions: [], leaves: '' };
    block = { positions: [...positions, position], leaves: leaves + toHex(leaf), link: toHex(link) };
    blocks.set(number, block);
    if (count % eventsPerBlock === 0) block = undefined;
  }
  return { blocks, head: { count, head: toHex(link), position }, open: block };
}

/** Root of a complete block; undefined of another. */
export function rootOfBlock({ leaves }: Block): Hash | undefined {
  const tree = createGrowingTree();
  return hashesIn(leaves)
    .map((leaf) => tree.add(leaf))
    .at(-1);
}

export type EvidenceReader = Pick<ReadModelReader, 'checkpoint' | 'getMany'>;

export async function keptBlock(readModels: EvidenceReader, number: number): Promise<Block | undefined> {
  const id = blockId(number);
  return (await readModels.getMany<Block>(evidenceView, [id])).get(id)?.document;
}

export async function keptSealedHead(readModels: EvidenceReader): Promise<SealedHead | undefined> {
  return (await readModels.getMany<SealedHead>(evidenceView, [sealedHeadId])).get(sealedHeadId)?.document;
}

export interface KeptChain {
  readonly checkpoint: Checkpoint | null;
  readonly head: ChainHead;
  /** The block at its end, where it is not complete. */
  readonly open: Block | undefined;
  readonly sealed: SealedHead | undefined;
}

/** As far as the checkpoint says: a commit that was broken off leaves more. @throws ReadModelsUnavailableError, Error the block at its end is missing */
export async function keptChain(readModels: EvidenceReader): Promise<KeptChain> {
  const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
  if (checkpoint === null) return { checkpoint, head: emptyChain, open: undefined, sealed: undefined };
  const sealed = await keptSealedHead(readModels);
  const count = countOf(checkpoint);
  const number = blockOf(count);
  const inBlock = count - number * eventsPerBlock;
  const block = await keptBlock(readModels, number);
  const before = number === 0 ? firstLink : (await keptBlock(readModels, number - 1))?.link;
  const leaves = block?.leaves.slice(0, inBlock * hashCharacters) ?? '';
  if (block === undefined || before === undefined || leaves.length < inBlock * hashCharacters)
    throw new Error(`the links of block ${number} are missing`);
  const link = toHex(hashesIn(leaves).reduce(linkOf, fromHex(before)));
  const positions = block.positions.slice(0, inBlock);
  const open = inBlock === eventsPerBlock ? undefined : { positions, leaves, link };
  return { checkpoint, head: { count, head: link, position: checkpoint.position }, open, sealed };
}

/** Undefined where nothing is kept. @throws ReadModelsUnavailableError */
export async function keptHead(readModels: EvidenceReader): Promise<ChainHead | undefined> {
  const { checkpoint, head } = await keptChain(readModels);
  return checkpoint === null ? undefined : head;
}

/** What is wrong with what is kept, by its sealed head: somebody without the secret wrote it. @param key of the sealed head */
export function keptFault({ head, sealed, checkpoint }: KeptChain, key: Uint8Array): string | undefined {
  const count = head.count;
  const logId = checkpoint?.logId ?? '';
  if (checkpoint === null) return undefined;
  // Beyond the checkpoint, after a commit that was broken off: compared when the follower comes there.
  const isAhead = sealed !== undefined && sealed.count > count;
  const linkThere = isAhead ? sealed.head : sealed?.count === count ? head.head : undefined;
  return headFault({ logId, count: isAhead ? sealed.count : count, sealed, linkThere }, key)?.message;
}

/** The links, in hex, by the leaves that were computed when the events were first read. @throws ReadModelsUnavailableError */
export async function* storedLinks(readModels: EvidenceReader): AsyncGenerator<string, undefined> {
  const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
  const count = checkpoint === null ? 0 : countOf(checkpoint);
  let link = fromHex(firstLink);
  for (let done = 0; done < count; done += eventsPerBlock) {
    const block = await keptBlock(readModels, blockOf(done + 1));
    for (const leaf of hashesIn(block?.leaves ?? '').slice(0, count - done)) yield toHex((link = linkOf(link, leaf)));
  }
  return undefined;
}
