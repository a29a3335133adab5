/** The request, the progress and the result of a rebuild, and the state of views. Plain objects, because they cross threads. Objects are loose, because a service of a later version may answer the command line with more fields. */
import { z } from 'zod';
import { count, event, maybePosition, position, text, time, type FrozenOutput } from '../events/values.js';
import type { Poison } from '../projector/fold.js';

export const viewName = text('Name of the view.', 'contacts');
export const parked = {
  stream: text('A stream that the view no longer folds.', 'contact-0123456789abcdef0123456789abcdef'),
  position: position.describe('Of the event that cannot be folded.'),
  reason: text('Why. Nothing personal.', 'ContactCreated for a document that exists'),
};
const parkedEvent = { ...parked, event_id: z.guid(), event_type: event.type };
export const lag = count.describe('Milliseconds.');

export const viewState = z
  .object({
    name: viewName,
    version: count.min(1),
    state: z.enum(['live', 'missing']),
    storage_version: count.nullable().describe('Null while the view is missing.'),
    position: maybePosition,
    lag_ms: lag,
    parked: z.array(z.object(parkedEvent).meta({ id: 'ParkedStream' })),
    rebuild_id: z.guid().nullable().describe('The rebuild that runs for this view.'),
  })
  .meta({ id: 'ViewState' });
export type ViewState = FrozenOutput<typeof viewState>;

const whenCompared = count.nullable().describe('Null: it was not compared.');

const rebuiltView = z
  .object({
    name: viewName,
    version: count.min(1),
    storage_version: count,
    is_changed: z.boolean().describe('Differences are expected.'),
    documents: whenCompared,
    live_documents: whenCompared,
    hash: z.string().nullable(),
    differing: whenCompared,
    differences: z.array(z.string()).describe('Ids of documents that differ, the first of them.'),
  })
  .meta({ id: 'RebuiltView' });
export type RebuiltView = FrozenOutput<typeof rebuiltView>;

const rebuildProgress = z
  .object({
    stage: z.enum(['filling', 'catching_up', 'comparing', 'switching']),
    position: maybePosition,
    until: maybePosition,
    share: z.number().min(0).max(1).describe('Of the bulk build.'),
    events: count,
    events_per_second: count,
    seconds_left: count.nullable().describe('Null while it cannot be told.'),
    documents_compared: count,
  })
  .meta({ id: 'RebuildProgress' });
export type RebuildProgress = FrozenOutput<typeof rebuildProgress>;

const stored = z.string().nullable().describe('Of the event that ended the rebuild, as stored.');

export const rebuild = z
  .object({
    rebuild_id: z.guid(),
    views: z.array(viewName),
    dry_run: z.boolean(),
    accept_differences: z.boolean().optional().describe('The new views go live although they differ.'),
    /** `start`: the start found that views are missing. */
    cause: z.enum(['request', 'start']),
    requested_at: time,
    /** `waiting`: not started yet. `running`: started; continued after interruptions. */
    state: z.enum(['waiting', 'running', 'finished', 'failed']),
    finished_at: time.nullable(),
    /** Null before it has begun, and when it has come to an outcome: see the results then. */
    progress: rebuildProgress.nullable(),
    fault: z.string().nullable().describe('Why it does not go on, or why it failed.'),
    outcome: z.enum(['switched', 'checked', 'differs', 'poison']).nullable(),
    results: z.array(rebuiltView),
    poison: z
      .object({ view: viewName, ...parkedEvent, data: stored, metadata: stored })
      .meta({ id: 'PoisonEvent' })
      .nullable(),
  })
  .meta({ id: 'Rebuild' });
export type Rebuild = FrozenOutput<typeof rebuild>;

export interface RebuildRequest {
  readonly views: readonly string[];
  /** Builds and compares, but does not switch. */
  readonly dryRun: boolean;
  /** Switches although the new views differ: the live ones were damaged. */
  readonly acceptDifferences: boolean;
}

/** The task of the rebuild thread. Plain data, because it crosses threads. */
export interface RebuildRun extends RebuildRequest {
  /** Parks the stream of an event that cannot be folded, as the projector does. Otherwise such an event ends the rebuild. */
  readonly park: boolean;
}

export type RebuildResult =
  | { readonly outcome: 'switched' | 'checked' | 'differs'; readonly views: readonly RebuiltView[] }
  | { readonly outcome: 'poison'; readonly poison: Poison };
