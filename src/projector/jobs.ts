/** What the projector does between two batches: make new storages live, drop old ones. */
import type { Poison } from './fold.js';
import type { NewStorages } from './new-storages.js';
import type { StoredView } from '../readmodels/read-models.js';

export type SwitchAnswer =
  | { readonly outcome: 'switched' }
  /** Too many events are missing: fold on, and ask again. */
  | { readonly outcome: 'behind' }
  /** They are not live, as far as is known. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly poison?: Poison };

export type ProjectorJob =
  | { readonly type: 'switch'; readonly built: NewStorages; readonly answer: (answer: SwitchAnswer) => void }
  /** Not where the signal has aborted: each session begins the waiting time again. */
  | { readonly type: 'drop'; readonly views: readonly StoredView[]; readonly signal: AbortSignal };

export type ProjectorJobs = ReturnType<typeof createJobs>;

export function createJobs() {
  const waiting: ProjectorJob[] = [];
  let added = (): void => undefined;
  const add = (job: ProjectorJob): void => {
    waiting.push(job);
    added();
  };
  return {
    add,
    /** The one command that a rebuild gives. Nothing else folds the storages meanwhile. Never rejects. */
    requestSwitch: (built: NewStorages): Promise<SwitchAnswer> =>
      new Promise((resolve) => add({ type: 'switch', built, answer: resolve })),
    take: (): ProjectorJob | undefined => waiting.shift(),
    isWaiting: (): boolean => waiting.length > 0,
    onAdded(listener: () => void): void {
      added = listener;
    },
  };
}
