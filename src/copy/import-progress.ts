/** Keeps how far an import is, so that a repeat continues there, and lists the rows that were rejected. */
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { csvRow } from '../audit/csv.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { giveToFolderOwner } from '../flow/durable-file.js';

/**
 * Counts of rows. `valid` is counted in a dry run. `rejected` are the rows in the list, also those that were imported
 * without a field, which `incomplete` counts.
 */
const doneSchema = z.record(
  z.enum(['rows', 'created', 'updated', 'unchanged', 'valid', 'rejected', 'incomplete']),
  z.number(),
);
export type ImportCounts = z.output<typeof doneSchema>;

const stateSchema = z.object({ import: z.string(), done: doneSchema, rejectedBytes: z.number() });
type State = z.output<typeof stateSchema>;

export type RejectedLine = readonly [line: number, reason: string];

export interface ImportPlace {
  /** The file that is imported. */
  readonly file: string;
  /** Where rejected rows are listed. Default: a file beside the one that is imported. */
  readonly rejected?: string | undefined;
  readonly isDryRun: boolean;
}

interface ProgressOptions {
  /** Says which import it is: service, file and options. An import with another name starts from the beginning. */
  readonly name: string;
  /** @throws CommandFailedError if a file cannot be made at this place, or another one would be replaced */
  readonly demandPlace: (file: string) => void;
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Writes nothing before `begin`.
 * @throws CommandFailedError, UsageError if rejected rows cannot be listed at their place
 */
export function openProgress(place: ImportPlace, { name, demandPlace }: ProgressOptions) {
  const { file, rejected, isDryRun } = place;
  const stateFile = `${rejected ?? file}.${isDryRun ? 'dry-run' : 'import'}`;
  const rejectedFile = rejected ?? `${file}.${isDryRun ? 'dry-run' : 'rejected'}.csv`;
  const state = stateIn(stateFile, name, sizeOf(rejectedFile));
  if (rejected !== undefined && state === undefined) demandPlace(rejected);
  for (const written of [rejectedFile, stateFile]) demandOther(written, file);
  demandWritable([rejectedFile, stateFile]);

  return {
    /** Forgets what an earlier import left. Returns the counts to continue from. */
    begin(): ImportCounts {
      // Rows after the last batch that was kept come again.
      if (state !== undefined && state.rejectedBytes > 0) fs.truncateSync(rejectedFile, state.rejectedBytes);
      else fs.rmSync(rejectedFile, { force: true });
      return state?.done ?? { rows: 0, created: 0, updated: 0, unchanged: 0, valid: 0, rejected: 0, incomplete: 0 };
    },
    /** Keeps what has been done, and what was rejected since the last time. */
    keep(done: ImportCounts, lines: readonly RejectedLine[]): void {
      if (lines.length > 0) append(rejectedFile, lines);
      fs.writeFileSync(stateFile, JSON.stringify({ import: name, done, rejectedBytes: sizeOf(rejectedFile) }));
    },
    /** Removes the notes for continuing. Returns the list of rejected rows, if there are any. */
    finish({ rejected: count }: ImportCounts): string | null {
      fs.rmSync(stateFile, { force: true });
      if (count === 0) fs.rmSync(rejectedFile, { force: true });
      return count === 0 ? null : rejectedFile;
    },
  };
}

/**
 * Returns undefined if there is no state, if it belongs to another import, or if its list of rejected rows is gone. Rows that
 * come twice change nothing.
 */
function stateIn(stateFile: string, name: string, rejectedBytes: number): State | undefined {
  try {
    const state = stateSchema.parse(JSON.parse(fs.readFileSync(stateFile, 'utf8')));
    return state.import === name && state.rejectedBytes <= rejectedBytes ? state : undefined;
  } catch {
    return undefined;
  }
}

/** @throws UsageError, CommandFailedError */
function demandOther(written: string, imported: string): void {
  const stats = fs.statSync(written, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile()) throw new CommandFailedError(`${written} is not a file.`, { type: 'unwritable' });
  if (fs.realpathSync(written) === fs.realpathSync(imported))
    throw new UsageError('--rejected must not name the imported file');
}

/** Creates a file, because only that tells whether it is possible, and removes it. @throws CommandFailedError */
function demandWritable(files: readonly [string, ...string[]]): void {
  const folder = path.dirname(path.resolve(files[0]));
  const probe = path.join(folder, `.${path.basename(files[0])}.${process.pid}.tmp`);
  let where = folder;
  try {
    fs.rmSync(probe, { force: true });
    fs.writeFileSync(probe, ' ', { flag: 'wx' });
    fs.rmSync(probe);
    for (where of files) if (fs.existsSync(where)) fs.accessSync(where, fs.constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CommandFailedError(
      `${where} cannot be written to (${reason}), but the list of rejected rows must be written there. Nothing was imported. Use --rejected <file> to name a file in another folder.`,
      { type: 'unwritable', cause: error },
    );
  }
}

/** Creates the list of rejected rows if it does not exist. */
function append(rejectedFile: string, lines: readonly RejectedLine[]): void {
  const descriptor = fs.openSync(rejectedFile, 'a');
  try {
    const isNew = fs.fstatSync(descriptor).size === 0;
    if (isNew) giveToFolderOwner(descriptor, rejectedFile);
    fs.appendFileSync(descriptor, (isNew ? [['line', 'reason'], ...lines] : lines).map(csvRow).join(''));
  } finally {
    fs.closeSync(descriptor);
  }
}
