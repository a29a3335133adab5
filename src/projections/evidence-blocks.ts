/** The evidence chain as it is stored beside the views: links in blocks, and how far it goes in a checkpoint of its own. */
import { chainStart, linkBytes, nextLink } from '../eventstore/chain.js';
import { logStart, type Position, type StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModelReader, View } from '../readmodels/read-models.js';

/** The links of `linksPerBlock` events a document, by the number of the block from 0. */
export const evidenceView: View = { name: 'evidence', version: 1, indexes: [] };
export const evidenceCheckpoint = 'evidence';
export const linksPerBlock = 256;

export type EvidenceBlock = {
  /** Hex, one link after the other. */
  readonly links: string;
};

/** How far the chain has come. A plain object: it crosses threads. */
export interface EvidenceHead {
  /** Events in the chain. */
  readonly count: number;
  /** The link of the last one, hex. */
  readonly head: string;
  /** Of the last one, `''` before the first. */
  readonly position: Position;
}

export const linkCharacters = 2 * linkBytes;
/** Under this name the checkpoint holds how many events the chain has. */
export const countName = 'events';
export const countOf = ({ live }: Checkpoint): number => live[countName] ?? 0;

export interface Chain {
  head: EvidenceHead;
  checkpoint: Checkpoint | null;
  /** The links of the last block, which may not be full. */
  open: string;
}

/** The chain with these events at its end, and the blocks that have changed, by document id. */
export function grown(
  { head, open }: Pick<Chain, 'head' | 'open'>,
  events: readonly StoredEvent[],
): { readonly blocks: ReadonlyMap<string, string>; readonly head: EvidenceHead; readonly open: string } {
  const blocks = new Map<string, string>();
  let { count, position } = head;
  let link: Buffer = Buffer.from(head.head, 'hex');
  let links = open;
  for (const event of events) {
    count += 1;
    position = event.position;
    link = nextLink(link, count, event);
    if (links.length === linksPerBlock * linkCharacters) links = '';
    links += link.toString('hex');
    blocks.set(blockId(blockOf(count)), links);
  }
  return { blocks, head: { count, head: link.toString('hex'), position }, open: links };
}

export const emptyChain: EvidenceHead = { count: 0, head: chainStart.toString('hex'), position: logStart };

/** The block in which the event with this ordinal has its link; the first one before the first event. */
export const blockOf = (ordinal: number): number => Math.max(0, Math.ceil(ordinal / linksPerBlock) - 1);
export const blockId = (block: number): string => String(block).padStart(12, '0');

/** The links as they were computed when the events were read first, from this ordinal on. @throws ReadModelsUnavailableError */
export async function* storedLinks(
  readModels: Pick<ReadModelReader, 'checkpoint' | 'getMany'>,
  from = 1,
): AsyncGenerator<Buffer> {
  const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
  const count = checkpoint === null ? 0 : countOf(checkpoint);
  for (let block = blockOf(from); block * linksPerBlock < count; block += 1) {
    const id = blockId(block);
    const links = (await readModels.getMany<EvidenceBlock>(evidenceView, [id])).get(id)?.document.links ?? '';
    const first = block * linksPerBlock + 1;
    for (let ordinal = Math.max(from, first); ordinal <= Math.min(count, first + linksPerBlock - 1); ordinal += 1)
      yield Buffer.from(links.slice((ordinal - first) * linkCharacters, (ordinal - first + 1) * linkCharacters), 'hex');
  }
}
