/** Reads the files of a backup without following links, so that nobody who can write to the folder of backups chooses what is read. */
import { createHash } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { giveToFolderOwner } from '../flow/durable-file.js';
import { CommandFailedError } from '../failures.js';
import type { FileSum, Manifest } from './manifest.js';

/** Checks that each file of the manifest is a regular file with the size and SHA-256 from the manifest. @throws CommandFailedError; what the file system throws; the signal's reason */
export async function demandFiles(backup: string, { files }: Manifest, signal: AbortSignal): Promise<void> {
  for (const file of files) demandSame(backup, file, await sumOf(backup, file.name, signal));
}

/** Returns the size and SHA-256 of a file of a backup. @throws CommandFailedError if the file is missing or not a regular file; what the file system throws; the signal's reason */
export async function sumOf(backup: string, name: string, signal: AbortSignal): Promise<FileSum> {
  return await whileOpen(backup, name, (source) => readThrough(name, source, { signal }));
}

interface CopyOptions {
  /** The path of the copy, which must not exist yet. */
  readonly to: string;
  readonly signal: AbortSignal;
}

/** Copies a file of a backup, durably. Only the owner of the folder can read the copy. @throws CommandFailedError if the file is not the one of the manifest; what the file system throws; the signal's reason */
export async function copyOut(backup: string, file: FileSum, { to, signal }: CopyOptions): Promise<void> {
  const copied = await whileOpen(backup, file.name, async (source) => {
    const target = await open(to, 'wx', 0o600);
    try {
      giveToFolderOwner(target.fd, to);
      const sum = await readThrough(file.name, source, { signal, target });
      await target.sync();
      return sum;
    } finally {
      await target.close();
    }
  });
  demandSame(backup, file, copied);
}

async function whileOpen<Result>(
  backup: string,
  name: string,
  work: (source: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = path.join(backup, name);
  const refuse = (what: string): CommandFailedError => damaged(file, what);
  const isInFolder = path.dirname(name) !== '.';
  if (isInFolder && lstatSync(path.dirname(file), { throwIfNoEntry: false })?.isDirectory() === false)
    throw refuse('is in a folder that is a link instead of a folder of the backup');
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw refuse('is missing');
  if (!stat.isFile()) throw refuse('is a link or another special file instead of a file of the backup');
  const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}

interface Reading {
  readonly signal: AbortSignal;
  /** Gets the bytes that were read. */
  readonly target?: FileHandle;
}

const pieceBytes = 1024 * 1024;

async function readThrough(name: string, source: FileHandle, { signal, target }: Reading): Promise<FileSum> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(pieceBytes);
  let bytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(buffer, 0, pieceBytes, bytes);
    if (bytesRead === 0) return { name, bytes, sha256: hash.digest('hex') };
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    await target?.writeFile(piece);
    bytes += bytesRead;
  }
}

function demandSame(backup: string, wanted: FileSum, found: FileSum): void {
  if (found.sha256 === wanted.sha256 && found.bytes === wanted.bytes) return;
  throw damaged(path.join(backup, wanted.name), 'is corrupt: its SHA-256 does not match');
}

const damaged = (file: string, what: string): CommandFailedError =>
  new CommandFailedError(`${file} ${what}. Do not restore from this backup.`, { type: 'backup_damaged', exitCode: 1 });
