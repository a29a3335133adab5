/** Proofs over random logs: each event of each person, at random seals, checked by our own code and by verify.mjs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { leafOf, toHex } from '../../src/eventstore/leaf.js';
import { createTree } from '../../src/integrity/tree-proofs.js';
import { isConsistent, rootByInclusion } from '../support/tree-proofs.js';
import { proving, writePast } from '../support/proofs.js';
import { verifyAll } from '../support/verify-many.js';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'prove-long-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('every event of logs of up to 5,000 events has its path, and every earlier log is consistent', async () => {
  const file = await writePast(newFolder(), { people: 7, rounds: 4_950 });
  await proving(file, async ({ log }) => {
    const leaves: string[] = [];
    for await (const events of log.readAll())
      for (const event of events) leaves.push(toHex(leafOf(leaves.length + 1, event)));
    const sizes = fc.sample(fc.integer({ min: 1, max: leaves.length }), 12);
    for (const count of [1, 2, 255, 256, 257, leaves.length, ...sizes]) {
      const tree = createTree(log.tree);
      const newer = { count, root: await tree.rootAt(count) };
      for (let ordinal = 1; ordinal <= count; ordinal += 1) {
        const leaf = leaves[ordinal - 1] ?? '';
        const way = await tree.inclusion(ordinal, count);
        if (rootByInclusion({ ordinal, count, leaf, path: way }) !== newer.root)
          expect({ ordinal, count }).toBe('an event with a path');
        const older = { count: ordinal, root: await tree.rootAt(ordinal) };
        if (!isConsistent(older, newer, await tree.consistency(ordinal, count)))
          expect({ older, newer }).toBe('consistent');
      }
    }
  });
});

test('the proof of each person of random logs holds for verify.mjs', async () => {
  const logs = fc.record({
    people: fc.integer({ min: 1, max: 9 }),
    rounds: fc.integer({ min: 0, max: 700 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  for (const { people, rounds, part } of fc.sample(logs, 25)) {
    const folder = newFolder();
    await proving(await writePast(folder, { people, rounds }), async ({ log, seal, prove }) => {
      const count = await log.tree.count();
      const sealed = await seal(Math.max(1, Math.ceil(part * count)));
      const files: string[] = [];
      for (let person = 1; person <= people; person += 1) {
        const proof = await prove(person, sealed).catch((error: Error) => {
          expect(error.message).toContain('after the seal');
        });
        const file = path.join(folder, `${person}.json`);
        if (proof === undefined) continue;
        writeFileSync(file, JSON.stringify(proof));
        files.push(file);
      }
      expect(verifyAll(files.map((file) => [file])).filter(({ code }) => code !== 0)).toEqual([]);
    });
  }
});
