/** The register of a backup and the register that a restore names: which lines are used, which are reported, and which files are refused. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { deriveRegisterKey } from '../../src/events/streams.js';
import { readRegister } from '../../src/recovery/register-file.js';
import { lineOf, textOf, type RegisterLine } from '../../src/recovery/register-line.js';
import { audience, type Ended } from '../support/audience.js';
import { backUp, newLogFolder, newRoot, type LogFolder } from '../support/backups.js';

const { root, remove } = newRoot();
let own: string;
let log: LogFolder;
let other: LogFolder;
let number = 0;
/** The register in the data folder, the register in SEAL_DIR, and the folder for the restore. */
let [register, copy, to] = ['', '', ''];

beforeEach(async () => {
  number += 1;
  own = path.join(root, String(number));
  log = await newLogFolder(path.join(own, 'data'));
  other = await newLogFolder(path.join(own, 'other'));
  mkdirSync(path.join(own, 'copies'));
  register = path.join(log.dataDir, 'register.ndjson');
  copy = path.join(own, 'copies', 'register.ndjson');
  to = path.join(own, 'restored');
});
afterAll(remove);

/** Returns the line of an event that revoked a key. */
function newLine({ logId, secret }: LogFolder = log): RegisterLine {
  const event = { type: 'ApiKeyRevoked', data: JSON.stringify({ key_id: 'key' }), metadata: '{"at":"2026-01-01"}' };
  const place = { stream: `apikey-${randomUUID()}`, revision: 1n, id: randomUUID() };
  return lineOf({ ...event, ...place }, { logId, key: deriveRegisterKey(secret) });
}
const write = (file: string, lines: readonly RegisterLine[]): void => writeFileSync(file, lines.map(textOf).join(''));
const idsIn = (file: string): readonly string[] =>
  readRegister(file, { logId: log.logId, key: deriveRegisterKey(log.secret) }).lines.map(({ event_id }) => event_id);
const ids = (lines: readonly RegisterLine[]): readonly string[] => lines.map(({ event_id }) => event_id);
const includes = (text: string): string => expect.stringContaining(text) as string;

const backups = (): string => path.join(own, 'backups');
const env = (): Record<string, string> => ({ SEAL_DIR: path.join(own, 'copies') });
const restore = (...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', log.dataDir, 'restore', backups(), '--to', to, ...words]);
const mark = (...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', log.dataDir, 'restore', '--in-place', ...words]);

/** Makes a backup with both places of the register. */
async function backUpBoth(...words: readonly string[]): Promise<{ readonly folder: string; readonly err: string }> {
  const { code, out, err } = await audience(['--data-dir', log.dataDir, 'backup', backups(), ...words], { env: env() });
  expect(code, err).toBe(0);
  return { ...(JSON.parse(out) as { readonly folder: string }), err };
}

test('a backup has the valid lines of both places, each event once, and names the others', async () => {
  const [both, here, there, forged] = [newLine(), newLine(), newLine(), newLine()];
  write(register, [both, here, newLine(other), { ...forged, mac: '0'.repeat(64) }]);
  write(copy, [there, both]);
  appendFileSync(copy, '{"log_id":');
  const { folder, err } = await backUpBoth();
  expect(idsIn(path.join(folder, 'register.ndjson'))).toEqual(ids([both, here, there]));
  expect(err).toContain(`${register}: line 4 is damaged or has a wrong MAC, and is ignored.`);
  expect(err).toContain(`${copy}: line 3 is damaged or has a wrong MAC, and is ignored.`);
  expect(JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))).toMatchObject({
    format: 'audience-ledger-backup/4',
    register: { entries: 3 },
  });
  const verified = await audience(['--data-dir', log.dataDir, 'backup', 'verify', folder]);
  expect(JSON.parse(verified.out)).toMatchObject({ register: { entries: 3, invalid: 0, checked: true } });
});

test('without the secret a backup has every line that can be read, and says that no MAC was checked', async () => {
  const [good, forged] = [newLine(), { ...newLine(), mac: '0'.repeat(64) }];
  write(register, [good, forged]);
  const bare = path.join(own, 'bare');
  cpSync(log.dataDir, bare, { recursive: true, filter: (name) => path.basename(name) !== 'secret' });
  const made = await audience(['--data-dir', bare, 'backup', backups()]);
  expect(made).toMatchObject({ code: 0, err: includes('The secret of this log is not known here') });
  const blind = await audience(['--data-dir', bare, 'backup', 'verify', backups()]);
  expect(JSON.parse(blind.out)).toMatchObject({ register: { entries: 2, checked: false } });
  const verified = await audience(['--data-dir', log.dataDir, 'backup', 'verify', backups(), '--accept-unsigned']);
  expect(JSON.parse(verified.out)).toMatchObject({ register: { entries: 1, invalid: 1, checked: true } });
  expect(await restore('--without-newer-register', '--accept-unsigned')).toMatchObject({ code: 0 });
  expect(idsIn(path.join(to, 'register.ndjson'))).toEqual(ids([good]));
});

test('a restore joins the register of the backup and the named one, and leaves no cursor', async () => {
  const [before, both, after] = [newLine(), newLine(), newLine()];
  write(register, [before, both]);
  writeFileSync(path.join(log.dataDir, 'register.cursor'), '{"event_id":"a","position":"1"}\n');
  await backUp(log, backups());
  write(copy, [both, after]);
  const answer = await restore('--register', copy);
  expect(answer).toMatchObject({ code: 0, err: includes('lacks lines that came with the log') });
  expect(JSON.parse(answer.out)).toMatchObject({ register: { file: copy, entries: 2, newer: 1, lacks: 1 } });
  expect(idsIn(path.join(to, 'register.ndjson'))).toEqual(ids([before, both, after]));
  expect(existsSync(path.join(to, 'register.cursor'))).toBe(false);
});

test('a register whose last line lost its line feed is read with that line', async () => {
  await backUp(log, backups());
  const [first, last] = [newLine(), newLine()];
  writeFileSync(copy, (textOf(first) + textOf(last)).trimEnd());
  const answer = await restore('--register', copy);
  expect(JSON.parse(answer.out)).toMatchObject({ register: { entries: 2, newer: 2, lacks: 0 } });
  expect(idsIn(path.join(to, 'register.ndjson'))).toEqual(ids([first, last]));
});

test('a line that a power cut tore is named, and the restore goes on', async () => {
  await backUp(log, backups());
  const lines = [newLine(), newLine(), newLine()];
  const [first = '', torn = '', last = ''] = lines.map(textOf);
  writeFileSync(copy, first + '\0'.repeat(torn.length - 40) + torn.slice(-40) + last);
  const answer = await restore('--register', copy);
  expect(answer).toMatchObject({ code: 0, err: includes(`${copy}: line 2 is damaged or has a wrong MAC`) });
  expect(answer.err).toContain('may be erasures, are not brought back. Look for an intact copy of the file.');
  expect(idsIn(path.join(to, 'register.ndjson'))).toEqual(ids([lines[0], lines[2]] as RegisterLine[]));
});

test('a restore with the register of the backup itself says that the register has nothing newer', async () => {
  write(register, [newLine()]);
  const { folder } = await backUp(log, backups());
  const answer = await restore('--register', path.join(folder, 'register.ndjson'));
  expect(answer).toMatchObject({ code: 0, err: includes('has nothing newer than the backup') });
});

test.each<[string, () => string, string]>([
  ['an empty register', () => '', 'is empty, so it tells nothing'],
  ['a register of another log', () => textOf(newLine(other)), 'is the register of another log'],
  [
    'a register with forged lines alone',
    () => textOf({ ...newLine(), mac: '0'.repeat(64) }),
    'line 1 is damaged or has',
  ],
  ['a file that is no register', () => 'hello\nworld\n', 'lines 1, 2 are damaged or have a wrong MAC'],
])('a restore counts %s as none, and says why', async (_, text, why) => {
  await backUp(log, backups());
  writeFileSync(copy, text());
  for (const answer of [await restore('--register', copy), await mark('--register', copy)]) {
    expect(answer).toMatchObject({ code: 1, out: '', err: includes(why) });
    expect(answer.err).toContain('If none is left, use --without-newer-register instead.');
  }
  expect(existsSync(to)).toBe(false);
  expect(existsSync(path.join(log.dataDir, 'restored.json'))).toBe(false);
});

test('a restore in place keeps every line of the register in the folder and appends those of the named one', async () => {
  const [here, there] = [newLine(), newLine()];
  write(register, [here, newLine(other)]);
  appendFileSync(register, 'torn');
  const before = readFileSync(register, 'utf8');
  write(copy, [there, here]);
  const answer = await mark('--register', copy);
  expect(answer).toMatchObject({
    code: 0,
    err: `${register}: line 3 is damaged or has a wrong MAC, and is ignored.\n`,
  });
  expect(JSON.parse(answer.out)).toMatchObject({ register: { entries: 2, newer: 1, lacks: 0 } });
  expect(readFileSync(register, 'utf8')).toBe(`${before}\n${textOf(there)}`);
});
