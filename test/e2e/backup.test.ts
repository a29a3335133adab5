/** `audience backup` beside a running service: kills, a full disk, two at once, damage, and what is kept. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, someAddress, unique } from '../support/answers.js';
import { audience, audienceProcess, startAudience, type Ended } from '../support/audience.js';
import { freshFolder, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const program = fileURLToPath(new URL('../../dist/audience.js', import.meta.url));
const root = freshFolder();
let service: Service;
let list: string;
const bulk = (lines: number): string =>
  Array.from({ length: lines }, () => `${JSON.stringify({ email: someAddress(), status: 'Subscribed' })}\n`).join('');

const words = (folder: string, ...more: readonly string[]): readonly string[] => [
  ...['--data-dir', service.dataDir, 'backup', folder],
  ...more,
];
/** Whole or not, what looks like a backup there. */
const backupsIn = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
const verify = (folder: string): Promise<Ended> => audience(['backup', 'verify', folder]);

describe.skipIf(onServers)('a backup', () => {
  beforeAll(async () => {
    service = await startService();
    list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const headers = { 'content-type': 'application/x-ndjson' };
    const saved = await service.request('POST', `/v1/contacts/${list}/bulk`, { raw: bulk(3_000), headers });
    expect(saved.status).toBe(200);
  });
  afterAll(async () => {
    await service.close();
    rmSync(root, { recursive: true });
  });

  test('that is killed at any moment under load leaves no half of one, and the next sweeps up', async () => {
    const folder = path.join(root, 'killed');
    let isLoading = true;
    const load = (async () => {
      while (isLoading)
        await ok(service.post(`/v1/contacts/${list}/create`, { email: someAddress(), status: 'Subscribed' }));
    })();
    for (let round = 0; round < 8; round += 1) {
      const { child, ended } = startAudience(words(folder));
      const timer = setTimeout(() => child.kill(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM'), 150 + round * 60);
      await ended;
      clearTimeout(timer);
    }
    isLoading = false;
    await load;
    for (const name of backupsIn(folder)) expect(await verify(path.join(folder, name))).toMatchObject({ code: 0 });
    expect(await audience(words(folder))).toMatchObject({ code: 0 });
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual(['.lock']);
  });

  test('on a full disk is refused in words, and leaves nothing', async (context) => {
    const mounts = ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];
    if (spawnSync('unshare', mounts).status !== 0) context.skip('this machine does not permit mounting');
    const folder = path.join(root, 'small');
    mkdirSync(folder);
    const script = 'mount -t tmpfs -o size=300k tmpfs "$1" && { "$2" "$3" --data-dir "$4" backup "$1"; ls -A "$1"; }';
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', script, 'sh', folder, process.execPath, program, service.dataDir],
      { encoding: 'utf8' },
    );
    expect({ stdout, stderr }).toEqual({ stdout: '.lock\n', stderr: 'there is no room for a copy of the event log\n' });
  });

  test('of a folder on a full disk, where no service runs, goes to another one and leaves no trace', async (context) => {
    if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0)
      context.skip('this machine does not permit mounting');
    const other = await startService();
    await other.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    await other.kill('SIGTERM');
    const folder = path.join(root, 'elsewhere');
    const script =
      'mount -t tmpfs -o size=4m tmpfs /mnt && cp -a "$2/." /mnt && { dd if=/dev/zero of=/mnt/rest bs=4k status=none; "$3" "$4" --data-dir /mnt backup "$1" --json > "$1.out"; ls /mnt; }';
    const { stdout } = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', script, 'sh', folder, other.dataDir, process.execPath, program],
      {
        encoding: 'utf8',
      },
    );
    await other.close();
    expect(stdout).toContain('events.db\n');
    expect(stdout).not.toMatch(/-wal|-shm/);
    expect(await verify(folder)).toMatchObject({ code: 0 });
  });

  test('is for its owner only, and has secrets only where they are asked for', async () => {
    const folder = path.join(root, 'modes');
    const plain = JSON.parse((await audience(words(folder))).out) as { folder: string };
    const whole = JSON.parse((await audience(words(folder, '--with-secrets'))).out) as { folder: string };
    expect(readdirSync(plain.folder).sort()).toEqual(['events.db', 'manifest.json', 'register.ndjson']);
    expect(readdirSync(whole.folder)).toContain('secret');
    for (const name of readdirSync(whole.folder))
      expect(statSync(path.join(whole.folder, name)).mode & 0o077, name).toBe(0);
  });

  test('keeps as many as are wanted', async () => {
    const folder = path.join(root, 'kept');
    for (let round = 0; round < 3; round += 1) await audience(words(folder, '--keep', '2'));
    expect(backupsIn(folder)).toHaveLength(2);
    expect(await audience(words(folder, '--keep', '0'))).toMatchObject({ code: 2 });
    const file = path.join(service.dataDir, 'secret');
    expect(await audience(words(file))).toMatchObject({ code: 1, err: `${file} is not a folder.\n` });
  });

  test('beside another one into the same folder is refused, and the other one is whole', async () => {
    const folder = path.join(root, 'two');
    const ended = await Promise.all([1, 2, 3].map(() => audienceProcess(words(folder, '--json'))));
    const done = ended.filter(({ code }) => code === 0);
    expect(done.length).toBeGreaterThanOrEqual(1);
    for (const { err } of ended.filter(({ code }) => code !== 0)) expect(err).toContain('Another backup is being made');
    expect(backupsIn(folder)).toHaveLength(done.length);
    for (const name of backupsIn(folder)) expect(await verify(path.join(folder, name))).toMatchObject({ code: 0 });
  });

  test('that was damaged is found by its sums, and not restored', async () => {
    const folder = path.join(root, 'damaged');
    const { folder: made } = JSON.parse((await audience(words(folder))).out) as { folder: string };
    const log = path.join(made, 'events.db');
    truncateSync(log, statSync(log).size - 4096);
    expect(await verify(folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('its SHA-256 does not match') as string,
    });
    const to = path.join(root, 'nothing');
    expect(await audience(['restore', folder, '--to', to, '--without-newer-register'])).toMatchObject({ code: 1 });
    expect(existsSync(to)).toBe(false);
    rmSync(log);
    expect(await verify(folder)).toMatchObject({ code: 1, err: expect.stringContaining('is missing') as string });
  });

  test('of a log that was altered is not made', async () => {
    await service.kill('SIGTERM');
    const altered = path.join(root, 'altered');
    cpSync(service.dataDir, altered, { recursive: true });
    const log = path.join(altered, 'events.db');
    const bytes = readFileSync(log);
    const at = bytes.indexOf('example.com');
    expect(at).toBeGreaterThan(0);
    bytes.write('exbmple.com', at);
    writeFileSync(log, bytes);
    const folder = path.join(root, 'of-altered');
    const said = await audience(['--data-dir', altered, 'backup', folder]);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('was altered') as string });
    expect(backupsIn(folder)).toEqual([]);
    // With no service on it, a good one is made as well.
    expect(await audience(words(path.join(root, 'still')))).toMatchObject({ code: 0 });
  });
});
