/** What an import of contacts has done so far, kept beside the file so that a repeat goes on there; and the report of rejected rows. */
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { csvRow } from '../audit/csv.js';

const count = z.number().default(0);
/** Counts of rows. `valid`: in a dry run. `unsubscribed`: of those saved, who is unsubscribed now, whatever the row says. */
const doneSchema = z.object({
  rows: count,
  created: count,
  updated: count,
  unchanged: count,
  valid: count,
  unsubscribed: count,
  rejected: count,
});
export type Done = z.output<typeof doneSchema>;

const stateSchema = z.object({ import: z.string(), done: doneSchema, rejectedBytes: z.number() });

export type Rejected = readonly [line: number, reason: string];

/** `name` says which import it is: file, list, options. One of another name is begun again. */
export function openContactsProgress(file: string, name: string, isDryRun: boolean) {
  const stateFile = `${file}.import`;
  // The report of an import that is to go on stays as it is.
  const rejectedFile = `${file}.${isDryRun ? 'dry-run' : 'rejected'}.csv`;

  function goOn(): Done | undefined {
    try {
      const state = stateSchema.parse(JSON.parse(readFileSync(stateFile, 'utf8')));
      if (isDryRun || state.import !== name) return undefined;
      // What came after the last batch that was kept comes again.
      truncateSync(rejectedFile, state.rejectedBytes);
      return state.done;
    } catch {
      // There is none, or none of ours: rows that come twice change nothing.
      return undefined;
    }
  }

  const done = goOn();
  if (done === undefined) writeFileSync(rejectedFile, csvRow(['line', 'reason']));
  return {
    done: done ?? doneSchema.parse({}),
    /** Keeps what a batch has done, and what was rejected in it. */
    keep(now: Done, rejected: readonly Rejected[]): void {
      appendFileSync(rejectedFile, rejected.map(csvRow).join(''));
      const state = { import: name, done: now, rejectedBytes: statSync(rejectedFile).size };
      if (!isDryRun) writeFileSync(stateFile, JSON.stringify(state));
    },
    /** Nothing is left to go on with. @returns the report, if there is one */
    finish({ rejected }: Done): string | null {
      if (!isDryRun) rmSync(stateFile, { force: true });
      if (rejected === 0) rmSync(rejectedFile, { force: true });
      return rejected === 0 ? null : rejectedFile;
    },
  };
}
