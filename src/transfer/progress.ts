/** How far an export, an import or a migration is. */

/** What is being done, in words for the operator. */
type Phase = 'exporting' | 'reading the source' | 'comparing what is there already' | 'copying' | 'comparing both logs';

export interface Progress {
  readonly phase: Phase;
  /** Events, counted from the beginning of the log. */
  readonly done: number;
  /** Undefined: not known. */
  readonly total?: number;
}

/** Called after every event or append; must be cheap and must not throw. */
export type Report = (progress: Progress) => void;
