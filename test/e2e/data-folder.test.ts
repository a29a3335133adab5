/** The files of a data folder: who owns them, what a start removes, and that one service at a time writes to them. */
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { audienceProcess } from '../support/audience.js';
import { eventually, freshFolder, runToExit, startService, type Overrides } from '../support/service.js';
import { onServers } from '../support/stores.js';

const long = { timeout: 60_000 };
const nobody = 65_534;

function newFolder(): string {
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function started(dataDir: string, env: Overrides = {}) {
  const service = await startService({ dataDir, env });
  onTestFinished(() => service.close());
  return service;
}

/** Names of files, and of folders inside, that belong to another user. */
const ofOthers = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.uid !== nobody,
  );

test.skipIf(onServers)(
  'files that root creates in the data folder of another user belong to that user',
  long,
  async (context) => {
    if (process.geteuid?.() !== 0) context.skip('only root can give files away');
    const [folder, copies] = [newFolder(), newFolder()];
    for (const one of [folder, copies]) chownSync(one, nobody, nobody);
    const service = await started(folder, { SEAL_DIR: copies, SEAL_EVERY: '1s', API_KEYS: undefined });
    const key = readFileSync(path.join(folder, 'api-key.txt'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}` };
    const email = {
      from_email: 'shop@example.com',
      to_email: 'ada@example.com',
      subject: 'Hello',
      mail_template: 'Hello',
    };
    expect((await service.post('/v1/email/send', email, headers)).status).toBe(200);
    const list = (await service.post('/v1/lists/create', { list_name: 'News' }, headers)).field('list_id');
    const contact = { email: 'ada@example.com', status: 'Subscribed' };
    expect((await service.post(`/v1/contacts/${list}/create`, contact, headers)).status).toBe(200);
    const erasure = { email: 'grace@example.com', reason: 'requested' };
    expect((await service.post('/v1/privacy/erasures', erasure, headers)).status).toBe(202);
    const expected = [
      'register.ndjson',
      'seal-key.pem',
      'seals',
      'outbox',
      'events.db-wal',
      'views.db-shm',
      'events.lock',
    ];
    await eventually(async () =>
      expected.every((name) => existsSync(path.join(folder, name))) && readdirSync(copies).length > 0
        ? true
        : undefined,
    );
    // A new file gets its owner a moment after it was created.
    const isOwned = async () => ([folder, copies].every((one) => ofOthers(one).length === 0) ? true : undefined);
    await eventually(isOwned, { what: 'the owner of the folder' });
    await service.kill('SIGTERM');
    const [backups, restored] = [newFolder(), newFolder()];
    chownSync(restored, nobody, nobody);
    for (const words of [
      ['--data-dir', folder, 'backup', backups, '--with-secrets'],
      ['--data-dir', folder, 'restore', backups, '--to', restored, '--with-secrets', '--without-newer-register'],
    ]) {
      const { code, err } = await audienceProcess(words);
      expect({ words, code }, err).toEqual({ words, code: 0 });
    }
    expect(readdirSync(restored)).toEqual(expect.arrayContaining(['events.db', 'secret', 'seals', 'register.ndjson']));
    expect(ofOthers(restored)).toEqual([]);
    for (const name of ['seal-key.pem', 'seals']) rmSync(path.join(folder, name), { recursive: true });
    for (const words of [
      ['audit', 'prove', 'ada@example.com', '--out', path.join(newFolder(), 'proof.json')],
      ['audit', 'seal', '--out', path.join(newFolder(), 'seal.json')],
      ['audit', 'seal', '--out', path.join(folder, 'seal.json')],
      ['export', 'events', '--out', path.join(folder, 'events.ndjson')],
      ['backup', path.join(folder, 'backups')],
    ]) {
      const { code, err } = await audienceProcess(['--data-dir', folder, ...words]);
      expect({ words, code }, err).toEqual({ words, code: 0 });
    }
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['seal-key.pem']));
    expect(ofOthers(folder)).toEqual([]);
  },
);

test('drafts of a start that failed are removed by the next one, and no other files', long, async () => {
  const folder = newFolder();
  mkdirSync(path.join(folder, 'seals'));
  const left = ['secret.1.tmp', 'secret.4711.tmp', 'api-keys.json.1.tmp', 'address.22.tmp', 'seal-key.pem.3.tmp'];
  const ahead = 'clock.json.9.tmp';
  const seal = 'seals/2026-01-01T00-00-00.000Z.json.7.tmp';
  const others = ['notes.1.tmp', 'secret.tmp', 'seals/notes.1.tmp'];
  for (const name of [...left, ahead, seal, ...others]) writeFileSync(path.join(folder, name), 'half a secr');
  // On servers, newer drafts may belong to another process.
  const before = Date.now() / 1_000 - 120;
  for (const name of [...left, seal, ...others]) utimesSync(path.join(folder, name), before, before);
  const nextYear = Date.now() / 1_000 + 31_536_000;
  utimesSync(path.join(folder, ahead), nextYear, nextYear);
  await started(folder);
  const drafts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'));
  expect(drafts.sort()).toEqual(others.sort());
});

test.skipIf(onServers)(
  'a second service is refused at its start although the lock file was deleted',
  long,
  async () => {
    const folder = newFolder();
    const service = await started(folder);
    rmSync(path.join(folder, 'events.lock'));
    const address = path.join(folder, 'address');
    for (const attempt of [1, 2]) {
      const { code, output } = await runToExit(folder, {});
      expect({ attempt, code }).toEqual({ attempt, code: 1 });
      expect(output).toContain('its lock file');
      expect(existsSync(address)).toBe(true);
    }
    expect((await service.post('/v1/lists/create', { list_name: 'News' })).status).toBe(200);
    await service.kill('SIGKILL');
    await service.start();
  },
);
