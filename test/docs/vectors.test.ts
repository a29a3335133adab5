/**
 * docs/vectors: what the code makes is what stands there, and verify.mjs says of each what stands there.
 * `UPDATE_VECTORS=1` writes them down; once they are published, they stay as they are.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { rootByInclusion } from '../../src/evidence/proofs.js';
import { checkSeal, parseSeal } from '../../src/evidence/seal.js';
import { isConsistent } from '../support/consistency.js';
import { evidenceVectors } from '../support/evidence-vectors.js';
import { verifyAll } from '../support/verify-many.js';

const folder = fileURLToPath(new URL('../../docs/vectors', import.meta.url));
const read = (name: string): string => readFileSync(path.join(folder, `${name}.json`), 'utf8');

test('they are what the code makes', async () => {
  const made = await evidenceVectors();
  for (const [name, vectors] of Object.entries(made)) {
    const text = `${JSON.stringify(vectors, undefined, 2)}\n`;
    if (process.env['UPDATE_VECTORS'] === '1') {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `${name}.json`), text);
    }
    expect(JSON.parse(read(name)), name).toEqual(JSON.parse(text));
  }
});

const root = z.object({ count: z.number(), root: z.string() });
const treeVectors = z.object({
  inclusion: z.array(z.object({ ordinal: z.number(), count: z.number(), root: z.string(), path: z.array(z.string()) })),
  consistency: z.array(z.object({ older: root, newer: root, path: z.array(z.string()) })),
});

test('paths of the tree lead to its roots', async () => {
  const { createHash } = await import('node:crypto');
  const { inclusion, consistency } = treeVectors.parse(JSON.parse(read('tree')));
  for (const { root: wanted, ...given } of inclusion) {
    const leaf = createHash('sha256').update(`\0${given.ordinal}`).digest('hex');
    expect(rootByInclusion({ ...given, leaf })).toBe(wanted);
  }
  for (const { older, newer, path: way } of consistency) expect(isConsistent(older, newer, way)).toBe(true);
});

const cases = z.object({
  cases: z.array(
    z.object({
      name: z.string(),
      valid: z.boolean(),
      text: z.string().optional(),
      of: z.string().optional(),
      change: z.tuple([z.string(), z.string()]).optional(),
      seal: z.string().optional(),
    }),
  ),
});

/** Each case with its text. */
function casesOf(name: string) {
  const all = cases.parse(JSON.parse(read(name))).cases;
  return all.map(({ text, of, change, ...one }) => {
    const base = text ?? all.find((other) => other.name === of)?.text ?? '';
    return { ...one, name: `${name}: ${one.name}`, text: change === undefined ? base : base.replace(...change) };
  });
}

test('verify.mjs says of each proof whether it holds', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'vectors-'));
  const all = ['proofs', 'consistency'].flatMap(casesOf);
  const calls = all.map(({ text, seal }, number) => {
    const files = [text, ...(seal === undefined ? [] : [seal])].map((content, at) => {
      const file = path.join(scratch, `${number}-${at}.json`);
      writeFileSync(file, content);
      return file;
    });
    return files;
  });
  const verdicts = verifyAll(calls);
  rmSync(scratch, { recursive: true });
  expect(all.map(({ name }, at) => [name, verdicts[at]?.code])).toEqual(
    all.map(({ name, valid }) => [name, valid ? 0 : 1]),
  );
});

test('a seal holds or does not', () => {
  const holds = (text: string): boolean => {
    try {
      return checkSeal(parseSeal(text)).isSigned;
    } catch {
      return false;
    }
  };
  for (const { name, text, valid } of casesOf('seals')) expect([name, holds(text)]).toEqual([name, valid]);
});
