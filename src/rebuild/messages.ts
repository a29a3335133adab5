/** What is asked for by a rebuild, and what it tells: plain objects, for they cross threads. */
import type { ViewComparison } from './compare-views.js';
import type { Poison } from './projector-commands.js';

/** What somebody asks for. */
export interface RebuildRequest {
  /** Names of views of this code. */
  readonly views: readonly string[];
  /** Everything but the switch. */
  readonly dryRun: boolean;
}

/** One try at it: where it is interrupted, the next one has another id. */
export interface RebuildRun extends RebuildRequest {
  readonly id: string;
  /** At the start, of views that cannot be read before: poison events park their streams, as the projector does. */
  readonly isStart: boolean;
  /** Up to the head and no further: who starts with this code finds it filled. */
  readonly isPreparation?: boolean;
}

export type RebuildStage = 'filling' | 'catching_up' | 'comparing' | 'switching';

export interface RebuildProgress {
  readonly stage: RebuildStage;
  /** Folded up to here. */
  readonly position: string;
  /** Where the live views stand. */
  readonly until: string;
  /** Events read in this run. */
  readonly events: number;
  /** Compared so far. */
  readonly documents: number;
}

export interface RebuiltView extends Partial<ViewComparison> {
  readonly name: string;
  /** Of the projection. */
  readonly version: number;
  readonly storage: number;
  /** Differences are expected: another version of the projection was live, or streams were parked. */
  readonly isChanged: boolean;
}

export type RebuildResult =
  | { readonly outcome: 'switched' | 'checked' | 'prepared' | 'differs'; readonly views: readonly RebuiltView[] }
  | { readonly outcome: 'poison'; readonly poison: Poison };
