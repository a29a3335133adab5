/** The trusted clock of a process: what the clock is compared with at a start, and the note that it leaves. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clockNotesIn, openTrustedClock, sharedClockNotes, type ClockNotes } from '../../src/stores/trusted-clock.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse('2026-03-01T10:00:00.000Z');

let folder: string;
let wall: number;
let monotonic: number;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'clock-'));
  [wall, monotonic] = [start, 0];
});
afterEach(() => rmSync(folder, { recursive: true }));

const noteFile = (): string => path.join(folder, 'clock.json');

async function open({
  notes = clockNotesIn(noteFile()),
  newestEvent,
}: { readonly notes?: ClockNotes; readonly newestEvent?: number } = {}) {
  const trusted = await openTrustedClock({
    notes,
    newestEvent: async () => newestEvent,
    clock: () => wall,
    monotonic: () => monotonic,
  });
  const { signal } = new AbortController();
  return {
    ...trusted,
    look: () => trusted.subscriber.handle('turn', signal, signal),
    stop: () => trusted.subscriber.close?.(signal),
  };
}
function pass(milliseconds: number): void {
  wall += milliseconds;
  monotonic += milliseconds;
}

test('notes the time at its first look, every hour, and at the stop', async () => {
  const { look, stop } = await open();
  const noted = (): unknown => JSON.parse(readFileSync(noteFile(), 'utf8'));
  await look();
  expect(noted()).toEqual({ noted_at: '2026-03-01T10:00:00.000Z' });
  pass(hour - 1);
  await look();
  expect(noted()).toEqual({ noted_at: '2026-03-01T10:00:00.000Z' });
  pass(1);
  await look();
  expect(noted()).toEqual({ noted_at: '2026-03-01T11:00:00.000Z' });
  pass(60_000);
  await stop();
  expect(noted()).toEqual({ noted_at: '2026-03-01T11:01:00.000Z' });
});

test('is not trusted if it starts more than a day ahead of the note, even if an event is newer', async () => {
  const first = await open();
  await first.look();
  wall += 365 * day;
  const second = await open({ newestEvent: wall });
  expect(second.now()).toBeUndefined();
  expect(second.status()).toEqual({ trusted: false, reason: 'ahead', trusted_in_seconds: 86_400 });
  await second.look();
  await second.stop();
  // The note from the time when the clock was right is still there.
  wall = start + hour;
  expect((await open()).now()).toBe(wall);
});

test('stays untrusted over a restart if it was ahead at a start without a note', async () => {
  wall += 365 * day;
  const first = await open({ newestEvent: start });
  expect(first.now()).toBeUndefined();
  await first.look();
  await first.stop();
  // The newest event was written by the wrong clock.
  expect((await open({ newestEvent: wall })).now()).toBeUndefined();
});

test('is compared with the newest event if there is no note, or none that can be read', async () => {
  expect((await open({ newestEvent: start - day })).now()).toBe(start);
  rmSync(noteFile());
  expect((await open({ newestEvent: start - day - 1 })).now()).toBeUndefined();
  writeFileSync(noteFile(), '{"noted_at":');
  expect((await open({ newestEvent: start - day - 1 })).now()).toBeUndefined();
});

test('refuses a folder or a pipe in place of the note, and names it', async () => {
  mkdirSync(noteFile());
  await expect(open()).rejects.toThrow(`${noteFile()} is not a regular file`);
  rmSync(noteFile(), { recursive: true });
  execFileSync('mkfifo', [noteFile()]);
  await expect(open()).rejects.toThrow(`${noteFile()} is not a regular file`);
});

test('is trusted at once when it is confirmed, also by the next start', async () => {
  const clock = await open({ newestEvent: start - 10 * day });
  expect(clock.now()).toBeUndefined();
  expect(await clock.confirm()).toBe(start);
  expect(clock.now()).toBe(start);
  expect(clock.status()).toEqual({ trusted: true });
  expect((await open({ newestEvent: start - 10 * day })).now()).toBe(start);
});

test('dates nothing by a clock that is more than a day behind the time that was known at the start', async () => {
  const near = await open({ newestEvent: start + day });
  pass(600_000);
  expect(near.datedNow()).toBe(wall);
  rmSync(noteFile());
  const far = await open({ newestEvent: wall + day + 600_001 });
  pass(600_000);
  expect([far.now(), far.datedNow()]).toEqual([wall, undefined]);
});

test('is trusted ten minutes after it was set right, if it was years behind at the start', async () => {
  await (await open()).look();
  wall = start - 730 * day;
  const { look, status, stop } = await open();
  await look();
  wall = start + 20_000;
  status();
  await look();
  expect(status()).toEqual({ trusted: false, reason: 'jumped', trusted_in_seconds: 600 });
  pass(600_000);
  expect(status()).toEqual({ trusted: true });
  await stop();
  expect((await open()).status()).toEqual({ trusted: true });
});

test('a note that is years ahead is replaced ten minutes after the start', async () => {
  wall = start + 730 * day;
  await (await open()).look();
  wall = start;
  const { look } = await open();
  await look();
  expect(readFileSync(noteFile(), 'utf8')).toContain('2028');
  pass(600_000);
  await look();
  expect(readFileSync(noteFile(), 'utf8')).toContain('2026-03-01T10:10');
});

test('notices a jump when it is asked for the time', async () => {
  const { now } = await open();
  expect(now()).toBe(start);
  wall += 365 * day;
  expect(now()).toBeUndefined();
});

test('is no longer ahead once it is confirmed in another process', async () => {
  const file = path.join(folder, 'views.db');
  const shared = () => sharedClockNotes(openSqliteReadModels({ file }));
  const one = await open({ notes: shared(), newestEvent: start - 10 * day });
  const other = await open({ notes: shared(), newestEvent: start - 10 * day });
  await one.confirm();
  expect(other.status()).toMatchObject({ reason: 'ahead' });
  await other.look();
  expect(other.status()).toMatchObject({ reason: 'jumped' });
  pass(10 * 60_000);
  await other.look();
  expect(other.now()).toBe(wall);
  await one.stop();
  await other.stop();
});
