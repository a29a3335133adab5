/** A folder of seals: a file for each, named after the time when it was made, and never replaced. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createDurably, giveToFolderOwner, makeSubfolder, removeDrafts } from '../flow/durable-file.js';
import { parseSeal, type Seal } from './seal.js';

export const sealsName = 'seals';

interface FoundSeal {
  readonly file: string;
  readonly text: string;
  readonly seal: Seal | undefined;
}

/** The name has no colons, because some file systems do not allow them. */
const nameForm = /^\d{4}-\d\d-\d\dT[\d.-]{12}Z\.json$/;
/** Returns whether the service gives this name to the file of a seal. */
export const isSealName = (name: string): boolean => nameForm.test(name);
const nameOf = ({ sealed_at }: Seal): string => `${sealed_at.replaceAll(':', '-')}.json`;

/** In the order of their names. Empty where there is no such folder. @throws what the file system throws */
export function sealsIn(folder: string): readonly FoundSeal[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => {
    const file = path.join(folder, name);
    const text = readFileSync(file, 'utf8');
    return { file, text, seal: sealIn(text) };
  });
}

function sealIn(text: string): Seal | undefined {
  try {
    return parseSeal(text);
  } catch {
    return undefined;
  }
}

interface SealPage {
  readonly found: readonly { readonly file: string; readonly seal: Seal | undefined }[];
  /** Undefined: it is the last page. */
  readonly next: string | undefined;
}

/** By name, the newest first; `file` without the folder. @throws what the file system throws */
export async function sealPage(
  folder: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<SealPage> {
  if (!existsSync(folder)) return { found: [], next: undefined };
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith('.json') && (after === undefined || name < after),
  );
  const page = names.sort().reverse().slice(0, limit);
  const found = page.map(async (file) => ({ file, seal: sealIn(await readFile(path.join(folder, file), 'utf8')) }));
  return { found: await Promise.all(found), next: names.length > limit ? page.at(-1) : undefined };
}

/** The last that were made, by what the clock said, the newest first; their signatures are not checked. @throws what the file system throws */
export function newestSeals(folder: string, most: number): readonly Seal[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => nameForm.test(name));
  const found: Seal[] = [];
  for (const name of names.sort().reverse()) {
    const seal = found.length < most ? sealIn(readFileSync(path.join(folder, name), 'utf8')) : undefined;
    if (seal !== undefined) found.push(seal);
  }
  return found;
}

export const newestSeal = (folder: string): Seal | undefined => newestSeals(folder, 1)[0];

/** The last that was made, of a folder that may be on a share. @throws what the file system throws */
export async function newestCopy(folder: string): Promise<Seal | undefined> {
  const newest = (await readdir(folder))
    .filter((name) => nameForm.test(name))
    .sort()
    .at(-1);
  return newest === undefined ? undefined : sealIn(await readFile(path.join(folder, newest), 'utf8'));
}

/** Writes the seal durably and makes the folder if it does not exist. @throws what the file system throws */
export function keepSeal(folder: string, seal: Seal): string {
  makeSubfolder(folder);
  const file = path.join(folder, nameOf(seal));
  if (!createDurably(file, `${JSON.stringify(seal, undefined, 2)}\n`)) throw new Error(`${file} is there already`);
  return file;
}

/** Copies what is missing there, written at once under its name: a share that can be written to only once takes no renaming. @throws what the file system throws */
export async function copySeals(from: string, to: string): Promise<void> {
  const there = new Set(await readdir(to));
  const names = existsSync(from) ? (await readdir(from)).filter((name) => nameForm.test(name)).sort() : [];
  const textOf = (name: string): Promise<string> => readFile(path.join(from, name), 'utf8');
  for (const name of names) if (!there.has(name)) await write(path.join(to, name), await textOf(name), 'wx');
  // The newest that was there may have been cut off by a crash.
  const newest = names.findLast((name) => there.has(name));
  if (newest === undefined) return;
  const file = path.join(to, newest);
  const [whole, copy] = [await textOf(newest), await readFile(file, 'utf8')];
  if (copy !== whole && whole.startsWith(copy)) await write(file, whole, 'w');
}

async function write(file: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  const handle = await open(file, flag);
  try {
    if (flag === 'wx') giveToFolderOwner(handle.fd, file);
    await handle.writeFile(text);
    await handle.sync();
    // Witnesses read the file, and nothing in it is personal. Some network shares have no modes.
    await handle.chmod(0o644).catch(() => undefined);
  } catch (error) {
    // Part of a seal is useless.
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Removes the drafts of seals that a killed process left. @throws what the file system throws */
export const removeSealDrafts = (folder: string, olderThan: number): void =>
  removeDrafts(folder, { isOurs: (name) => nameForm.test(name), olderThan });
