/** The record of the last rebuild, under several writers. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { newRecord, nextOf, readRebuildRecord, runOf, writeRebuildRecord } from '../../src/rebuild/rebuild-record.js';
import { CommitConflictError, ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

let models: ReadModels;
beforeEach(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rebuild-record-'));
  models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
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

/** What the process that leads would carry out now. */
async function next() {
  let found: ReturnType<typeof nextOf>;
  await writeRebuildRecord(models, (stored) => {
    found = nextOf(stored);
    return undefined;
  });
  return found;
}

it('returns to a request that was put off, after the rebuild that the start needed', async () => {
  const own = requested('contacts');
  await writeRebuildRecord(models, () => own);
  expect(await next()).toEqual(own);
  const needed = { ...requested('lists'), cause: 'start' as const };
  await writeRebuildRecord(models, () => needed);
  expect(await next()).toEqual(needed);
  await writeRebuildRecord(models, () => ({ ...needed, state: 'finished' }));
  expect(await next()).toEqual(own);
  await writeRebuildRecord(models, () => ({ ...own, state: 'finished' }));
  expect(await next()).toBeUndefined();
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

const asRequested = { views: ['lists'], dryRun: false, acceptDifferences: false, park: false };

it.each([
  [{}, {}],
  [{ accept_differences: true }, { acceptDifferences: true }],
  [{ dry_run: true }, { dryRun: true }],
  [{ cause: 'start' }, { park: true }],
] as const)('a record with %o is carried out with %o', (stored, run) => {
  expect(runOf({ ...requested('lists'), ...stored })).toEqual({ ...asRequested, ...run });
});
