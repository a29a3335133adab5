/** The register of erasures: what it keeps, what of it a log lacks, and digests in a log that no erasure explains. */
import { Map } from 'immutable';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { createFindings } from '../../src/evidence/verify-findings.js';
import { missingErasures } from '../../src/privacy/lasting.js';
import { openRegister, readRegister, registerName, type ErasureEntry } from '../../src/privacy/register.js';

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
