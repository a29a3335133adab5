/** Acknowledged means on disk: fsyncs counted, processes killed, disks filled, fsyncs made to fail, all for real. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { allEvents, eventLogChild, newLogFile, openLog, startChild, type ChildLine } from '../../support/event-log.js';

const acked = (lines: readonly ChildLine[]): string[] => lines.flatMap((line) => line.acked ?? []);
const refused = (lines: readonly ChildLine[]): string[] => lines.flatMap((line) => line.refused ?? []);
const works = (command: string, ...parameters: string[]): boolean => spawnSync(command, parameters).status === 0;
const straceWorks = works('strace', '-f', '-e', 'trace=fdatasync', 'true');
const noStrace = 'strace is not installed, or this machine does not permit tracing';

it('every acknowledgement follows an fsync of the log (strace)', { timeout: 60_000 }, async (context) => {
  if (!straceWorks) context.skip(noStrace);
  const file = newLogFile();
  const trace = path.join(path.dirname(file), 'trace');
  const calls = 'trace=fdatasync,fsync,write';
  const child = startChild(
    'strace',
    '-f',
    '-y',
    '-o',
    trace,
    '-e',
    calls,
    process.execPath,
    eventLogChild,
    'sequence',
    file,
    '50',
  );
  await child.exited;
  expect(acked(child.lines)).toHaveLength(50);

  let synced = 0;
  const syncsBeforeAck: number[] = [];
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    if (/ (fdatasync|fsync)\(\d+<[^>]*events\.db-wal>/.test(line)) synced += 1;
    if (/ write\(1<.*acked/.test(line)) {
      syncsBeforeAck.push(synced);
      synced = 0;
    }
  }
  expect(syncsBeforeAck).toHaveLength(50);
  expect(Math.min(...syncsBeforeAck)).toBeGreaterThanOrEqual(1);
});

it('nothing acknowledged is lost when the process is killed, three times over', { timeout: 60_000 }, async () => {
  const file = newLogFile();
  const all: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const child = startChild(process.execPath, eventLogChild, 'append', file);
    await child.until((lines) => acked(lines).length >= 500);
    await child.kill();
    all.push(...acked(child.lines));
  }
  const { store } = await openLog(file);
  const found = new Set((await allEvents(store)).map(({ id }) => id));
  expect(all.filter((id) => !found.has(id))).toEqual([]);
});

it('a commit that a kill interrupted is flushed before the next process relies on it (strace)', async (context) => {
  if (!straceWorks) context.skip(noStrace);
  const file = newLogFile();
  const child = startChild(process.execPath, eventLogChild, 'append', file);
  await child.until((lines) => acked(lines).length >= 10);
  await child.kill();
  const wal = `${realpathSync(path.dirname(file))}/events.db-wal`;
  expect(readFileSync(wal).length).toBeGreaterThan(0);
  const schema = new URL('../../../dist/eventstore/sqlite/schema.js', import.meta.url).href;
  const program = `(await import(${JSON.stringify(schema)})).openForWriting(${JSON.stringify(file)}); process.kill(process.pid, 'SIGKILL')`;
  const node = [process.execPath, '--input-type=module', '-e', program];
  const { stderr } = spawnSync('strace', ['-f', '-P', wal, '-e', 'trace=openat,fsync,fdatasync', ...node], {
    encoding: 'utf8',
  });
  const calls = [...stderr.matchAll(/\b(openat|fsync|fdatasync)\(/g)].map(([, name]) => name);
  expect(calls.slice(0, 2)).toEqual(['openat', 'fsync']);
});

it('a full disk refuses appends, writes nothing of them, and works again once there is room', async (context) => {
  if (!works('unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'))
    context.skip('this machine does not permit mounting a small file system in a namespace of its own');
  const folder = path.join(path.dirname(newLogFile()), 'small');
  mkdirSync(folder);
  const script = 'mount -t tmpfs -o size=3m tmpfs "$1" && exec "$2" "$3" fill "$1/events.db"';
  const child = startChild('unshare', '-rm', 'sh', '-c', script, 'sh', folder, process.execPath, eventLogChild);
  await child.exited;
  expect(refused(child.lines)).toEqual(['StoreFullError', 'StoreFullError']);
  expect(acked(child.lines).length).toBeGreaterThan(5);
  expect(child.lines.flatMap(({ stored }) => stored ?? [])).toEqual(acked(child.lines));
});

for (const [title, injection, outcome] of [
  ['a failed fsync leaves the append in doubt', 'inject=fdatasync,fsync:error=EIO:when=6', 'AppendInDoubtError'],
  ['a failed write leaves the append in doubt', 'inject=pwrite64:error=EIO:when=40', 'AppendInDoubtError'],
  ['a disk that is full for a moment refuses', 'inject=pwrite64:error=ENOSPC:when=40', 'StoreFullError'],
] as const)
  it(`${title}; asked again it is written once (strace)`, { timeout: 60_000 }, async (context) => {
    if (!straceWorks) context.skip(noStrace);
    const file = newLogFile();
    const wal = `${realpathSync(path.dirname(file))}/events.db-wal`;
    const tracing = [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-P',
      wal,
      '-e',
      'trace=fdatasync,fsync,pwrite64',
      '-e',
      injection,
    ];
    const child = startChild('strace', ...tracing, process.execPath, eventLogChild, 'sequence', file, '20');
    await child.exited;
    expect(refused(child.lines)).toEqual([outcome]);
    expect(child.lines.some(({ fault }) => fault !== undefined)).toBe(true);
    const { store } = await openLog(file);
    expect((await allEvents(store)).map(({ id }) => id)).toEqual(acked(child.lines));
    expect(acked(child.lines)).toHaveLength(20);
  });
