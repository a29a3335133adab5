/** What the rebuild coordinator may be in, what may happen to it, and what it may then have to do. `coordination.ts` says what follows from what. */
import type { ProjectorStatus } from '../projector/status.js';
import type { RebuildProgress, RebuildResult } from './answers.js';
import type { RebuildRecord } from './rebuild-record.js';

/** Whether this process folds the views, and which of them a start must build first. */
export interface CoordinatorRole {
  readonly leading: boolean;
  readonly missing: readonly string[];
}

export const roleOf = ({
  standby,
  live,
  missing,
}: Pick<ProjectorStatus, 'standby' | 'live' | 'missing'>): CoordinatorRole => ({
  leading: !standby && live !== null,
  missing,
});

export interface Always {
  readonly role: CoordinatorRole;
  /** Of rebuilds in a row, none of which came to a result. */
  readonly interruptions: number;
  /** Storages of an abandoned rebuild have been dropped since the start. */
  readonly isTidy: boolean;
}

export type Phase =
  | { readonly name: 'idle' }
  /** `taking`: the stored record is read, and written as running. `tidying`: storages of an abandoned rebuild are dropped. */
  | { readonly name: 'taking' | 'tidying'; readonly looksAgain: boolean }
  | {
      readonly name: 'running';
      readonly record: RebuildRecord;
      readonly saved: RebuildRecord;
      readonly isSaving: boolean;
    }
  /** The thread has ended, and how it ended is not written yet. `pause`: before the next look. */
  | { readonly name: 'ending'; readonly record: RebuildRecord; readonly isSaving: boolean; readonly pause: number }
  /** Another process leads by now and continues the rebuild; this one's thread is being closed. */
  | { readonly name: 'stopping' }
  /** `record`: how a rebuild ended that is still being written. */
  | { readonly name: 'closed'; readonly record: RebuildRecord | undefined };

export type CoordinatorState = Always & Phase;

export type CoordinatorEvent =
  | { readonly type: 'role'; readonly role: CoordinatorRole }
  | { readonly type: 'requested' | 'look' | 'look_failed' | 'close' }
  /** Undefined: there is nothing to carry out. */
  | { readonly type: 'taken'; readonly record: RebuildRecord | undefined }
  | { readonly type: 'tidied'; readonly isTidy: boolean }
  | { readonly type: 'progress'; readonly progress: RebuildProgress }
  /** Of the thread: with a result, or the reason why there is none. */
  | { readonly type: 'ended'; readonly end: RebuildResult | string; readonly at: string }
  /** `settled`: it is written, or the record is that of another rebuild and stays. */
  | { readonly type: 'settled' | 'save_failed'; readonly record: RebuildRecord };

export type CoordinatorEffect =
  | { readonly type: 'look_in'; readonly milliseconds: number }
  /** Writes what `recordToRun` says, and answers `taken` or `look_failed`. */
  | { readonly type: 'take' }
  /** Answers `tidied` or `look_failed`. */
  | { readonly type: 'tidy' }
  /** After the writes before it, where it still `isMine`. Answers `settled` or `save_failed`. */
  | { readonly type: 'save'; readonly record: RebuildRecord }
  | { readonly type: 'start_thread'; readonly record: RebuildRecord }
  | { readonly type: 'close_thread' }
  | { readonly type: 'log'; readonly level: 'info' | 'error'; readonly message: string; readonly facts: object };

export interface Step {
  readonly state: CoordinatorState;
  readonly effects: readonly CoordinatorEffect[];
}

export interface Sharing {
  /** Other processes may write requests. */
  readonly requests: boolean;
  /** Other processes show the progress too: it is written. */
  readonly progress: boolean;
}

export const initialCoordination: CoordinatorState = {
  name: 'idle',
  role: { leading: false, missing: [] },
  interruptions: 0,
  isTidy: false,
};

/** The rebuild that this process carries out. */
export const shownIn = (state: CoordinatorState): RebuildRecord | undefined =>
  state.name === 'running' ? state.record : undefined;

/** This process carries the rebuild out, or did and has not written how it ended: else it writes no more of it. */
export const isMine = (state: CoordinatorState, { rebuild_id }: RebuildRecord): boolean =>
  'record' in state && state.record?.rebuild_id === rebuild_id;

/** Nothing is being built here, and no start needs views. (What is being taken up is open in the record: that keeps it from being dropped.) */
export const mayDrop = ({ name, role }: CoordinatorState): boolean =>
  name !== 'running' && name !== 'stopping' && name !== 'closed' && role.missing.length === 0;
