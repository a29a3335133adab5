/** How far erasures are, by the log, the registers beside it and, where something may wait, the views. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import type { ErasureEvent } from '../../src/events/erasures.js';
import { deriveRegisterKey, erasuresStream, keysStream, suppressionStream } from '../../src/events/streams.js';
import { erasureStatus } from '../../src/privacy/erasure-status.js';
import { appendLines, registerName } from '../../src/recovery/register-file.js';
import { lineOf } from '../../src/recovery/register-line.js';
import { emails } from '../../src/projections/emails.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { folded } from '../support/folded.js';
import { openLog } from '../support/event-log.js';
import { exampleEvents as e, examples, exampleTime, toAppend } from '../support/examples.js';

const registerKey = deriveRegisterKey('a secret of the tests, long enough for a key');
const subject_key = 'a1'.repeat(16);
const requestOf = (erasure_id: string, key = subject_key): ErasureEvent => ({
  type: 'ErasureRequested',
  data: { erasure_id, subject_key: key },
});
const completed = (erasure_id: string): ErasureEvent => ({
  type: 'ErasureCompleted',
  data: { erasure_id, contacts: 1, emails: 2 },
});

async function open(...erasures: readonly ErasureEvent[]) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'erasure-status-'));
  const views = openSqliteReadModels({ file: path.join(dataDir, 'views.db') });
  const { store } = await openLog();
  await store.append('service', [toAppend(e.serviceInitialised)], { expectedRevision: 'no_stream' });
  if (erasures.length > 0)
    await store.append(
      erasuresStream,
      erasures.map((event) => toAppend(event)),
      { expectedRevision: 'no_stream' },
    );
  onTestFinished(async () => {
    await views.close();
    rmSync(dataDir, { recursive: true });
  });
  const progress: number[] = [];
  let opened = 0;
  const status = () =>
    erasureStatus(store, {
      places: { dataDir, seals: { copies: undefined } },
      registerKey,
      clock: Date.now,
      openViews: () => {
        opened += 1;
        return Promise.resolve({ ...views, close: () => Promise.resolve() });
      },
      signal: new AbortController().signal,
      onProgress: (done) => progress.push(done),
    });
  return { dataDir, store, views, status, progress, opened: () => opened };
}

test('completed ones wait for nothing, and the views are not opened for them', async () => {
  const { status, opened, progress } = await open(
    requestOf('ers_2'),
    completed('ers_2'),
    requestOf('ers_1'),
    completed('ers_1'),
  );
  const { erasures, missing, digests } = await status();
  expect(erasures).toMatchObject([
    { erasure_id: 'ers_1', completed: { contacts: 1, emails: 2 }, waits_for_emails: [], waits_for_scavenge: false },
    { erasure_id: 'ers_2', requested_at: exampleTime },
  ]);
  expect([missing, digests]).toEqual([{ applied: [], reported: [] }, []]);
  expect(opened()).toBe(0);
  expect(progress.at(-1)).toBe(5);
});

test('an unfinished one names the e-mails of the person that are being sent', async () => {
  const { status, views, opened } = await open(requestOf('ers_1'));
  await views.prepare(emails);
  const document = folded(emails, examples.emailStream, [e.emailRequested, e.dispatchStarted])[examples.email_id];
  await views.commit({
    writes: [{ view: emails, id: examples.email_id, document: document ?? null, position: '1', loaded: null }],
    checkpoint: { name: 'views', previous: null, next: { logId: '', position: '1', eventId: '', storages: {} } },
  });
  const { erasures } = await status();
  expect(erasures).toMatchObject([
    { completed: null, waits_for_emails: [{ email_id: examples.email_id, until: '2026-03-01T10:05:00.000Z' }] },
  ]);
  expect(opened()).toBe(1);
});

test('a register tells what the log lacks, and which of its lines are not valid', async () => {
  const { dataDir, store, status } = await open(requestOf('ers_1'), completed('ers_1'));
  const key_id = 'key_1';
  const key = { key_id, name: 'Kiosk', scopes: ['lists:read'], hash: 'a'.repeat(64) };
  const events = [toAppend({ type: 'ApiKeyCreated', data: key })];
  await store.append(keysStream, events, { expectedRevision: 'no_stream' });
  const owner = { logId: e.serviceInitialised.data.log_id, key: registerKey };
  const line = (stream: string, revision: bigint, event: DomainEvent) =>
    lineOf({ ...toAppend(event), stream, revision }, owner);
  const rotation = { key_id, hash: 'b'.repeat(64), previous_until: exampleTime };
  const lines = [
    line(erasuresStream, 2n, requestOf('ers_2', 'b2'.repeat(16))),
    line(keysStream, 1n, { type: 'ApiKeyRotated', data: rotation }),
    line(keysStream, 2n, { type: 'ApiKeyRevoked', data: { key_id } }),
    line(suppressionStream(subject_key), 0n, e.addressSuppressed),
  ];
  const forged = { ...line(keysStream, 3n, { type: 'ApiKeyRevoked', data: { key_id: 'key_2' } }), mac: '0'.repeat(64) };
  const file = path.join(dataDir, registerName);
  await appendLines(file, [...lines, forged]);
  const { register, missing } = await status();
  expect(register).toEqual({
    places: [{ file, lines: 4, invalid: [5], lacks: 0, away: null }],
    is_checked: true,
    without_line: 1,
  });
  expect(missing).toMatchObject({
    applied: [{ data: { erasure_id: 'ers_2' } }, { type: 'ApiKeyRevoked' }, { type: 'AddressSuppressed' }],
    reported: [{ type: 'ApiKeyRotated' }],
  });
});

test('a digest that no erasure explains is found', async () => {
  const { store, status } = await open();
  const erasedText = `{"contact_id":"con_01","person":"sha256:${'0'.repeat(64)}"}`;
  await store.append(examples.contactStream, [{ ...toAppend(e.contactCreated), data: erasedText }], {
    expectedRevision: 'no_stream',
  });
  const { digests, erasures } = await status();
  expect(digests).toMatchObject([{ kind: 'digest' }]);
  expect(erasures).toEqual([]);
});
