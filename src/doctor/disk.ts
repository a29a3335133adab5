/** Free space of the data folder's disk, and how long it takes to make a write durable: each append waits for that. */
import { closeSync, constants, existsSync, fsyncSync, openSync, statfsSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';

const megabyte = 1024 * 1024;
/** Below these the log may soon take no more, and an erasure or a rebuild may find no room. */
const leastFree = { red: 64 * megabyte, yellow: 1024 * megabyte };
const slowMs = 100;
/** What is written in one go of the smallest append. */
const block = Buffer.alloc(4_096);

interface DiskOptions {
  readonly dataDir: string;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/** Undefined: there is no folder yet. */
export function checkDisk({ dataDir, monotonic }: DiskOptions): Diagnosis | undefined {
  if (!existsSync(dataDir)) return undefined;
  const { bavail, bsize } = statfsSync(dataDir);
  const free = bavail * bsize;
  const said = `${inMegabytes(free)} are free`;
  const more = 'Make room, or move the data folder to a larger disk: a log only grows.';
  if (free < leastFree.red) return red(`only ${said}`, more);
  const took = durableWrite(dataDir, monotonic);
  if (typeof took === 'string')
    return red(
      `${said}, and nothing can be written (${took})`,
      'Mount the disk for writing, or mend it: dmesg may say more.',
    );
  const views = statSync(path.join(dataDir, 'views.db'), { throwIfNoEntry: false })?.size ?? 0;
  if (free < Math.max(leastFree.yellow, views))
    return yellow(
      `only ${said}; a rebuild or an erasure needs as much again as views.db has (${inMegabytes(views)})`,
      more,
    );
  if (took === undefined)
    return green(`${said}; its speed is not measured, because the file system has no unnamed files`);
  const speed = `a durable write takes ${took.toFixed(1)} ms`;
  return took > slowMs
    ? yellow(
        `${said}, but ${speed}`,
        'Move the data folder to a faster disk, or take load from this one: every request that writes waits for it.',
      )
    : green(`${said}, and ${speed}`);
}

const inMegabytes = (bytes: number): string => `${Math.floor(bytes / megabyte).toLocaleString('en-US')} MB`;

/** Of Linux: a file without a name, which is gone when it is closed. Neither the folder nor its times change. */
const unnamed = 0o20000000 | constants.O_DIRECTORY;
const notSupported: ReadonlySet<unknown> = new Set(['EOPNOTSUPP', 'ENOTSUP', 'EISDIR', 'EINVAL']);

/** Milliseconds; the code of the error; undefined where it cannot be tried without leaving a trace. */
function durableWrite(folder: string, monotonic: () => number): number | string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const file = openSync(folder, constants.O_RDWR | unnamed, 0o600);
    try {
      writeSync(file, block);
      const begun = monotonic();
      fsyncSync(file);
      return monotonic() - begun;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    return notSupported.has(code) ? undefined : String(code);
  }
}
