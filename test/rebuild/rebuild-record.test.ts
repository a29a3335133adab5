/** The record of the last rebuild: beside a process of an earlier version, which keeps it as a document, and under several writers. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  newRecord,
  nextOf,
  readRebuildRecord,
  rebuildsView,
  runOf,
  writeRebuildRecord,
} from '../../src/rebuild/rebuild-record.js';
import { CommitConflictError, ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

let models: ReadModels;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rebuild-record-'));
  models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  await models.prepare(rebuildsView);
  onTestFinished(async () => {
    await models.close();
    rmSync(folder, { recursive: true });
  });
});

const requested = (view: string) =>
  newRecord({
    rebuild_id: randomUUID(),
    views: [view],
    dry_run: false,
    cause: 'request',
    requested_at: '2026-03-01T10:00:00.000Z',
  });

/** As versions before records write it: a document, and beside it a checkpoint that counts. */
async function writeAsBefore(document: object): Promise<void> {
  const [stored, previous] = await Promise.all([models.get(rebuildsView, 'current'), models.checkpoint('rebuilds')]);
  const position = String(Number(previous?.position ?? '0') + 1).padStart(16, '0');
  await models.commit({
    writes: [
      { view: rebuildsView, id: 'current', document: { ...document }, position, loaded: stored?.position ?? null },
    ],
    checkpoint: { name: 'rebuilds', previous, next: { logId: '', position, eventId: '', storages: {} } },
  });
}

/** What the process that leads would carry out now. */
async function next() {
  let found: ReturnType<typeof nextOf>;
  await writeRebuildRecord(models, (stored) => {
    found = nextOf(stored);
    return undefined;
  });
  return found;
}

describe('the record of an earlier version', () => {
  it('is taken over, running and with what was put off', async () => {
    const [running, postponed] = [{ ...requested('tags'), state: 'running' as const }, requested('lists')];
    await writeAsBefore({ ...running, postponed });
    expect(await readRebuildRecord(models)).toEqual(running);
    const finished = { ...running, state: 'finished' as const, progress: null };
    await writeRebuildRecord(models, ({ record }) =>
      record?.rebuild_id === running.rebuild_id ? finished : undefined,
    );
    expect(await readRebuildRecord(models)).toEqual(finished);
    expect(await next()).toEqual(postponed);
    await writeRebuildRecord(models, () => ({ ...postponed, state: 'finished' }));
    expect(await next()).toBeUndefined();
  });

  it('gets what was requested of such a process later, and loses nothing that was requested of this one', async () => {
    await writeAsBefore({ ...requested('tags'), state: 'finished', postponed: null });
    const own = requested('contacts');
    await writeRebuildRecord(models, () => own);
    expect(await next()).toEqual(own);
    const older = requested('lists');
    await writeAsBefore({ ...older, postponed: null });
    expect(await next()).toEqual(older);
    await writeRebuildRecord(models, () => ({ ...older, state: 'finished' }));
    expect(await next()).toEqual(own);
    await writeRebuildRecord(models, () => ({ ...own, state: 'finished' }));
    expect(await next()).toBeUndefined();
  });

  it('stays as it is for the process of that version', async () => {
    const older = { ...requested('tags'), postponed: null };
    await writeAsBefore(older);
    await writeRebuildRecord(models, () => requested('lists'));
    expect((await models.get(rebuildsView, 'current'))?.document).toEqual(older);
  });
});

it('is written by one of two who read the same', async () => {
  const { putRecord } = models;
  const first = requested('tags');
  models.putRecord = async (record) => {
    models.putRecord = putRecord;
    await writeRebuildRecord(models, () => first);
    return await putRecord(record);
  };
  await expect(writeRebuildRecord(models, () => requested('lists'))).rejects.toThrow(CommitConflictError);
  expect(await readRebuildRecord(models)).toEqual(first);
});

it('keeps what a later version has added', async () => {
  const value = { ...requested('tags'), reason: 'of a later version' };
  await models.putRecord({ name: 'rebuild', value, previous: null });
  await writeRebuildRecord(models, ({ record }) => record && { ...record, state: 'failed' });
  expect((await models.readRecord('rebuild'))?.value).toMatchObject({ reason: value.reason, state: 'failed' });
});

it('is not written over where it cannot be read, and the fault names the fields and no value', async () => {
  const value = { ...requested('tags'), state: 'paused' };
  await models.putRecord({ name: 'rebuild', value, previous: null });
  const fault = new ReadModelsUnavailableError('the record of the last rebuild cannot be read by this version: state');
  await expect(readRebuildRecord(models)).rejects.toEqual(fault);
  await expect(writeRebuildRecord(models, () => requested('lists'))).rejects.toEqual(fault);
  expect((await models.readRecord('rebuild'))?.value).toEqual(value);
});

it.each([
  [{}, 'switch'],
  [{ accept_differences: true }, 'accept_differences'],
  [{ dry_run: true }, 'check'],
  [{ dry_run: true, accept_differences: true }, 'check'],
  [{ cause: 'start' }, 'start'],
] as const)('what is stored with %o is carried out as %s', (stored, mode) => {
  expect(runOf({ ...requested('lists'), ...stored })).toEqual({ views: ['lists'], mode });
});
