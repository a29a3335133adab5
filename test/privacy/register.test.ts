/** The register of what must not come back: what it keeps, what of it a log lacks, and digests in a log that no erasure explains. */
import { Map } from 'immutable';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Key } from '../../src/commands/keys.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { createFindings } from '../../src/integrity/findings.js';
import { entriesOfKeys } from '../../src/privacy/lasting.js';
import { missingErasures, missingKeyChanges } from '../../src/privacy/missing.js';
import {
  openRegister,
  openRegisters,
  readRegister,
  registerName,
  type ErasureEntry,
  type KeyEntry,
  type RefusalEntry,
} from '../../src/privacy/register.js';

const erasure = (number: number, subject_key: string): ErasureEntry => ({
  erasure_id: `ers_${number}`,
  subject_key,
  reason: null,
  requested_at: `2026-01-01T00:00:0${number}.000Z`,
});
const stateOf = (...erasures: readonly ErasureEntry[]) => ({
  all: Map(erasures.map((one) => [one.erasure_id, { ...one, completed: null }])),
});

test('it keeps each erasure once, mends a torn line, and knows its log', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'register-'));
  const file = path.join(folder, registerName);
  const register = openRegister(file, 'log');
  await Promise.all([register.keep([erasure(1, 'a')]), register.keep([erasure(1, 'a'), erasure(2, 'b')])]);
  appendFileSync(file, '{"log_id":"log","erasure_id"');
  await openRegister(file, 'log').keep([erasure(3, 'a')]);
  expect(readRegister(file, 'log').erasures.map(({ erasure_id }) => erasure_id)).toEqual(['ers_1', 'ers_2', 'ers_3']);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  expect(readRegister(file, 'another').erasures).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('a place that was away, as a share can be, is made whole with the next erasure', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'register-'));
  const file = path.join(folder, registerName);
  const ids = () => readRegister(file, 'log').erasures.map(({ erasure_id }) => erasure_id);
  const register = openRegister(file, 'log');
  await register.keep([erasure(1, 'a'), erasure(2, 'b')]);
  rmSync(file);
  await register.keep([1, 2, 3].map((one) => erasure(one, 'a')));
  expect(ids()).toEqual(['ers_1', 'ers_2', 'ers_3']);
  // What another process has added is there already.
  await openRegister(file, 'log').keep([erasure(4, 'c')]);
  await register.keep([1, 2, 3, 4].map((one) => erasure(one, 'a')));
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5);
  rmSync(folder, { recursive: true });
});

test('SEAL_DIR gets what it missed: while it was away, and where a process was killed between the two places', async () => {
  const folder = (name: string): string => mkdtempSync(path.join(tmpdir(), name));
  const [dataDir, seals] = [folder('register-'), folder('seals-')];
  const refusal = (number: number): RefusalEntry => ({
    ...{ kind: 'mail_refused', subject_key: 'a', scope: 'all', reason: 'manual' },
    ...{ at: `2026-01-01T00:00:0${number}.000Z`, event_id: `event-${number}` },
  });
  const copied = () => readRegister(path.join(seals, registerName), 'log').refusals.map(({ event_id }) => event_id);
  let failures = 0;
  const open = () => openRegisters({ dataDir, seals: { copies: seals } }, 'log', () => void (failures += 1));
  const register = open();
  await register.keep([refusal(1)]);
  rmSync(seals, { recursive: true });
  for (const number of [2, 3]) await register.keep([refusal(number)]);
  expect(failures).toBe(1);
  mkdirSync(seals);
  await register.keep([refusal(4)]);
  expect(copied()).toEqual(['event-1', 'event-2', 'event-3', 'event-4']);
  await openRegister(path.join(dataDir, registerName), 'log').keep([refusal(5)]);
  await open().keep([]);
  expect(copied()).toHaveLength(5);
  for (const one of [dataDir, seals]) rmSync(one, { recursive: true });
});

test('a log lacks the newest erasure of each person, unless a later one of theirs is there', () => {
  const registered = [erasure(1, 'a'), erasure(3, 'a'), erasure(2, 'b')].map((one) => ({ ...one, log_id: 'log' }));
  const ids = (...there: readonly ErasureEntry[]): readonly string[] =>
    missingErasures(registered, stateOf(...there)).map(({ erasure_id }) => erasure_id);
  expect(ids()).toEqual(['ers_2', 'ers_3']);
  expect(ids(erasure(1, 'a'))).toEqual(['ers_2', 'ers_3']);
  expect(ids(erasure(4, 'a'), erasure(2, 'b'))).toEqual([]);
});

test('an erasure after the clock was set back has the time of the one before, and a log may lack it all the same', () => {
  const { requested_at } = erasure(1, 'a');
  const registered = [1, 2].map((one) => ({ ...erasure(one, 'a'), requested_at, log_id: 'log' }));
  expect(missingErasures(registered, stateOf(erasure(1, 'a')))).toMatchObject([{ erasure_id: 'ers_2' }]);
  expect(missingErasures(registered, stateOf())).toMatchObject([{ erasure_id: 'ers_2' }]);
});

test('a digest is a finding until an erasure explains it, and who comes back is no second contact', () => {
  const digest = `{"person":"sha256:${'0'.repeat(64)}"}`;
  const event = (revision: number, type: string, data = '{}'): StoredEvent => ({
    ...{ stream: 'contact-a', revision: BigInt(revision), position: String(revision), id: '', type, data },
    metadata: '{}',
  });
  const findings = createFindings();
  findings.take(event(0, 'ContactCreated', digest), true);
  findings.take(event(1, 'ContactProfileChanged', digest), true);
  expect(findings.all()).toMatchObject([{ kind: 'digest', position: '1' }]);
  findings.take(event(2, 'ContactErased', '{"through":0}'), false);
  expect(findings.all()).toHaveLength(1);
  findings.take(event(3, 'ContactErased', '{"through":2}'), false);
  findings.take(event(4, 'ContactCreated'), false);
  expect(findings.all()).toEqual([]);
  findings.take(event(5, 'ContactCreated'), false);
  expect(findings.all()).toMatchObject([{ kind: 'second_contact' }]);
});

test('what is intended counts once the log has it, and not where another did for it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'register-'));
  const file = path.join(folder, registerName);
  const ids = (entries: readonly ErasureEntry[]): readonly string[] => entries.map(({ erasure_id }) => erasure_id);
  const register = openRegister(file, 'log');
  for (const number of [1, 2, 3]) await register.intend(erasure(number, 'a'));
  expect([ids(readRegister(file, 'log').erasures), ids(readRegister(file, 'log').intended)]).toEqual([
    [],
    ['ers_1', 'ers_2', 'ers_3'],
  ]);
  await register.keep([erasure(1, 'a')]);
  await register.drop(erasure(2, 'a'));
  expect([ids(readRegister(file, 'log').erasures), ids(readRegister(file, 'log').intended)]).toEqual([
    ['ers_1'],
    ['ers_3'],
  ]);
  await openRegister(file, 'log').keep([erasure(1, 'a'), erasure(3, 'a')]);
  expect([ids(readRegister(file, 'log').erasures), ids(readRegister(file, 'log').intended)]).toEqual([
    ['ers_1', 'ers_3'],
    [],
  ]);
  rmSync(folder, { recursive: true });
});

describe('changes of API keys', () => {
  const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
  const key: Key = {
    ...{ key_id: 'key_1', name: 'a', scopes: [], hash: 'first', created_at: at(1) },
    ...{ previous: null, expires_at: null, hasExpired: false, rotated_at: null, revoked_at: null },
  };
  const rotated = (hash: string, minute: number): KeyEntry => ({
    ...{ kind: 'key_rotated', key_id: 'key_1', at: at(minute) },
    ...{ hash, previous_until: at(minute) },
  });
  const revoked: KeyEntry = { kind: 'key_revoked', key_id: 'key_1', at: at(5) };
  const lacks = (of: Key, ...registered: readonly KeyEntry[]): readonly KeyEntry[] =>
    missingKeyChanges(registered, Map([[of.key_id, of]])).map(([, change]) => change);

  test('a log lacks every later one, oldest first: the secret before the last but one has ended, too', () => {
    expect(lacks(key, revoked, rotated('third', 4), rotated('second', 2))).toEqual([
      rotated('second', 2),
      rotated('third', 4),
      revoked,
    ]);
    expect(lacks(key, rotated('second', 2), rotated('second', 2))).toHaveLength(1);
  });

  test('a log has what it went beyond, what it asked for again, and what is of a key that it does not know', () => {
    const now = { ...key, hash: 'third', rotated_at: at(4), revoked_at: at(5) };
    expect(lacks(now, rotated('second', 2), rotated('third', 4), revoked)).toEqual([]);
    expect(lacks({ ...key, hash: 'third', rotated_at: at(9) }, rotated('third', 4))).toEqual([]);
    expect(lacks({ ...key, key_id: 'key_2' }, rotated('second', 2), revoked)).toEqual([]);
  });

  test('the register has the last of each key, each once', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'register-'));
    const file = path.join(folder, registerName);
    const previous = { hash: 'first', until: at(4), isClosed: false };
    const state = Map([['key_1', { ...key, hash: 'third', previous, rotated_at: at(4), revoked_at: at(5) }]]);
    const register = openRegister(file, 'log');
    await register.keep([erasure(1, 'a')]);
    for (let round = 0; round < 2; round += 1) await register.keep(entriesOfKeys(state));
    await openRegister(file, 'log').keep(entriesOfKeys(state));
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
    expect(readRegister(file, 'log')).toMatchObject({
      erasures: [erasure(1, 'a')],
      keys: [rotated('third', 4), revoked],
    });
    rmSync(folder, { recursive: true });
  });
});
