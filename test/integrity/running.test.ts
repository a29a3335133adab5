/** Alterations of the log while the service runs, and what the service does when it finds them. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AlteredLogError } from '../../src/eventstore/log-source.js';
import { document, rows, section } from '../support/markdown.js';
import { newFolder } from '../support/integrity-log.js';
import { addContacts, getFrom, localKey, startLocally, urlOf } from '../support/local-service.js';
import { eventually, startService } from '../support/service.js';
import {
  append,
  appendRestored,
  change,
  cutAfter,
  inLog,
  readSeals,
  sealsOf,
  stateOf,
  withoutSecret,
  type Scene,
} from './attacks.js';
import { envOf, isChecked, ready, sealNow, startOn, verify } from './scene.js';

/** Starts a service whose log was checked. Each contact is two events. */
async function running(contacts = 10) {
  const root = newFolder();
  const scene: Scene = { folder: path.join(root, 'data'), copies: path.join(root, 'seals') };
  mkdirSync(scene.copies);
  const service = await startLocally(scene.folder, envOf(scene));
  const isAltered = (error: unknown): void => expect(error).toBeInstanceOf(AlteredLogError);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= service.close());
  onTestFinished(() => close().catch(isAltered));
  const found: AlteredLogError[] = [];
  void service.altered?.then((error) => found.push(error));
  await addContacts(scene.folder, contacts);
  await ready(scene.folder);
  await vi.waitUntil(() => isChecked(scene.folder), { timeout: 20_000 });
  return { scene, close, found };
}

const newGroup = (folder: string): Promise<Response> =>
  fetch(urlOf(folder, '/v1/groups/create'), {
    method: 'POST',
    headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ group_name: randomUUID() }),
  });
const proofOf = (folder: string, ordinal: number): Promise<Response> =>
  getFrom(folder, `/v1/audit/events/${String(ordinal).padStart(20, '0')}/proof`);

test('the next append finds an event of another program: it is refused, as all later ones, and the service becomes unready', async () => {
  const { scene, found } = await running();
  append(scene);
  const { count } = stateOf(scene.folder);
  expect((await newGroup(scene.folder)).status).toBe(503);
  await vi.waitUntil(() => found.length === 1);
  expect(String(found[0])).toContain(`the log ends with event ${count}, but this service has appended ${count - 1}`);
  expect((await newGroup(scene.folder)).status).toBe(503);
  expect((await getFrom(scene.folder, '/health/ready')).status).toBe(503);
  expect(stateOf(scene.folder).count).toBe(count);
});

test('the read-back finds an event of another program, and no seal covers it', async () => {
  const { scene, close, found } = await running();
  append(scene);
  expect((await proofOf(scene.folder, 3)).status).toBe(503);
  await vi.waitUntil(() => found.length === 1);
  expect(String(found[0])).toContain('another program has written to it');
  expect((await newGroup(scene.folder)).status).toBe(503);
  await expect(close()).rejects.toThrow(AlteredLogError);
  const { count } = stateOf(scene.folder);
  expect(readSeals(sealsOf(scene.folder)).filter((seal) => seal.count >= count || seal.final)).toEqual([]);
});

test('the last read-back finds an event that another program appended before the stop, and makes no final seal', async () => {
  const { scene, close, found } = await running();
  append(scene);
  await expect(close()).rejects.toThrow('another program has written to it');
  await vi.waitUntil(() => found.length === 1);
  expect(readSeals(scene.copies)).toEqual([]);
});

test.each([
  [
    'changes the last event',
    (count: number) => change(count),
    /block 0 differs: .* at or after event 23, up to event 24/,
  ],
  [
    'exchanges the last event',
    (count: number) => inLog(`update events set event_id = 'another-id' where position = ${count}`),
    /block 0 differs/,
  ],
  ['appends a LogRestored event', () => appendRestored(withoutSecret), /another program has written to it/],
  ['cuts off the last event', (count: number) => cutAfter(count - 1), /another program has written to it/],
] as const)('the read-back finds that somebody %s, which was not read back before', async (_, attackOn, says) => {
  const { scene, found } = await running();
  await sealNow(scene.folder);
  const sealed = readSeals(sealsOf(scene.folder)).at(-1)?.count ?? 0;
  expect((await newGroup(scene.folder)).status).toBe(200);
  const { count } = stateOf(scene.folder);
  attackOn(count)(scene);
  const left = stateOf(scene.folder);
  // A proof of an event that no seal covers.
  expect((await proofOf(scene.folder, sealed + 1)).status).toBe(503);
  await vi.waitUntil(() => found.length === 1);
  expect(String(found[0])).toMatch(says);
  expect((await newGroup(scene.folder)).status).toBe(503);
  expect((await getFrom(scene.folder, '/health/ready')).status).toBe(503);
  expect(stateOf(scene.folder)).toEqual(left);
  expect(readSeals(sealsOf(scene.folder)).at(-1)?.count).toBe(sealed);
});

test('no proof is made with an event of the same block that was changed after it was read back', async () => {
  const { scene, found } = await running();
  await sealNow(scene.folder);
  change(5)(scene);
  expect((await proofOf(scene.folder, 7)).status).toBe(503);
  await vi.waitUntil(() => found.length === 1);
  expect(String(found[0])).toContain('events of the log are not those of the seal');
});

test('an event of an earlier block that is changed after it was read back is found by the check after the next start', async () => {
  const { scene, close, found } = await running(130);
  await sealNow(scene.folder);
  await newGroup(scene.folder);
  change(5)(scene);
  await sealNow(scene.folder);
  await close();
  expect(found).toEqual([]);
  expect(await verify(scene)).toMatchObject({ code: 1 });
  const start = await startOn(scene);
  expect(start).toMatchObject({ refused: '', altered: expect.stringContaining('events 1 to 256') as string });
});

test('the table of docs/evidence.md says what the read-back finds', () => {
  const table = rows(section(document('docs/evidence.md'), '## What is found, and what is not'));
  const readBack = (attack: string): string | undefined => table.find(([name]) => name === attack)?.[3];
  expect([
    readBack('appends an event while the service runs, or changes one that was not read back yet'),
    readBack('changes an event while the service runs, after it was read back'),
  ]).toEqual(['yes', '**no**']);
});

test('a process ends with code 1, and logs the block and the first event in question at level fatal', async () => {
  const service = await startService({ env: { SEAL_EVERY: '0' } });
  onTestFinished(() => service.close());
  await service.make('/v1/groups/create', { group_name: 'One' }, 'group_id');
  await eventually(async () => {
    const { body } = await service.get('/health/ready');
    return (body as { data: { integrity: { read_back_at: string | null } } }).data.integrity.read_back_at ?? undefined;
  });
  await service.make('/v1/groups/create', { group_name: 'Two' }, 'group_id');
  inLog(`update events set data = replace(data, 'Two', 'Too') where position = 3`)({
    folder: service.dataDir,
    copies: '',
  });
  expect((await service.get(`/v1/audit/events/${'3'.padStart(20, '0')}/proof`)).status).toBe(503);
  const pid = service.pid();
  await eventually(() => Promise.resolve(isAlive(pid) ? undefined : true));
  const { code } = await service.kill('SIGTERM');
  expect(code).toBe(1);
  const lines = service.output().split('\n');
  const fatal = lines.find((line) => line.includes('stopping: the event log was altered')) ?? '';
  expect(JSON.parse(fatal)).toMatchObject({ level: 60, err: { type: 'AlteredLogError' } });
  expect(fatal).toMatch(/block 0 differs: the difference is at or after event \d, up to event 3/);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
