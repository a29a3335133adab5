/** A folder of seals: a file for each, named after the time when it was made, and never replaced. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createWhole } from './seal-key.js';
import { parseSeal, type Seal } from './seal.js';

/** Of the data folder. */
export const sealsName = 'seals';

interface FoundSeal {
  readonly file: string;
  readonly text: string;
  /** Undefined: it is no seal. */
  readonly seal: Seal | undefined;
}

/** Times have colons, which some file systems have not. */
const nameOf = ({ sealed_at }: Seal): string => `${sealed_at.replaceAll(':', '-')}.json`;

/** The oldest first, by their names. Empty where there is no such folder. @throws what the file system throws */
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

/** The last that was made, by what the clock said; its signature is not checked. @throws what the file system throws */
export function newestSeal(folder: string): Seal | undefined {
  const seals = sealsIn(folder).flatMap(({ seal }) => seal ?? []);
  return seals.sort((one, other) => (one.sealed_at < other.sealed_at ? -1 : 1)).at(-1);
}

/** Durably, in a folder that is made where it is missing. @throws what the file system throws */
export function keepSeal(folder: string, seal: Seal): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, nameOf(seal));
  if (!createWhole(file, `${JSON.stringify(seal, undefined, 2)}\n`)) throw new Error(`${file} is there already`);
  return file;
}
