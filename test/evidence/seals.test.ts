/** Seals that the service makes by itself: while it runs, at its end, in two places, and what the auditor sees of them. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audience, type Ended } from '../support/audience.js';
import { eventually, freshFolder, runToExit, startService, type Service } from '../support/service.js';

let service: Service;
const copies = path.join(freshFolder(), 'copies');
const seals = (): string => path.join(service.dataDir, 'seals');
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
const auditOf = (...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', service.dataDir, 'audit', ...words], { env: { SEAL_DIR: copies } });
const groupNamed = (name: string) => service.make('/v1/groups/create', { group_name: name }, 'group_id');

beforeAll(async () => {
  service = await startService({ env: { SEAL_EVERY: '1s', SEAL_DIR: copies } });
});
afterAll(async () => {
  await service.close();
  rmSync(path.dirname(copies), { recursive: true });
});

test('the log is sealed while it runs and at its end, each seal holds, and what could not be copied is copied later', async () => {
  await groupNamed('First');
  await eventually(async () => namesIn(seals())[0], { what: 'a seal' });
  await eventually(async () => (service.output().includes('cannot be copied') ? true : undefined), {
    what: 'a warning',
  });
  mkdirSync(copies);
  await groupNamed('Second');
  const begun = performance.now();
  const exit = await service.kill('SIGTERM');
  expect(exit.code).toBe(0);
  expect(performance.now() - begun).toBeLessThan(5_000);
  const names = namesIn(seals());
  expect(names.length).toBeGreaterThan(1);
  expect(namesIn(copies)).toEqual(names);
  expect(exit.output.match(/cannot be copied/g)).toHaveLength(1);
  const lines = exit.output.split('\n').filter((line) => line.includes('the log was sealed'));
  expect(lines).toHaveLength(names.length);

  const files = names.map((name) => path.join(seals(), name));
  const last = JSON.parse(readFileSync(files.at(-1) ?? '', 'utf8')) as { head: string; root: string };
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 30, count: 3, head: last.head, root: last.root });
  const verified = await auditOf('verify', '--json', '--seal', ...files);
  expect(verified.code).toBe(0);
  expect(JSON.parse(verified.out)).toMatchObject({ count: 3, seals: names.map(() => ({ holds: true })) });
  const listed = await auditOf('seals', '--json');
  expect(listed.code).toBe(0);
  const rows = listed.out.trimEnd().split('\n');
  expect(rows).toHaveLength(names.length);
  expect(JSON.parse(rows.at(-1) ?? '')).toMatchObject({
    ...{ count: 3, head: last.head, fits: true, reason: null },
    files: [files.at(-1), path.join(copies, names.at(-1) ?? '')],
  });

  // Nothing came since: no further seal.
  await service.start();
  await service.kill('SIGTERM');
  expect(namesIn(seals())).toEqual(names);
});

test('a seal that was altered is told from one that holds', async () => {
  const [name = ''] = namesIn(copies);
  const file = path.join(copies, name);
  chmodSync(file, 0o600);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"count": \d+/, '"count": 9'));
  writeFileSync(path.join(seals(), 'other.json'), '{}');
  const { code, out, err } = await auditOf('seals');
  expect(code).toBe(1);
  expect(out).toMatch(/ no: its signature is not right .*copies/);
  expect(out).toMatch(/ no: it is no seal that can be read .*other\.json/);
  expect(out).toMatch(/ yes /);
  expect(err).toContain('A seal proves nothing against a person who has its key');

  const newest = path.join(seals(), namesIn(copies).at(-1) ?? '');
  writeFileSync(newest, readFileSync(newest, 'utf8').replace(/"count": \d+/, '"count": 2'));
  await service.start();
  const warned = 'the newest seal in the data folder does not hold';
  await eventually(async () => (service.output().includes(warned) ? true : undefined), { what: 'a warning' });
  await service.kill('SIGTERM');
});

test('a key that cannot be used keeps the service from starting, before anything is written', async () => {
  const folder = freshFolder();
  const exit = await runToExit(folder, { SEAL_KEY: path.join(folder, 'no-key.pem') });
  expect(exit.code).toBe(1);
  expect(exit.output).toMatch(/cannot start: SEAL_KEY: the key file .* cannot be read/);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
