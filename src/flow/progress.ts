/** How far an export, an import or a migration is. */

export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** Undefined: not known. */
  readonly total?: number | undefined;
}

/** Called after every event or append; must be cheap and must not throw. */
export type ReportProgress = (progress: Progress) => void;
