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
import { evidenceVectors } from './vectors/evidence.js';
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
      seals: z.array(z.string()).optional(),
      publicKey: z.string().optional(),
      exit: z.number().optional(),
    }),
  ),
});

/** Each case with its text. */
function casesOf(name: string) {
  const all = cases.parse(JSON.parse(read(name))).cases;
  return all.map(({ text, of, change, ...one }) => {
    const base = text ?? all.find((other) => other.name === of)?.text ?? '';
    return {
      ...one,
      name: `${name}: ${one.name}`,
      text: change === undefined ? base : base.replace(change[0], () => change[1]),
    };
  });
}

test('verify.mjs says of each proof and export what stands there, and takes no seal that does not hold', () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'vectors-'));
  let files = 0;
  const fileOf = (text: string): string => {
    const file = path.join(scratch, String((files += 1)));
    writeFileSync(file, text);
    return file;
  };
  const [whole] = casesOf('exports');
  const sealed = casesOf('seals').map(({ text, ...one }) => ({ ...one, text: whole?.text ?? '', seal: text }));
  const all = [...['proofs', 'events', 'consistency', 'exports'].flatMap(casesOf), ...sealed];
  const verdicts = verifyAll(
    all.map(({ text, seal, seals = seal === undefined ? [] : [seal], publicKey }) => [
      ...[text, ...seals].map(fileOf),
      ...(publicKey === undefined ? [] : ['--public-key', fileOf(publicKey)]),
    ]),
  );
  rmSync(scratch, { recursive: true });
  expect(all.map(({ name }, at) => [name, verdicts[at]?.code])).toEqual(
    all.map(({ name, valid, exit = valid ? 0 : 1 }) => [name, exit]),
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
