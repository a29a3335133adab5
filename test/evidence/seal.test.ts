/** Seals: what they prove of a log, what they refuse, and the key that makes them. */
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSealKey } from '../../src/evidence/seal-key.js';
import {
  checkSeal,
  createSeal,
  fingerprintOf,
  parseSeal,
  publicKeyOf,
  SealError,
  type Seal,
} from '../../src/evidence/seal.js';
import { linkAfter } from '../../src/eventstore/chain.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import {
  exampleEvent,
  exported,
  newFolder,
  runVerifier,
  tampered,
  verified,
  writeLog,
} from '../support/evidence-log.js';

const now = Date.UTC(2026, 4, 6, 7, 8, 9, 10);
const { privateKey: key } = generateKeyPairSync('ed25519');

async function sealedLog(): Promise<{ log: string; seal: Seal; sealFile: string }> {
  const folder = newFolder();
  const log = path.join(folder, 'events.db');
  await writeLog(log, 20);
  const seal = createSeal({ verification: await verified(log), key, now });
  const sealFile = path.join(folder, 'seal.json');
  writeFileSync(sealFile, `${JSON.stringify(seal, null, 2)}\n`);
  return { log, seal, sealFile };
}

test('a seal holds for the log, also after it has grown and when it was copied', async () => {
  const { log, seal, sealFile } = await sealedLog();
  expect(parseSeal(JSON.stringify(seal))).toEqual(seal);
  expect(checkSeal(seal, publicKeyOf(key))).toEqual({
    ...{ isSigned: true, isExpected: true, fingerprint: fingerprintOf(publicKeyOf(key)) },
  });
  expect(seal).toMatchObject({ count: 20, sealed_at: '2026-05-06T07:08:09.010Z' });
  const store = await openSqliteEventStore({ file: log, clock: Date.now });
  await store.append('later', [exampleEvent(1)], { expectedRevision: 'no_stream' });
  await store.close();
  expect(await verified(log, { seals: [seal] })).toMatchObject({ intact: true, count: 21, holding: seal });
  const publicKey = path.join(newFolder(), 'sealer.pem');
  writeFileSync(publicKey, publicKeyOf(key));
  const answer = await runVerifier(await exported(log), sealFile, '--public-key', publicKey);
  expect(answer.output).toContain('the first 20 events are those of the seal');
  expect(answer.code).toBe(0);
});

test('a log that lost its end, or was written anew with right links, is not the sealed one', async () => {
  const { log, seal, sealFile } = await sealedLog();
  const shortened = tampered(log, (db) => db.exec('delete from events where position > 17'));
  const rewritten = tampered(log, (db) => {
    db.exec(`update events set type = 'Forged' where position = 5`);
    const events = db
      .prepare<[], { stream: string; revision: number; id: string; type: string; data: string; metadata: string }>(
        `select name as stream, e.revision, event_id as id, type, rtrim(data) as data, metadata
         from events e join streams s on s.id = e.stream_id order by position`,
      )
      .all();
    let link = '0'.repeat(64);
    for (const [at, event] of events.entries()) {
      link = linkAfter(link, at + 1, event);
      db.prepare('update events set chain = unhex(?) where position = ?').run(link, at + 1);
    }
  });
  expect(await verified(rewritten)).toMatchObject({ intact: true });
  for (const [file, kind, ordinal] of [
    [shortened, 'shortened', 18],
    [rewritten, 'sealed', null],
  ] as const) {
    expect(await verified(file, { seals: [seal] })).toMatchObject({ intact: false, difference: { kind, ordinal } });
    expect((await runVerifier(await exported(file), sealFile)).code).toBe(1);
  }
});

test('a seal that was altered, or is signed by somebody else, proves nothing', async () => {
  const { log, seal, sealFile } = await sealedLog();
  const file = await exported(log);
  const altered: Partial<Seal>[] = [
    { log_id: 'another' },
    { count: 19 },
    { position: '00000000000000000019' },
    { event_id: seal.log_id },
    { root: seal.head },
    { head: seal.head.replace(/./, (digit) => (digit === '0' ? '1' : '0')) },
    { sealed_at: '2026-05-06T07:08:09.011Z' },
  ];
  for (const change of altered) {
    const other = { ...seal, ...change };
    expect(checkSeal(parseSeal(JSON.stringify(other))).isSigned, JSON.stringify(change)).toBe(false);
  }
  writeFileSync(sealFile, JSON.stringify({ ...seal, ...altered[1] }));
  expect(await runVerifier(file, sealFile)).toMatchObject({ code: 1 });
  const stranger = generateKeyPairSync('ed25519');
  expect(checkSeal(seal, publicKeyOf(stranger.publicKey)).isExpected).toBe(false);
  const publicKey = path.join(newFolder(), 'stranger');
  writeFileSync(publicKey, publicKeyOf(stranger.publicKey));
  writeFileSync(sealFile, JSON.stringify(seal));
  const answer = await runVerifier(file, sealFile, '--public-key', publicKey);
  expect(answer).toMatchObject({ code: 1 });
  const secret = stranger.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(() => checkSeal(seal, secret)).toThrow(/the private one/);
  writeFileSync(publicKey, secret);
  const refused = await runVerifier(file, sealFile, '--public-key', publicKey);
  expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('holds a private key') as unknown });
  expect(answer.output).toContain('another key');
});

test('only what is whole, intact and signed with Ed25519 becomes a seal', async () => {
  const { log, seal } = await sealedLog();
  const verification = await verified(log);
  const wrong = await verified(tampered(log, (db) => db.exec(`update events set type = 'x' where position = 3`)));
  const empty = path.join(newFolder(), 'events.db');
  await (await openSqliteEventStore({ file: empty, clock: Date.now })).close();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  for (const input of [
    { verification: wrong, key },
    { verification: await verified(empty), key },
    { verification, key: rsa },
  ])
    expect(() => createSeal({ ...input, now })).toThrow(SealError);
  for (const text of ['', '[]', '{}', JSON.stringify({ ...seal, head: 'x' }), JSON.stringify({ ...seal, count: '20' })])
    expect(() => parseSeal(text), text).toThrow(SealError);
});

test('the key is made once, for its owner only, and never written over', () => {
  const dataDir = newFolder();
  const file = path.join(dataDir, 'seal-key.pem');
  const mask = process.umask(0);
  onTestFinished(() => void process.umask(mask));
  const said: string[] = [];
  const open = (own?: string) => openSealKey({ file: own, dataDir }, (made) => said.push(made));
  // As a process of this id leaves it that is killed, or finds the disk full.
  writeFileSync(`${file}.${process.pid}.tmp`, 'half a k');
  const made = open();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(publicKeyOf(open())).toBe(publicKeyOf(made));
  expect(said).toEqual([file]);
  copyFileSync(file, `${file}.copy`);
  expect(publicKeyOf(open(`${file}.copy`))).toBe(publicKeyOf(made));
  writeFileSync(file, 'no key');
  expect(() => open()).toThrow(SealError);
  expect(() => open(`${file}.gone`)).toThrow(SealError);
});

test('the stand-alone verifier says what it was asked wrongly, or cannot read', async () => {
  const { log } = await sealedLog();
  const file = await exported(log);
  for (const parameters of [[], [file, file], [`${file}.gone`], [file, '--public-key', file], [file, `${file}.gone`]])
    expect(await runVerifier(...parameters), parameters.join()).toMatchObject({ code: 2 });
});
