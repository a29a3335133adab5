/** How far an import of contacts is, kept beside the file so that a repeat goes on there; and the report of rejected rows. */
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { csvRow } from '../audit/csv.js';

/** Counts of rows. `valid`: in a dry run. */
const doneSchema = z.record(z.enum(['rows', 'created', 'updated', 'unchanged', 'valid', 'rejected']), z.number());
export type Done = z.output<typeof doneSchema>;

const stateSchema = z.object({ import: z.string(), done: doneSchema, rejectedBytes: z.number() });

export type Rejected = readonly [line: number, reason: string];

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** `name` says which import it is: file, list, options. One of another name is begun again. */
export function openContactsProgress(file: string, name: string, isDryRun: boolean) {
  const stateFile = `${file}.${isDryRun ? 'dry-run' : 'import'}`;
  const rejectedFile = `${file}.${isDryRun ? 'dry-run' : 'rejected'}.csv`;

  function begin(): Done {
    try {
      const state = stateSchema.parse(JSON.parse(readFileSync(stateFile, 'utf8')));
      if (state.import === name) {
        // What came after the last batch that was kept comes again.
        if (state.rejectedBytes > 0) truncateSync(rejectedFile, state.rejectedBytes);
        return state.done;
      }
    } catch {
      // There is none, or it belongs to another import: rows that come twice change nothing.
    }
    rmSync(rejectedFile, { force: true });
    return { rows: 0, created: 0, updated: 0, unchanged: 0, valid: 0, rejected: 0 };
  }

  return {
    done: begin(),
    /** Keeps what has been done, and what was rejected since the last time. */
    keep(done: Done, rejected: readonly Rejected[]): void {
      const before = sizeOf(rejectedFile);
      const rows = before === 0 ? [['line', 'reason'], ...rejected] : rejected;
      if (rejected.length > 0) appendFileSync(rejectedFile, rows.map(csvRow).join(''));
      writeFileSync(stateFile, JSON.stringify({ import: name, done, rejectedBytes: sizeOf(rejectedFile) }));
    },
    /** Nothing is left to go on with. @returns the report, if there is one */
    finish({ rejected }: Done): string | null {
      rmSync(stateFile, { force: true });
      if (rejected === 0) rmSync(rejectedFile, { force: true });
      return rejected === 0 ? null : rejectedFile;
    },
  };
}
