/** Roots of complete blocks of a log on a server, as they are kept beside the views, many in a document; and the tree that they and the blocks are. */
import { firstLink, fromHex, linkOf, toHex, type Hash } from '../eventstore/chain.js';
import type { Position } from '../eventstore/event-store.js';
import { blockOf, eventsPerBlock, type TreeSource } from '../eventstore/tree.js';
import {
  blockId,
  blocksPerPage,
  countOf,
  evidenceCheckpoint,
  hashCharacters,
  hashesIn,
  keptBlock,
  rootOfBlock,
  rootsView,
  type Block,
  type EvidenceReader,
  type RootsPage,
} from './link-blocks.js';

const pageOf = (block: number): number => Math.floor(block / blocksPerPage);

async function keptPage(readModels: EvidenceReader, page: number): Promise<RootsPage> {
  const id = blockId(page);
  const stored = await readModels.getMany<RootsPage>(rootsView, [id]);
  return stored.get(id)?.document ?? { roots: '', firsts: [] };
}

/** The pages that change with these blocks, by document id. */
export async function rootsPages(
  readModels: EvidenceReader,
  blocks: ReadonlyMap<number, Block>,
): Promise<ReadonlyMap<string, RootsPage>> {
  const pages = new Map<string, RootsPage>();
  for (const [number, block] of blocks) {
    const root = rootOfBlock(block);
    if (root === undefined) continue;
    const page = pageOf(number);
    const { roots, firsts } = pages.get(blockId(page)) ?? (await keptPage(readModels, page));
    // A commit that was broken off may have left more.
    const before = number % blocksPerPage;
    pages.set(blockId(page), {
      roots: roots.slice(0, before * hashCharacters) + toHex(root),
      firsts: [...firsts.slice(0, before), block.positions[0] ?? ''],
    });
  }
  return pages;
}

/** The tree of a log whose evidence is kept beside the views. */
export function keptTree(readModels: EvidenceReader): TreeSource {
  const count = async (): Promise<number> => {
    const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
    return checkpoint === null ? 0 : countOf(checkpoint);
  };

  async function* pages(): AsyncGenerator<RootsPage> {
    const blocks = Math.floor((await count()) / eventsPerBlock);
    for (let page = 0; page * blocksPerPage < blocks; page += 1) yield await keptPage(readModels, page);
  }

  /** Where each block begins. The one that is not complete stands in no page. */
  async function beginnings(): Promise<readonly Position[]> {
    const firsts: Position[] = [];
    for await (const page of pages()) firsts.push(...page.firsts);
    const open = await keptBlock(readModels, firsts.length);
    return [...firsts, ...(open?.positions.slice(0, 1) ?? [])];
  }

  /** Of all events of the block that are kept. */
  async function leavesOf(block: number): Promise<readonly Hash[]> {
    const leaves = hashesIn((await keptBlock(readModels, block))?.leaves ?? '');
    return leaves.slice(0, Math.max(0, (await count()) - block * eventsPerBlock));
  }

  return {
    count,
    leavesOf,
    async blockRoots(blocks) {
      const roots: Hash[] = [];
      for await (const page of pages()) roots.push(...hashesIn(page.roots));
      return roots.slice(0, blocks);
    },
    async ordinalsAt(positions) {
      const end = (await readModels.checkpoint(evidenceCheckpoint))?.position ?? '';
      const firsts = await beginnings();
      const wanted = new Set(positions.filter((position) => position <= end));
      const ordinals = new Map<Position, number>();
      for (const block of new Set([...wanted].map((position) => firsts.findLastIndex((first) => first <= position))))
        for (const [index, position] of ((await keptBlock(readModels, block))?.positions ?? []).entries())
          if (wanted.delete(position)) ordinals.set(position, block * eventsPerBlock + index + 1);
      // Otherwise a proof would leave the event out, as if it did not exist.
      for (const position of wanted) throw new Error(`the event at ${position} is not among those that are kept`);
      return positions.map((position) => ordinals.get(position));
    },
    async linkAt(ordinal) {
      const block = blockOf(ordinal);
      const before = block === 0 ? firstLink : (await keptBlock(readModels, block - 1))?.link;
      const leaves = (await leavesOf(block)).slice(0, ordinal - block * eventsPerBlock);
      if (before === undefined || leaves.length < ordinal - block * eventsPerBlock) return undefined;
      return toHex(leaves.reduce(linkOf, fromHex(before)));
    },
  };
}
