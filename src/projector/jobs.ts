/** What the projector does between two batches: it makes new storages live. */
import type { Poison } from './fold.js';
import type { NewStorages } from './new-storages.js';

export type SwitchAnswer =
  | { readonly outcome: 'switched' }
  /** Too many events are missing: fold on, and ask again. */
  | { readonly outcome: 'behind' }
  /** They are not live, as far as is known. */
  | { readonly outcome: 'failed'; readonly reason: string; readonly poison?: Poison };

export interface ProjectorJob {
  readonly built: NewStorages;
  readonly answer: (answer: SwitchAnswer) => void;
}

export type ProjectorJobs = ReturnType<typeof createJobs>;

export function createJobs() {
  const waiting: ProjectorJob[] = [];
  let added = (): void => undefined;
  return {
    /** The one command that a rebuild gives. Nothing else folds the storages meanwhile. Never rejects. */
    requestSwitch: (built: NewStorages): Promise<SwitchAnswer> =>
      new Promise((resolve) => {
        waiting.push({ built, answer: resolve });
        added();
      }),
    take: (): ProjectorJob | undefined => waiting.shift(),
    isWaiting: (): boolean => waiting.length > 0,
    onAdded(listener: () => void): void {
      added = listener;
    },
  };
}
