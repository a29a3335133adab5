/** Reads the newest register, which the operator names for a restore, and compares it with the register that comes with the log. */
import { realpathSync, statSync } from 'node:fs';
import { CommandFailedError } from '../failures.js';
import { linesLackedBy, readRegister, type RegisterContent } from './register-file.js';
import type { RegisterOwner } from './register-line.js';

export interface ComparedRegister {
  /** The register that the operator named, or null. */
  readonly file: string | null;
  /** Number of lines of that register, or of the one that comes with the log if the operator named none. */
  readonly entries: number;
  /** When the file was last written, by the clock of that machine, or null if the operator named none. */
  readonly written_at: string | null;
  /** Number of lines that did not come with the log. */
  readonly newer: number;
  /** Number of lines that came with the log and are not in the named register, so it is older or incomplete. */
  readonly lacks: number;
}

interface ReadOptions extends RegisterOwner {
  /** Called with facts for the operator. */
  readonly onNotice: (notice: string) => void;
}

/**
 * Reads the register that the operator named.
 * @throws CommandFailedError if there is no such file, it is of another log, or it has no valid line of this log
 * @throws what the file system throws
 */
export function readNamed(file: string, { logId, key, onNotice }: ReadOptions): RegisterContent {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CommandFailedError(`There is no register ${file}.`, { type: 'no_register' });
  const named = readRegister(realpathSync(file), { logId, key });
  if (named.lines.length === 0) throw noLineIn(named, logId);
  noticeOfInvalid(named, onNotice);
  if (named.invalid.length > 0)
    onNotice(
      'The events of such lines, which may be erasures, are not brought back. Look for an intact copy of the file.',
    );
  return named;
}

const insteadOf = 'Name another register. If none is left, use --without-newer-register instead.';

function noLineIn({ file, invalid, hasLinesOfOtherLog }: RegisterContent, logId: string): CommandFailedError {
  if (invalid.length > 0)
    return new CommandFailedError(`${file} has no valid line of this log: ${invalidInWords(invalid)}. ${insteadOf}`, {
      type: 'no_register',
    });
  if (hasLinesOfOtherLog)
    return new CommandFailedError(`${file} is the register of another log than ${logId}. ${insteadOf}`, {
      type: 'other_register',
    });
  return new CommandFailedError(
    `${file} is empty, so it tells nothing about what came after the backup. ${insteadOf}`,
    { type: 'no_register' },
  );
}

/** Names the lines of a register that are damaged or have a wrong MAC, if there are any. */
export function noticeOfInvalid({ file, invalid }: RegisterContent, onNotice: (notice: string) => void): void {
  if (invalid.length > 0)
    onNotice(`${file}: ${invalidInWords(invalid)}, and ${isOne(invalid) ? 'is' : 'are'} ignored.`);
}

const isOne = (numbers: readonly number[]): boolean => numbers.length === 1;
/** Numbers of lines in one message. */
const mostNumbers = 20;

function invalidInWords(numbers: readonly number[]): string {
  const more = numbers.length > mostNumbers ? ` and ${numbers.length - mostNumbers} more` : '';
  return `${isOne(numbers) ? 'line' : 'lines'} ${numbers.slice(0, mostNumbers).join(', ')}${more} ${isOne(numbers) ? 'is' : 'are'} damaged or ${isOne(numbers) ? 'has' : 'have'} a wrong MAC`;
}

/** @param own the register that comes with the log */
export function compareRegisters(own: RegisterContent, named: RegisterContent | undefined): ComparedRegister {
  if (named === undefined) return { file: null, entries: own.lines.length, written_at: null, newer: 0, lacks: 0 };
  const { file, lines } = named;
  return {
    file,
    entries: lines.length,
    written_at: statSync(file).mtime.toISOString(),
    newer: linesLackedBy(own, lines).length,
    lacks: linesLackedBy(named, own.lines).length,
  };
}
