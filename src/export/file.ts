/** The file of an export: written whole or not at all, readable only by its owner, who is the owner of the folder, with its SHA-256 beside it. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { CommandFailedError } from '../failures.js';
import { giveToFolderOwner } from '../flow/durable-file.js';

/** Resolves when the bytes have been taken. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
}

export type Pieces = AsyncIterable<string | Uint8Array>;

export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
}

export const checksumFileOf = (file: string): string => `${file}.sha256`;

/** @throws CommandFailedError in words, before anything is read. */
export function demandPlace(file: string, isForced: boolean): void {
  const folder = path.dirname(path.resolve(file));
  if (!existsSync(folder)) throw new CommandFailedError(`there is no folder ${folder}`, { type: 'no_folder' });
  if (!isForced && existsSync(file))
    throw new CommandFailedError(`${file} is there already: choose another name, or say --force`, { type: 'exists' });
}

/**
 * Written into a folder beside its place, made durable, then renamed. Nothing is left when it ends early.
 * @throws CommandFailedError the folder cannot be written to. @throws what the pieces throw; what the file system throws.
 */
export function writeWhole(file: string, pieces: Pieces): Promise<WrittenFile> {
  const folder = path.dirname(path.resolve(file));
  return withDraft(folder, async (own) => {
    const written = await writeDurably(path.join(own, 'data'), (handle) => {
      giveToFolderOwner(handle.fd, file);
      return writeAll((bytes) => handle.appendFile(bytes), pieces);
    });
    const sum = `${written.sha256}  ${path.basename(file)}\n`;
    await writeDurably(path.join(own, 'sum'), (handle) => {
      giveToFolderOwner(handle.fd, file);
      return handle.writeFile(sum);
    });
    // With an old checksum beside it, a new file would look damaged.
    await rm(checksumFileOf(file), { force: true });
    await rename(path.join(own, 'data'), file);
    await rename(path.join(own, 'sum'), checksumFileOf(file));
    await syncFolder(folder);
    return written;
  });
}

/** With a folder of its own in this one, which is gone at the end. @throws CommandFailedError the folder cannot be written to */
export async function withDraft<Result>(folder: string, work: (own: string) => Promise<Result>): Promise<Result> {
  const own = await mkdtemp(path.join(folder, '.export-')).catch((error: unknown) => {
    throw unwritable(folder, error);
  });
  return await work(own).finally(() => rm(own, { recursive: true, force: true }));
}

/** Names the folder, and not the draft in it. */
function unwritable(folder: string, cause: unknown): CommandFailedError {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new CommandFailedError(`${folder} cannot be written to (${reason})`, { type: 'unwritable', cause });
}

/** To standard output: its reader must look at the exit code. */
export const writeOut = (output: Sink, pieces: Pieces): Promise<WrittenFile> =>
  writeAll((bytes) => output.write(bytes), pieces);

/** Compares a file with the SHA-256 beside it, so that a part is not taken for the whole. False: there is none. @throws CommandFailedError */
export async function demandChecksum(file: string, signal: AbortSignal): Promise<boolean> {
  const beside = checksumFileOf(file);
  if (!existsSync(beside) || !existsSync(file)) return false;
  const wanted = /^([0-9a-f]{64}) [ *]/.exec(readFileSync(beside, 'utf8'))?.[1];
  if (wanted === undefined)
    throw new CommandFailedError(`${beside} is no checksum as sha256sum writes it; remove it to go without`, {
      type: 'bad_checksum',
    });
  const hash = createHash('sha256');
  const pieces: AsyncIterable<Buffer> = createReadStream(file, { signal, highWaterMark: 1024 * 1024 });
  for await (const piece of pieces) hash.update(piece);
  if (hash.digest('hex') !== wanted)
    throw new CommandFailedError(
      `${file} is not as it was exported: its SHA-256 is not that in ${beside}. Nothing was written. If it was mended on purpose, remove the checksum.`,
      { type: 'bad_checksum' },
    );
  return true;
}

async function writeAll(write: (bytes: Uint8Array) => Promise<void>, pieces: Pieces): Promise<WrittenFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of pieces) {
    const added = typeof piece === 'string' ? Buffer.from(piece) : piece;
    hash.update(added);
    bytes += added.length;
    await write(added);
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function writeDurably<Result>(file: string, write: (handle: FileHandle) => Promise<Result>): Promise<Result> {
  const handle = await open(file, 'wx', 0o600);
  try {
    const result = await write(handle);
    await handle.sync();
    return result;
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
