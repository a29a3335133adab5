/**
 * The vectors in docs/vectors, checked by verify.mjs and by the code of the service. `UPDATE_VECTORS=1` writes the files.
 * Published vectors do not change.
 */
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromHex, leafOf, toHex } from '../../src/eventstore/leaf.js';
import { createGrowingTree, eventsPerBlock } from '../../src/eventstore/tree.js';
import { deriveRestoredKey } from '../../src/events/streams.js';
import { createProof, proofSchema } from '../../src/integrity/proofs.js';
import { createSeal, isSigned, parseSeal } from '../../src/integrity/seal.js';
import { createTree } from '../../src/integrity/tree-proofs.js';
import { verifyLog } from '../../src/integrity/verify.js';
import { sealKey, sourceOf } from './vectors/log.js';
import { verifyAll } from '../support/verify-many.js';
import { rootByInclusion } from '../support/tree-proofs.js';
import { allVectors } from './vectors/vectors.js';

const folder = fileURLToPath(new URL('../../docs/vectors', import.meta.url));
const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8'));

test('the files in docs/vectors are up to date', () => {
  for (const [name, vectors] of Object.entries(allVectors())) {
    const text = `${JSON.stringify(vectors, undefined, 2)}\n`;
    if (process.env['UPDATE_VECTORS'] === '1') writeFileSync(path.join(folder, `${name}.json`), text);
    expect(read(name), name).toEqual(JSON.parse(text));
  }
});

const root = z.object({ count: z.number(), root: z.string() });
const treeVectors = z.object({
  roots: z.array(root),
  inclusion: z.array(root.extend({ ordinal: z.number(), path: z.array(z.string()) })),
  consistency: z.array(z.object({ older: root, newer: root, path: z.array(z.string()) })),
});

test('the tree of the service has the roots and proofs of RFC 9162', async () => {
  const vectors = treeVectors.parse(read('tree'));
  const leaves = Array.from({ length: 600 }, (_, index) => fromHex(hash('sha256', `\0${index + 1}`)));
  const growing = createGrowingTree();
  const blocks = leaves.flatMap((leaf) => growing.add(leaf) ?? []);
  const tree = createTree({
    blockRoots: async (count) => blocks.slice(0, count),
    leavesOf: async (block) => leaves.slice(block * eventsPerBlock, (block + 1) * eventsPerBlock),
  });
  expect(toHex(growing.root() ?? '')).toBe(vectors.roots.at(-1)?.root);
  for (const { count, root: wanted } of vectors.roots) expect(await tree.rootAt(count)).toBe(wanted);
  for (const { ordinal, count, root: wanted, path: way } of vectors.inclusion) {
    expect(await tree.inclusion(ordinal, count)).toEqual(way);
    expect(rootByInclusion({ ordinal, count, leaf: toHex(leaves[ordinal - 1] ?? ''), path: way })).toBe(wanted);
  }
  for (const { older, newer, path: way } of vectors.consistency)
    expect(await tree.consistency(older.count, newer.count)).toEqual(way);
});

const leafVectors = z.object({
  events: z.array(
    z.object({
      ...{ ordinal: z.number(), stream: z.string(), revision: z.number(), event_id: z.string(), type: z.string() },
      ...{ data: z.string(), metadata: z.string(), leaf: z.string() },
    }),
  ),
});

test('the leaves of the events are those of the vectors', () => {
  for (const { event_id: id, ordinal, leaf, ...event } of leafVectors.parse(read('leaves')).events)
    expect(toHex(leafOf(ordinal, { id, ...event }))).toBe(leaf);
});

const vectors = z.object({
  cases: z.array(
    z.strictObject({
      name: z.string(),
      valid: z.boolean(),
      text: z.string().optional(),
      of: z.string().optional(),
      change: z.tuple([z.string(), z.string()]).optional(),
      seals: z.array(z.string()).optional(),
      excused: z.number().optional(),
      publicKey: z.string().optional(),
      exit: z.number().optional(),
    }),
  ),
});

/** Returns the cases of a file, each with its text. */
function casesOf(name: string) {
  const all = vectors.parse(read(name)).cases;
  return all.map(({ text, of, change, ...one }) => {
    const base = text ?? all.find((other) => other.name === of)?.text;
    if (base === undefined) throw new Error(`case "${one.name}" has no text`);
    return {
      ...one,
      name: `${name}: ${one.name}`,
      text: change === undefined ? base : base.replace(change[0], () => change[1]),
    };
  });
}

test('no two cases of a file have the same name', () => {
  for (const name of ['seals', 'exports', 'proofs', 'consistency', 'events']) {
    const names = casesOf(name).map((one) => one.name);
    expect([...new Set(names)]).toEqual(names);
  }
});

test('verify.mjs gives the verdict of the vectors on each export, seal and proof', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'vectors-'));
  let files = 0;
  const fileOf = (text: string): string => {
    const file = path.join(scratch, String((files += 1)));
    writeFileSync(file, text);
    return file;
  };
  const [whole] = casesOf('exports');
  const sealed = casesOf('seals').map(({ text, ...one }) => ({ ...one, text: whole?.text ?? '', seals: [text] }));
  const all = [...['proofs', 'events', 'consistency', 'exports'].flatMap(casesOf), ...sealed];
  const verdicts = verifyAll(
    all.map(({ text, seals = [], publicKey }) => [
      ...[text, ...seals].map(fileOf),
      ...(publicKey === undefined ? [] : ['--public-key', fileOf(publicKey)]),
    ]),
  );
  rmSync(scratch, { recursive: true });
  expect(
    all.map(({ name }, index) => ({
      name,
      exit: verdicts[index]?.code,
      excused: verdicts[index]?.output.match(/^excused: /gm)?.length ?? 0,
    })),
  ).toEqual(all.map(({ name, valid, exit = valid ? 0 : 1, excused = 0 }) => ({ name, exit, excused })));
});

function isRight(seal: string): boolean {
  try {
    return isSigned(parseSeal(seal));
  } catch {
    return false;
  }
}

test('the service writes the seal and the proof of the vectors', () => {
  const [sealText = '', proofText = ''] = ['seals', 'proofs'].map((name) => casesOf(name)[0]?.text);
  const seal = parseSeal(sealText);
  expect(createSeal(seal, sealKey, Date.parse(seal.sealed_at))).toEqual(seal);
  const parsed = proofSchema.parse(JSON.parse(proofText));
  expect(JSON.stringify(createProof(parsed, parsed.events, sealKey))).toBe(proofText);
});

test('the service reads the right seals of the vectors and refuses the wrong ones', () => {
  for (const { name, text, valid } of casesOf('seals')) expect([name, isRight(text)]).toEqual([name, valid]);
});

test.each([
  ['with', deriveRestoredKey(z.object({ secret: z.string() }).parse(read('exports')).secret)],
  ['without', undefined],
])('the service verifies the logs of the vectors %s the secret and agrees with verify.mjs', async (_, restoredKey) => {
  const found = [];
  const wanted = [];
  for (const { name, text, seals: sealTexts = [], valid, excused = 0, publicKey } of casesOf('exports')) {
    const source = sourceOf(text);
    // Other code of the service refuses these.
    if (source === undefined || publicKey !== undefined || !sealTexts.every(isRight)) continue;
    const seals = sealTexts.map(parseSeal);
    const verified = await verifyLog({ source, seals, restoredKey });
    found.push({
      name,
      valid: verified.intact,
      excused: verified.seals.filter(({ state }) => state === 'excused').length,
    });
    wanted.push({ name, valid, excused: valid ? excused : (expect.any(Number) as number) });
  }
  expect(found).toEqual(wanted);
  expect(found.length).toBeGreaterThan(100);
});
