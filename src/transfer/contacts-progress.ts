/** What an import of contacts has done so far, kept beside the file so that a repeat goes on there; and the report of rejected rows. */
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { csvRow } from '../audit/csv.js';
import { CommandFailedError } from './failures.js';

const doneSchema = z.object({
  /** Rows, rejected ones included. */
  rows: z.number(),
  created: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  /** Of these: who has unsubscribed, and stays so though the row says otherwise. */
  kept_unsubscribed: z.number(),
  rejected: z.number(),
});
/** Counts of rows. */
export type Done = z.output<typeof doneSchema>;

const stateSchema = z.object({ import: z.string(), done: doneSchema, rejectedBytes: z.number() });

export interface Rejected {
  readonly line: number;
  readonly reason: string;
}

export interface ContactsProgress {
  readonly done: Done;
  readonly rejectedFile: string;
  /** Keeps what a batch has done, and what was rejected in it. @throws CommandFailedError */
  keep(done: Done, rejected: readonly Rejected[]): void;
  /** Nothing is left to go on with. */
  finish(): void;
}

const nothing: Done = { rows: 0, created: 0, updated: 0, unchanged: 0, kept_unsubscribed: 0, rejected: 0 };

/** `name` says which import it is: file, list, options. One of another name is begun again. */
export function openContactsProgress(file: string, name: string, isKept: boolean): ContactsProgress {
  const stateFile = `${file}.import`;
  // The report of an import that is to go on stays as it is.
  const rejectedFile = `${file}.${isKept ? 'rejected' : 'dry-run'}.csv`;
  const kept = isKept ? stateIn(stateFile, name) : undefined;
  const state = kept !== undefined && sizeOf(rejectedFile) >= kept.rejectedBytes ? kept : undefined;
  let rejectedBytes = state?.rejectedBytes ?? 0;
  writable(rejectedFile, () => {
    if (state === undefined || rejectedBytes === 0) rmSync(rejectedFile, { force: true });
    // What came after the last batch that was kept comes again.
    else truncateSync(rejectedFile, rejectedBytes);
  });
  return {
    done: state?.done ?? nothing,
    rejectedFile,
    keep: (done, rejected) =>
      writable(stateFile, () => {
        const header = rejectedBytes === 0 ? csvRow(['line', 'reason']) : '';
        const text = rejected.map(({ line, reason }) => csvRow([line, reason])).join('');
        if (text !== '') {
          appendFileSync(rejectedFile, header + text);
          rejectedBytes += Buffer.byteLength(header + text);
        }
        if (!isKept) return;
        writeFileSync(`${stateFile}~`, JSON.stringify({ import: name, done, rejectedBytes }));
        renameSync(`${stateFile}~`, stateFile);
      }),
    finish: () => isKept && rmSync(stateFile, { force: true }),
  };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function stateIn(file: string, name: string): z.output<typeof stateSchema> | undefined {
  try {
    const state = stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return state.import === name ? state : undefined;
  } catch {
    // There is none, or none of ours: rows that come twice change nothing.
    return undefined;
  }
}

function writable(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no reason known';
    throw new CommandFailedError(`${file} cannot be written (${reason}): the folder of the file must be writable`, {
      type: 'unwritable',
      cause: error,
    });
  }
}
