/** Roots of complete blocks of a log on a server, as they are kept beside the views, many in a document; and the tree that they and the blocks are. */
import { toHex, type Hash } from '../eventstore/chain.js';
import type { EventReader, Position } from '../eventstore/event-store.js';
import { eventsPerBlock, type TreeSource } from '../eventstore/tree.js';
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
  type Kept,
  type RootsPage,
} from './link-blocks.js';

const pageOf = (block: number): number => Math.floor(block / blocksPerPage);

async function keptPage(readModels: Kept, page: number): Promise<RootsPage> {
  const id = blockId(page);
  const stored = await readModels.getMany<RootsPage>(rootsView, [id]);
  return stored.get(id)?.document ?? { roots: '', firsts: [] };
}

/** The pages that change with these blocks, by document id. */
export async function rootsPages(
  readModels: Kept,
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
      firsts: [...firsts.slice(0, before), block.first],
    });
  }
  return pages;
}

/** The tree of a log whose evidence is kept beside the views. */
export function keptTree(reader: Pick<EventReader, 'readAll'>, readModels: Kept): TreeSource {
  const count = async (): Promise<number> => {
    const checkpoint = await readModels.checkpoint(evidenceCheckpoint);
    return checkpoint === null ? 0 : countOf(checkpoint);
  };

  async function* pages(): AsyncGenerator<RootsPage> {
    const blocks = Math.floor((await count()) / eventsPerBlock);
    for (let page = 0; page * blocksPerPage < blocks; page += 1) yield await keptPage(readModels, page);
  }

  /** The block in which that position is, and where it begins. */
  async function blockAt(
    position: Position,
  ): Promise<{ readonly number: number; readonly first: Position } | undefined> {
    let found: { readonly number: number; readonly first: Position } | undefined;
    let number = 0;
    for await (const { firsts } of pages())
      for (const first of firsts) {
        if (first > position) return found;
        found = { number, first };
        number += 1;
      }
    const open = await keptBlock(readModels, number);
    return open === undefined || open.first > position ? found : { number, first: open.first };
  }

  return {
    count,
    async blockRoots(blocks) {
      const roots: Hash[] = [];
      for await (const page of pages()) roots.push(...hashesIn(page.roots));
      return roots.slice(0, blocks);
    },
    async leavesOf(block) {
      const leaves = hashesIn((await keptBlock(readModels, block))?.leaves ?? '');
      return leaves.slice(0, Math.max(0, (await count()) - block * eventsPerBlock));
    },
    async ordinalAt(position) {
      const block = await blockAt(position);
      if (block === undefined) return undefined;
      let ordinal = block.number * eventsPerBlock + 1;
      if (block.first === position) return ordinal;
      for await (const events of reader.readAll({ after: block.first, limit: eventsPerBlock - 1 }))
        for (const event of events) {
          ordinal += 1;
          if (event.position === position) return ordinal <= (await count()) ? ordinal : undefined;
        }
      return undefined;
    },
  };
}
