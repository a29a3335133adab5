/** Restores of backups that were altered by an attacker who can write to their folder but does not know the secret. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataFolderAt } from '../../src/stores/data-folder.js';
import { firstSecret } from '../../src/stores/first-start.js';
import { audience } from '../support/audience.js';
import { alterManifest, backUp, newLogFolder, newRoot, restoreTo, type LogFolder } from '../support/backups.js';

const { root, remove } = newRoot();
let log: LogFolder;
/** A backup that is made once, with secrets and a seal. */
let original: string;
/** A copy of it, for one test. */
let backup: string;
let to: string;
let number = 0;

const sealName = 'seal-00000001-2026-01-01T00-00-00.000Z.json';
const keysFile = `${JSON.stringify([{ id: 'evil', sha256: 'f'.repeat(64) }])}\n`;

beforeAll(async () => {
  log = await newLogFolder(path.join(root, 'data'));
  renameSync(await log.seal(), path.join(log.dataDir, 'seals', sealName));
  original = (await backUp(log, path.join(root, 'backups'), '--with-secrets')).folder;
});
afterAll(remove);
beforeEach(() => {
  number += 1;
  const own = path.join(root, String(number));
  [backup, to] = [path.join(own, 'backup'), path.join(own, 'restored')];
  cpSync(original, backup, { recursive: true });
});

/** Puts a file into the backup, and lists it in the manifest. */
function plant(name: string, content: string): void {
  const sha256 = createHash('sha256').update(content).digest('hex');
  writeFileSync(path.join(backup, name), content);
  alterManifest(backup, (manifest) => {
    manifest.files = manifest.files.filter((one) => one.name !== name);
    manifest.files.push({ name, bytes: Buffer.byteLength(content), sha256 });
    const secrets = ['secret', 'api-keys.json', 'seal-key.pem'];
    manifest.secrets = secrets.filter((secret) => manifest.files.some((one) => one.name === secret));
  });
}

/** Removes the secrets from the backup and its manifest. */
function withoutSecrets(): void {
  for (const name of ['secret', 'api-keys.json', 'seal-key.pem']) rmSync(path.join(backup, name));
  alterManifest(backup, (manifest) => {
    manifest.files = manifest.files.filter(({ name }) => !manifest.secrets.includes(name));
    manifest.secrets = [];
  });
}

const includes = (text: string): string => expect.stringContaining(text) as string;

describe('names in a manifest', () => {
  test.each([
    '../.env',
    '..',
    '/etc/passwd',
    'seals/../../.env',
    'seals/sub/2026-01-01T00-00-00.000Z.json',
    'seals\\2026-01-01T00-00-00.000Z.json',
    'seals/anything.json',
    'seals',
    '.env',
    'api-key.txt',
    'views.db',
    'restored.json',
    'EVENTS.DB',
    'Api-Keys.json',
    '',
  ])('a restore refuses the file name %j, even with --accept-unsigned', async (name) => {
    writeFileSync(path.join(to, '..', '.env'), 'SECRET=mine\n');
    alterManifest(backup, ({ files }) => void files.push({ name, bytes: 0, sha256: '0'.repeat(64) }));
    const refused = await restoreTo(to, [backup, '--accept-unsigned', '--with-secrets']);
    expect(refused).toMatchObject({
      code: 1,
      err: includes(`names the file ${JSON.stringify(name)}, which no backup has`),
    });
    expect(readFileSync(path.join(to, '..', '.env'), 'utf8')).toBe('SECRET=mine\n');
    expect(existsSync(to)).toBe(false);
  });

  test('a restore does not overwrite the .env beside the new folder with "../.env" from the manifest', async () => {
    const [beside, theirs] = [path.join(to, '..', '.env'), path.join(to, '..', 'theirs', 'backup')];
    cpSync(backup, theirs, { recursive: true });
    backup = theirs;
    plant('../.env', 'SECRET=theirs\n');
    writeFileSync(beside, 'SECRET=mine\n');
    await restoreTo(to, [theirs]);
    expect(readFileSync(beside, 'utf8')).toBe('SECRET=mine\n');
  });

  test('a restore ignores files that the manifest does not list', async () => {
    for (const [name, content] of [
      ['events.db-wal', 'not a write-ahead log'],
      ['events.db-journal', 'not a journal'],
      ['.env', 'SECRET=theirs'],
      ['api-key.txt', 'theirs'],
    ] as const)
      writeFileSync(path.join(backup, name), content);
    expect(await restoreTo(to, [backup], { dataDir: log.dataDir })).toMatchObject({ code: 0 });
    expect(readdirSync(to).sort()).toEqual(['events.db', 'register.ndjson', 'restored.json', 'seals']);
    expect(readFileSync(path.join(to, 'register.ndjson'), 'utf8')).toBe('');
    expect(readFileSync(path.join(to, 'events.db'))).toEqual(readFileSync(path.join(original, 'events.db')));
    expect(readdirSync(path.join(to, 'seals'))).toEqual([sealName]);
  });

  test.each(['events.db', 'register.ndjson'])('a restore refuses a manifest without %s', async (name) => {
    alterManifest(backup, (manifest) => void (manifest.files = manifest.files.filter((one) => one.name !== name)));
    expect(await restoreTo(to, [backup])).toMatchObject({ code: 1, err: includes(`it does not name ${name}`) });
  });

  test('a restore refuses a manifest that names a file twice', async () => {
    alterManifest(backup, ({ files }) => void files.push(...files));
    expect(await restoreTo(to, [backup])).toMatchObject({ code: 1, err: includes('it names a file twice') });
  });
});

describe('links', () => {
  test.each(['events.db', 'register.ndjson', 'secret', `seals/${sealName}`, 'seals'])(
    'a restore does not follow a link in the backup in place of %s',
    async (name) => {
      const elsewhere = path.join(backup, '..', 'elsewhere');
      cpSync(path.join(backup, name), elsewhere, { recursive: true });
      rmSync(path.join(backup, name), { recursive: true });
      symlinkSync(elsewhere, path.join(backup, name));
      const refused = await restoreTo(to, [backup, '--with-secrets'], { dataDir: log.dataDir });
      expect(refused).toMatchObject({ code: 1, err: includes('is a link') });
      expect(existsSync(to)).toBe(false);
    },
  );

  test('a restore does not follow a link in place of the manifest', async () => {
    cpSync(path.join(backup, 'manifest.json'), path.join(backup, '..', 'elsewhere'));
    rmSync(path.join(backup, 'manifest.json'));
    symlinkSync(path.join(backup, '..', 'elsewhere'), path.join(backup, 'manifest.json'));
    expect(await restoreTo(to, [backup])).toMatchObject({ code: 1, err: includes('is not a regular file') });
  });

  test.each(['events.db', 'secret', 'restored.json', 'seals'])(
    'a restore does not follow the link %s in the new folder',
    async (name) => {
      mkdirSync(to);
      const target = path.join(to, '..', 'target');
      symlinkSync(target, path.join(to, name));
      const refused = await restoreTo(to, [backup, '--with-secrets'], { dataDir: log.dataDir });
      expect(refused).toMatchObject({ code: 1, err: includes('A backup is restored into a folder that is empty or') });
      expect(existsSync(target)).toBe(false);
      expect(readdirSync(to)).toEqual([name]);
    },
  );
});

describe('manifests that cannot be used', () => {
  const file = (): string => path.join(backup, 'manifest.json');
  test.each([
    ['is too large', () => truncateSync(file(), 16 * 1024 * 1024 + 1), 'no manifest is'],
    ['is nested deeply', () => writeFileSync(file(), '['.repeat(200_000) + ']'.repeat(200_000)), 'it is damaged'],
    ['is not JSON', () => truncateSync(file(), 100), 'it is damaged'],
    [
      'has a member of its own',
      () => alterManifest(backup, (manifest) => void (manifest['more'] = 1)),
      'it is damaged',
    ],
    [
      'is of an earlier development version',
      () => alterManifest(backup, (manifest) => void (manifest['format'] = 'audience-ledger-backup/1')),
      'Restore this backup with the version that made it',
    ],
    [
      'hides its secrets',
      () => alterManifest(backup, (manifest) => void (manifest.secrets = [])),
      'its lists of files and secrets and its number of seals disagree',
    ],
  ])('a manifest is refused with a reason if it %s', async (_, alter, message) => {
    alter();
    expect(await restoreTo(to, [backup, '--accept-unsigned'])).toMatchObject({ code: 1, err: includes(message) });
    expect(await audience(['backup', 'verify', backup])).toMatchObject({ code: 1, err: includes(message) });
  });
});

describe('secrets and keys of a backup', () => {
  test('secrets are restored only with --with-secrets, and named on standard error', async () => {
    const plain = await restoreTo(to, [backup], { dataDir: log.dataDir });
    expect(plain).toMatchObject({ code: 0, err: includes('Not restored: secret, api-keys.json, seal-key.pem.') });
    expect(plain.err).toContain('--with-secrets');
    expect(plain.err).toMatch(/Before the start, copy \S+data\/secret to \S+restored\/secret, or set SECRET[^\n]*\n$/);
    expect(readdirSync(to).sort()).toEqual(['events.db', 'register.ndjson', 'restored.json', 'seals']);
    const whole = await restoreTo(`${to}-2`, [backup, '--with-secrets'], { dataDir: log.dataDir });
    expect(whole).toMatchObject({ code: 0, err: 'Restored secrets and keys: secret, api-keys.json, seal-key.pem.\n' });
    expect(JSON.parse(whole.out)).toMatchObject({ manifest_mac: 'valid', secret_in: path.join(`${to}-2`, 'secret') });
    for (const name of ['secret', 'api-keys.json', 'seal-key.pem']) {
      expect(readFileSync(path.join(`${to}-2`, name))).toEqual(readFileSync(path.join(log.dataDir, name)));
      expect(statSync(path.join(`${to}-2`, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('a planted api-keys.json does not open all scopes', async () => {
    withoutSecrets();
    plant('api-keys.json', keysFile);
    const known = await restoreTo(to, [backup, '--with-secrets'], { dataDir: log.dataDir });
    expect(known).toMatchObject({ code: 1, err: includes('The MAC of') });
    expect(existsSync(to)).toBe(false);
    const unknown = await restoreTo(to, [backup]);
    expect(unknown).toMatchObject({ code: 1, err: includes('Nothing was checked with the secret') });
    expect(existsSync(to)).toBe(false);
  });

  test('secrets in the new folder are not replaced', async () => {
    mkdirSync(to);
    writeFileSync(path.join(to, 'secret'), `${log.secret}\n`);
    writeFileSync(path.join(to, 'api-keys.json'), '[]\n');
    const restored = await restoreTo(to, [backup, '--with-secrets']);
    expect(restored).toMatchObject({ code: 0, err: includes(': api-keys.json, secret.\n') });
    expect(readFileSync(path.join(to, 'api-keys.json'), 'utf8')).toBe('[]\n');
    expect(JSON.parse(restored.out)).toMatchObject({ manifest_mac: 'valid', secrets: { restored: ['seal-key.pem'] } });
  });

  test('secrets in the new folder stay when the restore fails', async () => {
    mkdirSync(to);
    writeFileSync(path.join(to, 'secret'), `${log.secret}\n`);
    const words = ['--to', to, '--register', path.join(to, 'nowhere')];
    expect(await audience(['restore', backup, ...words])).toMatchObject({ code: 1 });
    expect(readdirSync(to)).toEqual(['secret']);
  });

  test('a restore without the secret of the log is refused, because its mark could not be told from a forged one', async () => {
    const refused = await restoreTo(to, [backup]);
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: includes('The secret of the log in this backup is needed'),
    });
    expect(existsSync(to)).toBe(false);
    const inPlace = path.join(to, '..', 'in-place');
    cpSync(log.dataDir, inPlace, { recursive: true });
    rmSync(path.join(inPlace, 'secret'));
    const words = ['--data-dir', inPlace, 'restore', '--in-place', '--without-newer-register'];
    expect(await audience(words)).toMatchObject({ code: 1, err: includes('The secret of this log is needed') });
    expect(existsSync(path.join(inPlace, 'restored.json'))).toBe(false);
  });

  test('a start on a restored log that has lost its secret makes no new secret', async () => {
    expect(await restoreTo(to, [backup], { dataDir: log.dataDir })).toMatchObject({ code: 0 });
    expect(() => firstSecret(dataFolderAt(to))).toThrow('The file secret is missing from DATA_DIR');
    expect(existsSync(path.join(to, 'secret'))).toBe(false);
  });

  test('--in-place refuses options about secrets, because it keeps those of the folder in use', async () => {
    const words = ['--data-dir', log.dataDir, 'restore', '--in-place', '--without-newer-register'];
    for (const more of ['--with-secrets', '--accept-unsigned'])
      expect(await audience([...words, more])).toMatchObject({ code: 2, err: includes('keeps its own secrets') });
  });
});

describe('the MAC of the manifest', () => {
  const places = (): Readonly<Record<string, () => ReturnType<typeof restoreTo>>> => {
    const file = path.join(to, '..', 'secret-file');
    writeFileSync(file, `${log.secret}\n`);
    return {
      SECRET: () => restoreTo(to, [backup], { env: { SECRET: log.secret } }),
      SECRET_FILE: () => restoreTo(to, [backup], { env: { SECRET_FILE: file } }),
      '--to': () => {
        mkdirSync(to, { recursive: true });
        writeFileSync(path.join(to, 'secret'), log.secret);
        return restoreTo(to, [backup]);
      },
      'the folder in use': () => restoreTo(to, [backup], { dataDir: log.dataDir }),
    };
  };

  test.each(['SECRET', 'SECRET_FILE', '--to', 'the folder in use'])(
    'the MAC is checked with the secret of %s',
    async (place) => {
      plant('register.ndjson', `${JSON.stringify({ planted: true })}\n`);
      expect(await places()[place]?.()).toMatchObject({ code: 1, err: includes('The MAC of') });
      rmSync(backup, { recursive: true });
      cpSync(original, backup, { recursive: true });
      const valid = await places()[place]?.();
      expect(valid).toMatchObject({ code: 0 });
      expect(JSON.parse(valid?.out ?? '')).toMatchObject({ manifest_mac: 'valid' });
    },
  );

  test('the MAC is checked with every known secret, and one valid result is enough', async () => {
    const restored = await restoreTo(to, [backup], { dataDir: log.dataDir, env: { SECRET: 'x'.repeat(40) } });
    expect(restored).toMatchObject({ code: 0 });
    expect(JSON.parse(restored.out)).toMatchObject({
      manifest_mac: 'valid',
      secret_in: path.join(log.dataDir, 'secret'),
    });
  });

  test('a missing MAC is refused with another message than an invalid one', async () => {
    alterManifest(backup, (manifest) => void delete manifest['mac']);
    const missing = await restoreTo(to, [backup], { dataDir: log.dataDir });
    expect(missing).toMatchObject({ code: 1, err: includes('has no MAC') });
    expect(missing.err).toContain('--accept-unsigned');
    const other = await restoreTo(to, [original], { env: { SECRET: 'x'.repeat(40) } });
    expect(other).toMatchObject({ code: 1, err: includes('is not valid under the secret at hand (SECRET)') });
    expect(other.err).toContain(log.logId);
    expect(await audience(['--data-dir', log.dataDir, 'backup', 'verify', backup])).toMatchObject({ code: 1 });
    expect(existsSync(to)).toBe(false);
  });

  test('--accept-unsigned accepts a missing or invalid MAC with a notice', async () => {
    alterManifest(backup, (manifest) => void (manifest['mac'] = null));
    const missing = await restoreTo(to, [backup, '--accept-unsigned'], { dataDir: log.dataDir });
    expect(missing).toMatchObject({ code: 0, err: includes('Accepted because of --accept-unsigned.') });
    expect(JSON.parse(missing.out)).toMatchObject({ manifest_mac: 'accepted' });
    alterManifest(backup, (manifest) => void (manifest['mac'] = 'a'.repeat(64)));
    const verified = ['--data-dir', log.dataDir, 'backup', 'verify', backup, '--accept-unsigned'];
    expect(await audience(verified)).toMatchObject({ code: 0, err: includes('is not valid') });
  });

  test('the MAC is not checked with a secret from the backup itself', async () => {
    const theirs = await newLogFolder(path.join(to, '..', 'theirs'));
    const { folder } = await backUp(theirs, path.join(to, '..', 'their-backups'), '--with-secrets');
    const unknown = await restoreTo(to, [folder, '--with-secrets']);
    expect(unknown).toMatchObject({ code: 0, err: includes('Nothing was checked with the secret') });
    const known = await restoreTo(`${to}-2`, [folder, '--with-secrets'], { dataDir: log.dataDir });
    expect(known).toMatchObject({ code: 1, err: includes('The MAC of') });
  });

  test('a backup that is made without the secret has no MAC and says so', async () => {
    const own = path.join(to, '..', 'data');
    cpSync(log.dataDir, own, { recursive: true });
    rmSync(path.join(own, 'secret'));
    const made = await backUp({ ...log, dataDir: own }, path.join(to, '..', 'unsigned'));
    expect(made).toMatchObject({ mac: null, err: includes('the manifest has no MAC') });
    expect(await restoreTo(to, [made.folder], { dataDir: log.dataDir })).toMatchObject({ code: 1 });
    const accepted = await restoreTo(to, [made.folder, '--accept-unsigned'], { dataDir: log.dataDir });
    expect(accepted).toMatchObject({ code: 0 });
  });

  test('a file with other content is refused although the MAC of the manifest is valid', async () => {
    writeFileSync(path.join(backup, 'register.ndjson'), 'x');
    const refused = await restoreTo(to, [backup], { dataDir: log.dataDir });
    expect(refused).toMatchObject({ code: 1, err: includes('is corrupt: its SHA-256 does not match') });
  });
});

test('a backup has the content of a secret that is a link in the data folder', async () => {
  const own = path.join(to, '..', 'data');
  cpSync(log.dataDir, own, { recursive: true });
  cpSync(path.join(own, 'secret'), path.join(own, '..', 'mounted'));
  rmSync(path.join(own, 'secret'));
  symlinkSync(path.join(own, '..', 'mounted'), path.join(own, 'secret'));
  const made = await backUp({ ...log, dataDir: own }, path.join(to, '..', 'of-link'), '--with-secrets');
  expect(await restoreTo(to, [made.folder, '--with-secrets'])).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(to, 'secret'), 'utf8').trim()).toBe(log.secret);
});
