/** `audience audit verify` and `seal` as an auditor uses them: on an honest log, on an altered one, on a shortened one. */
import { Database } from '../../../src/sqlite/database.js';
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { audience, type Ended } from '../../support/audience.js';
import { freshFolder, startService, type Service } from '../../support/service.js';

let service: Service;
/** As it was sealed: 6 events. */
let sealed: string;
let sealFile: string;
const long = { timeout: 60_000 };

const on = (folder: string, ...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', folder, 'audit', ...words]);

beforeAll(async () => {
  service = await startService();
  for (let number = 1; number < 6; number += 1)
    await service.make('/v1/groups/create', { group_name: `Group ${number}` }, 'group_id');
  // A read waits until the views have come as far.
  expect((await service.get('/v1/groups')).status).toBe(200);
  await service.kill('SIGTERM');
  sealFile = path.join(service.dataDir, 'seal.json');
  const { code, out, err } = await on(service.dataDir, 'seal', '--out', sealFile);
  expect({ code, out }).toEqual({ code: 0, out: '' });
  expect(err).toMatch(/^Sealed in .*: 6 events, .* fingerprint [0-9a-f]{64}\.\n/);
  sealed = freshFolder();
  cpSync(service.dataDir, sealed, { recursive: true });
});
afterAll(async () => {
  await service.close();
  rmSync(sealed, { recursive: true, force: true });
});

/** A copy of the sealed log on which this was done. */
function changed(...statements: readonly string[]): string {
  const folder = path.join(freshFolder(), 'copy');
  onTestFinished(() => rmSync(path.dirname(folder), { recursive: true, force: true }));
  cpSync(sealed, folder, { recursive: true });
  const db = new Database(path.join(folder, 'events.db'));
  for (const statement of statements) db.exec(statement);
  db.close();
  return folder;
}

test('an honest log is intact, in words and as JSON, and its seals hold', long, async () => {
  // One after the other, because a reader that meets another one in the folder reads a copy, and says so.
  const words = await on(sealed, 'verify');
  const json = await on(sealed, ...['verify', '--json', '--seal', sealFile, '--public-key', await publicKey()]);
  expect(words).toMatchObject({ code: 0, err: '' });
  expect(words.out).toMatch(/^The record is intact\.\n {2}events {4}6\n {2}root {6}[0-9a-f]{64}\n/);
  expect(words.out).toMatch(/\nThe first 6 events are those that were sealed at \S+Z\.\n {2}key {7}[0-9a-f]{64}\n$/);
  expect(json.code).toBe(0);
  const { root, seq } = JSON.parse(readFileSync(sealFile, 'utf8')) as { root: string; seq: number };
  const kept = { count: 6, root, state: 'holds', reason: null };
  // The stop has made the seal before, which is final.
  expect(seq).toBe(2);
  const result = JSON.parse(json.out) as { seals: readonly { seq: number }[] };
  expect(result).toMatchObject({ intact: true, count: 6, root, restores: [], stored_tree: true, ignored_seals: [] });
  expect([...result.seals].sort((one, other) => one.seq - other.seq)).toMatchObject([
    { ...kept, seq: 1, final: true, files: [expect.stringContaining(path.join(sealed, 'seals'))] },
    { ...kept, seq: 2, final: false, files: [sealFile] },
  ]);
  expect(statSync(path.join(sealed, 'seal-key.pem')).mode & 0o777).toBe(0o600);
});

/** The sealer's public key in a file, as it stands in the seal. */
async function publicKey(): Promise<string> {
  const file = path.join(sealed, 'sealer.txt');
  const { public_key } = JSON.parse(readFileSync(sealFile, 'utf8')) as { public_key: string };
  writeFileSync(file, `${public_key}\n`);
  return file;
}

test('an altered event is found by the newest seal: exit code 1', long, async () => {
  const folder = changed("update events set data = replace(data, 'Group 3', 'Group 9') where position = 4");
  const [words, json] = await Promise.all([on(folder, 'verify'), on(folder, 'verify', '--json')]);
  expect(words.code).toBe(1);
  expect(words.out).toMatch(
    /^THE RECORD IS NOT INTACT: the first 6 events are not those that were sealed at \S+Z: .*\n {2}number {4}1\n[^]*DOES NOT HOLD/,
  );
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject({
    ...{ intact: false, count: 6, difference: { kind: 'sealed', ordinal: 1, until: 6 } },
    seals: [{ count: 6, state: 'fails' }],
  });
  // An altered log is not sealed.
  const out = path.join(folder, 'another.json');
  const refused = await on(folder, 'seal', '--out', out);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('No seal was made: the record is not intact: the first 6 events');
  expect(existsSync(out)).toBe(false);
});

test('what is in an event neither erases the verdict nor writes another one', long, async () => {
  const hostile = "char(27) || '[2K' || char(13, 10) || 'The record is intact.' || char(10, 155)";
  const folder = changed(
    `update events set type = ${hostile} where position = 4`,
    `update metadata set json = '{}' where id = (select metadata_id from events where position = 4)`,
  );
  const { code, out } = await on(folder, 'verify');
  expect(code).toBe(1);
  expect(out).toMatch(/^THE RECORD IS NOT INTACT: event 4, /);
  expect(out).toContain(String.raw`\u001b[2K\u000d\u000aThe record is intact.\u000a\u009b`);
  expect(out.split('\n')).not.toContain('The record is intact.');
});

const shortening = [
  'delete from events where position > 4',
  "update streams set revision = 2 where name = 'groups'",
] as const;

test('a shortened log is found by a seal, and without a seal agrees with itself', long, async () => {
  const folder = changed(...shortening);
  const [own, given] = await Promise.all([on(folder, 'verify'), on(folder, 'verify', '--seal', sealFile)]);
  for (const { code, out } of [own, given]) {
    expect(code).toBe(1);
    expect(out).toMatch(/^THE RECORD IS NOT INTACT: the log ends after event 4, but the seal of \S+Z covers 6/);
  }
  rmSync(path.join(folder, 'seals'), { recursive: true });
  const alone = await on(folder, 'verify');
  expect(alone.code).toBe(0);
  expect(alone.out).toContain('There is no seal to compare with');
});

test('a seal by a foreign key in the data folder is reported and ignored', long, async () => {
  const folder = changed();
  const other = changed();
  rmSync(path.join(other, 'seal-key.pem'));
  rmSync(path.join(other, 'seals'), { recursive: true });
  const foreign = path.join(folder, 'seals', 'foreign.json');
  expect((await on(other, 'seal', '--out', foreign)).code).toBe(0);
  const { code, out } = await on(folder, 'verify');
  expect(code).toBe(0);
  expect(out).toMatch(/\nIgnored .*foreign\.json: it is signed with the key [0-9a-f]{64}, which is neither/);
  const listed = await on(folder, 'seals', '--json');
  expect(listed.code).toBe(0);
  const rows = listed.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(rows).toMatchObject([
    { seq: 1, count: 6, state: 'holds', reason: null },
    { seq: null, state: 'ignored', files: [foreign] },
  ]);
  expect((await on(changed(...shortening), 'seals')).code).toBe(1);
});

test('a log that has gone on is still the sealed one up to the seal', long, async () => {
  const folder = changed();
  const again = await startService({ dataDir: folder });
  await again.make('/v1/groups/create', { group_name: 'After the seal' }, 'group_id');
  const { code, out } = await on(folder, 'verify', '--seal', sealFile);
  await again.kill('SIGTERM');
  expect(code).toBe(0);
  expect(out).toMatch(/events {4}7\n[^]*The first [67] events are those that were sealed at \S+Z\./);
});

test('a seal that was altered, or signed by a stranger, proves nothing', long, async () => {
  const seal = JSON.parse(readFileSync(sealFile, 'utf8')) as object;
  const forged = path.join(sealed, 'forged.json');
  writeFileSync(forged, JSON.stringify({ ...seal, count: 5 }));
  const key = path.join(sealed, 'none.json');
  const stranger = path.join(changed(), 'stranger.json');
  rmSync(path.join(path.dirname(stranger), 'seal-key.pem'));
  await on(path.dirname(stranger), 'seal', '--out', stranger);
  const answers = await Promise.all([
    on(sealed, 'verify', '--seal', forged),
    on(sealed, 'verify', '--seal', stranger, '--public-key', await publicKey()),
    on(sealed, 'verify', '--seal', key),
    on(sealed, 'verify', '--public-key', key),
  ]);
  expect(answers.map(({ code, out }) => ({ code, out }))).toEqual([1, 1, 2, 2].map((code) => ({ code, out: '' })));
  const [altered, foreign, missing, misused] = answers.map(({ err }) => err);
  expect(altered).toContain('proves nothing: its signature does not match');
  expect(foreign).toMatch(/proves nothing: it is signed by another key \(fingerprint [0-9a-f]{64}\)/);
  expect(missing).toContain('cannot be read');
  expect(misused).toContain('--public-key goes with --seal');
});

test('what could not be checked is no alteration: exit code 2', long, async () => {
  const folder = changed();
  const text = path.join(folder, 'text.json');
  writeFileSync(text, 'a letter');
  const unreadable = changed();
  writeFileSync(path.join(unreadable, 'events.db'), 'a letter');
  const empty = changed('delete from events', 'delete from streams', 'delete from blocks');
  const nowhere = path.join(folder, 'none');
  const answers = await Promise.all([
    on(nowhere, 'verify'),
    on(unreadable, 'verify'),
    on(empty, 'verify'),
    on(folder, 'verify', '--seal', text),
    on(folder, 'verify', '--seal', sealFile, '--public-key', text),
    on(nowhere, 'seal', '--out', path.join(folder, 'a.json')),
    on(folder, 'seal', '--out', path.join(folder, 'b.json'), '--key', text),
    on(empty, 'seal', '--out', path.join(folder, 'c.json')),
    on(folder, 'seal', '--out', text),
  ]);
  expect(answers.map(({ code, out }) => ({ code, out }))).toEqual(answers.map(() => ({ code: 2, out: '' })));
  expect(answers[2]?.err).toContain('nothing to verify');
  expect(answers[3]?.err).toContain('cannot be read: ');
  expect(existsSync(nowhere)).toBe(false);
});
