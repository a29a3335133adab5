/** One writer at a time: the second is refused at once, and a killed one leaves no lock behind. */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WriterLockedError } from '../../../src/eventstore/event-store.js';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { allEvents, eventLogChild, newLogFile, openLog, said, startChild } from '../../support/event-log.js';

const opening = (file: string): Promise<unknown> =>
  openSqliteEventStore({ file, clock: Date.now }).catch((error: unknown) => error);

it('refuses a second store in the same process, also under another name', async () => {
  const { file } = await openLog();
  const alias = newLogFile();
  symlinkSync(file, alias);
  for (const name of [file, alias]) {
    const error = await opening(name);
    expect(error).toBeInstanceOf(WriterLockedError);
    expect(String(error)).toContain(file);
  }
});

it('is free again after close, and after a start that failed', async () => {
  const { store, file } = await openLog();
  await store.close();
  const again = await openLog(file);
  await again.store.append('a', [said()], { expectedRevision: 'no_stream' });
});

it('refuses a second process quickly, and is free again once the first is killed', async () => {
  const file = newLogFile();
  const holder = startChild(process.execPath, eventLogChild, 'hold', file);
  await holder.until((lines) => lines.some(({ open }) => open));
  const before = performance.now();
  expect(await opening(file)).toBeInstanceOf(WriterLockedError);
  expect(performance.now() - before).toBeLessThan(1_000);
  await holder.kill();
  const { store } = await openLog(file);
  expect(await allEvents(store)).toEqual([]);
});

it('refuses a second process at its opening although the lock file was deleted, and every later process', async () => {
  const file = newLogFile();
  const lock = file.replace(/\.db$/, '.lock');
  const holder = startChild(process.execPath, eventLogChild, 'hold', file);
  await holder.until((lines) => lines.some(({ open }) => open));
  rmSync(lock);
  for (const attempt of [1, 2]) {
    const error = await opening(file);
    expect(error, `attempt ${attempt}`).toBeInstanceOf(WriterLockedError);
    expect(String(error)).toContain(`its lock file ${lock} was deleted`);
    expect(existsSync(lock)).toBe(false);
  }
  await holder.kill();
  // The killed process left a write-ahead log, and perhaps events in it.
  const { store } = await openLog(file);
  await store.append('a', [said()], { expectedRevision: 'no_stream' });
  expect(existsSync(lock)).toBe(true);
});

it('opens a log that has no lock file, as after a restore', async () => {
  const { store, file } = await openLog();
  await store.append('a', [said()], { expectedRevision: 'no_stream' });
  await store.close();
  rmSync(file.replace(/\.db$/, '.lock'));
  const again = await openLog(file);
  expect(await allEvents(again.store)).toHaveLength(1);
});

it('refuses a second store in the same process although the lock file was deleted', async () => {
  const { store, file } = await openLog();
  rmSync(file.replace(/\.db$/, '.lock'));
  expect(await opening(file)).toBeInstanceOf(WriterLockedError);
  await store.append('a', [said()], { expectedRevision: 'no_stream' });
});
