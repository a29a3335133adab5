/** The status that a projector reports: how far it has come, and what an operator must know. */
import type { ParkedStream } from './parked.js';
import type { Storages } from './storage.js';

export interface ProjectorStatus {
  /** Of the last event folded, `''` before the first. Every reader sees what was folded up to here. */
  readonly position: string;
  /** When the last event that a view handles happened; `null` before the first since the start. */
  readonly at: string | null;
  /** Nothing was waiting in the log after `position`. */
  readonly caughtUp: boolean;
  /** Events folded or skipped since the start. */
  readonly folded: number;
  /** Events of unknown types since the start, by type; from the 50th type on together, as `other`. */
  readonly unknown: Readonly<Record<string, number>>;
  readonly parked: readonly ParkedStream[];
  /** `null` until it is known. */
  readonly live: Storages | null;
  /** Views without a live storage: a rebuild builds them beside the others. */
  readonly missing: readonly string[];
  /** All views are built from the first event and have not caught up yet. */
  readonly rebuilding: boolean;
  /** Another process folds into the views; this one takes over when that one ends. */
  readonly standby: boolean;
  /** This process folds, or another one that is known to run. False while the lease of a killed process runs out. */
  readonly led: boolean;
  /** Why it is not folding just now; it keeps trying. */
  readonly fault: string | null;
}

export const initialStatus: ProjectorStatus = {
  position: '',
  at: null,
  caughtUp: false,
  folded: 0,
  unknown: {},
  parked: [],
  live: null,
  missing: [],
  rebuilding: false,
  standby: false,
  led: true,
  fault: null,
};

export type StatusReporter = ReturnType<typeof createStatusReporter>;

/** The status as it was last reported, and what changes it. */
export function createStatusReporter(first: ProjectorStatus, onProgress: (status: ProjectorStatus) => void) {
  let status = first;
  return {
    status: (): ProjectorStatus => status,
    report(change: Partial<ProjectorStatus>): void {
      status = { ...status, ...change };
      onProgress(status);
    },
  };
}

/** Messages hold no personal data. */
export interface ProjectorFault {
  readonly kind: 'unavailable' | 'rebuild' | 'new_views' | 'parked' | 'worker_died' | 'lease_lost' | 'log_altered';
  readonly message: string;
}

const unknownTypes = 50;

/** The same object when there is nothing to count. */
export function countUnknown(before: ProjectorStatus['unknown'], types: readonly string[]): ProjectorStatus['unknown'] {
  if (types.length === 0) return before;
  const counts = new Map(Object.entries(before));
  for (const type of types) {
    const name = counts.has(type) || counts.size < unknownTypes ? type : 'other';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
