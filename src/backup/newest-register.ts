/** The register that a restore is given, compared with the one that comes with the log: what it has more, and whether it is an older one. */
import { statSync } from 'node:fs';
import { CommandFailedError } from '../failures.js';
import { joinedRegisters, newestOf, readRegister, type RegisterContent } from '../privacy/register.js';

export interface ComparedRegister {
  readonly file: string | null;
  readonly entries: number;
  /** When the newest thing in it was asked for. */
  readonly newest: string | null;
  /** When the file was last written. */
  readonly written_at: string | null;
  /** Entries that the other one does not have. */
  readonly newer: number;
  /** Entries of the other one that it lacks: then it is an older one. */
  readonly lacks: number;
}

interface RegisterFiles {
  /** It comes with the log; it may be missing. */
  readonly own: string;
  readonly given: string | undefined;
  readonly logId: string;
}

/** @throws CommandFailedError @throws RegisterError */
export function comparedRegister({ own, given: file, logId }: RegisterFiles): ComparedRegister {
  const known = readRegister(own, logId);
  const here = linesOf(known);
  if (file === undefined)
    return { file: null, entries: here.size, newest: newestOf(known) ?? null, written_at: null, newer: 0, lacks: 0 };
  if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    throw new CommandFailedError(`There is no register ${file}.`, { type: 'no_register' });
  const given = readRegister(file, logId);
  const there = linesOf(given);
  if (there.size === 0 && joinedRegisters([file]) !== '')
    throw new CommandFailedError(`${file} is the register of another log.`, { type: 'other_register' });
  return {
    ...{ file, entries: there.size, newest: newestOf(given) ?? null, written_at: statSync(file).mtime.toISOString() },
    ...{ newer: countBeyond(there, here), lacks: countBeyond(here, there) },
  };
}

const linesOf = ({ erasures, keys, refusals }: RegisterContent): ReadonlySet<string> =>
  new Set([...erasures, ...keys, ...refusals].map((one) => JSON.stringify(one)));

const countBeyond = (some: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...some].filter((one) => !others.has(one)).length;
