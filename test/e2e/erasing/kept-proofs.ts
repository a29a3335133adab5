/** What an auditor keeps from before erasures, and how it holds afterwards. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { usually } from '../../support/amount.js';
import { iso } from './answers-of-others.js';
import { audience, type Ended } from '../../support/audience.js';
import type { World } from './commands.js';
import { eventually, type Service } from '../../support/service.js';
import { onServers, storeVariables } from '../../support/stores.js';
import type { Person } from './unmistakable-people.js';
import { verifyAll } from '../../support/verify-many.js';

export interface Story {
  readonly world: World;
  /** A folder for what an auditor keeps. */
  readonly evidence: string;
  /** Ends of the chapters. */
  readonly moments: number[];
  /** From before the erasures. */
  readonly seals: string[];
  readonly proofs: Proof[];
}

interface Proof {
  readonly of: Person;
  /** How much of the person was gone then. */
  readonly gone: number;
  readonly seal: string;
  readonly file: string;
}

const cli = ({ dataDir, key }: Service, ...words: readonly string[]): Promise<Ended> =>
  audience(words, { env: { ...storeVariables(dataDir), DATA_DIR: dataDir, AUDIENCE_KEY: key } });

/** A command that must succeed. */
export async function done(service: Service, ...words: readonly string[]): Promise<Ended> {
  const ended = await cli(service, ...words);
  expect(ended.code, `${words.join(' ')}: ${ended.out}${ended.err}`).toBe(0);
  return ended;
}

/** On servers, blocks follow a moment after the events. */
const prove = (service: Service, { email }: Person, options: readonly string[]): Promise<true> =>
  eventually(async () => {
    const { code, out, err } = await cli(service, 'audit', 'prove', email, ...options);
    if (onServers && err.includes('the tree of the log has fewer')) return undefined;
    expect(code, out + err).toBe(0);
    return true;
  });

/** A seal, and the proof of somebody. */
export async function keepEvidence({ world, evidence, seals, proofs }: Story, of: Person | undefined): Promise<void> {
  const seal = path.join(evidence, `seal-${seals.length}.json`);
  await done(world.service, 'audit', 'seal', '--out', seal);
  seals.push(seal);
  if (of === undefined) return;
  const file = path.join(evidence, `proof-${seals.length}.json`);
  await prove(world.service, of, ['--seal', seal, '--out', file]);
  proofs.push({ of, gone: of.gone.length, seal, file });
}

/** The log is whole, and every seal and proof of before holds; a proof of who was not erased is made again to the byte. */
export async function expectEvidence({ world, evidence, seals, proofs }: Story, exported: string): Promise<void> {
  const { service } = world;
  const status = await done(service, 'privacy', 'status', '--json');
  expect(JSON.parse(status.out)).toMatchObject({ missing: { applied: [], reported: [] }, digests: [] });
  const verified = await done(service, 'audit', 'verify', '--json', '--seal', ...seals);
  const result = JSON.parse(verified.out) as { readonly seals: readonly { readonly state: string }[] };
  expect(result).toMatchObject({ intact: true, findings: [] });
  expect(result.seals.length).toBeGreaterThanOrEqual(seals.length);
  expect(result.seals.filter(({ state }) => state !== 'holds')).toEqual([]);
  for (const { of, seal, file } of proofs.filter((proof) => proof.of.gone.length === proof.gone)) {
    const again = path.join(evidence, 'again.json');
    await prove(service, of, ['--seal', seal, '--out', again, '--force']);
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'));
  }
  const checks = [[exported, ...seals], ...proofs.map(({ file, seal }) => [file, seal])];
  const verdicts = verifyAll(checks).map(({ code, output }) => (code === 0 ? 'holds' : output));
  expect(verdicts).toEqual(checks.map(() => 'holds'));
}

/** Everything that can be exported, into the data folder. @returns the file of the events */
export async function exportAll({ world: { service }, moments }: Story): Promise<string> {
  const folder = path.join(service.dataDir, 'exports');
  mkdirSync(folder);
  const events = path.join(folder, 'events.ndjson');
  await done(service, 'export', 'events', '--out', events);
  for (const what of usually(['contacts'], ['contacts', 'lists', 'growth']))
    for (const form of usually(['ndjson'], ['csv', 'ndjson', 'parquet']))
      await done(service, 'export', what, '--out', path.join(folder, `${what}.${form}`));
  for (const [at, moment] of usually(moments.slice(0, 1), moments).entries())
    await done(service, 'export', 'contacts', '--at', iso(moment), '--out', path.join(folder, `contacts-${at}.csv`));
  return events;
}
