/** The evidence chain as it is stored beside the views: links in blocks, and how far it goes in a checkpoint of its own. */
import { firstLink, linkAfter, linkBytes, type ChainHead } from '../eventstore/chain.js';
import { logStart, type StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModelReader, View } from '../readmodels/read-models.js';

/** The links of `linksPerBlock` events a document, by the number of the block from 0. */
export const evidenceView: View = { name: 'evidence', version: 1, indexes: [] };
export const evidenceCheckpoint = 'evidence';
export const linksPerBlock = 256;

export type EvidenceBlock = {
  /** Hex, one link after the other. */
  readonly links: string;
};

export const linkCharacters = 2 * linkBytes;
/** Where other checkpoints name storages, that of the chain holds how many events it has, under this name. */
export const countName = 'events';
export const countOf = ({ storages }: Checkpoint): number => storages[countName] ?? 0;

export interface Chain {
  readonly head: ChainHead;
  readonly checkpoint: Checkpoint | null;
  readonly open: string;
}

/** The chain with these events at its end, and the blocks that have changed, by document id. */
export function grown(
  { head, open }: Pick<Chain, 'head' | 'open'>,
  events: readonly StoredEvent[],
): { readonly blocks: ReadonlyMap<string, string>; readonly head: ChainHead; readonly open: string } {
  const blocks = new Map<string, string>();
  let { count, position } = head;
  let link = head.head;
  let links = open;
  for (const event of events) {
    count += 1;
    position = event.position;
    link = linkAfter(link, count, event);
    if (links.length === linksPerBlock * linkCharacters) links = '';
    links += link;
    blocks.set(blockId(blockOf(count)), links);
  }
  return { blocks, head: { count, head: link, position }, open: links };
}

export const emptyChain: ChainHead = { count: 0, head: firstLink, position: logStart };

/** The block in which the event with this ordinal has its link; the first one before the first event. */
export const blockOf = (ordinal: number): number => Math.max(0, Math.ceil(ordinal / linksPerBlock) - 1);
export const blockId = (block: number): string => String(block).padStart(12, '0');

type Links = Pick<ReadModelReader, 'checkpoint' | 'getMany'>;

async function linksOf(readModels: Links, block: number): Promise<string> {
  const id = blockId(block);
  return (await readModels.getMany<EvidenceBlock>(evidenceView, [id])).get(id)?.document.links ?? '';
}

/** The links, in hex, as they were computed when the events were first read. @throws ReadModelsUnavailableError */
export async function* storedLinks(readModels: Links): AsyncGenerator<string, undefined> {
  const { count } = (await keptHead(readModels)) ?? emptyChain;
  for (let block = 0; block * linksPerBlock < count; block += 1) {
    const links = await linksOf(readModels, block);
    for (let at = 0; at < Math.min(linksPerBlock, count - block * linksPerBlock); at += 1)
      yield links.slice(at * linkCharacters, (at + 1) * linkCharacters);
  }
  return undefined;
}

/** How far the kept chain goes; undefined where none is kept. @throws ReadModelsUnavailableError */
export async function keptHead(readModels: Links): Promise<ChainHead | undefined> {
  const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
  if (checkpoint === null) return undefined;
  const count = countOf(checkpoint);
  const block = blockOf(count);
  const end = (count - block * linksPerBlock) * linkCharacters;
  const head = (await linksOf(readModels, block)).slice(Math.max(0, end - linkCharacters), end);
  return { count, head, position: checkpoint.position };
}
