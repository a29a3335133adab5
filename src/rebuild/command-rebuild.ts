/** What a rebuild that a command asks for comes to: the running service does it, its next version is prepared, or it is done in this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { commandRetry, withRetry } from '../eventstore/with-retry.js';
import type { EventReader } from '../eventstore/event-store.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { liveProjections } from '../projections/views.js';
import type { Poison } from '../projector/fold.js';
import { dataFolderAt } from '../stores/data-folder.js';
import type { StoreSettings } from '../stores/stores.js';
import type { Rebuild, RebuildProgress, RebuildRequest, ViewState } from './answers.js';
import type { DirectRebuild } from './direct-rebuild.js';
import { isOpen } from './rebuild-record.js';

/** What is said of a rebuild that is over. */
export type RebuildSummary = Pick<Rebuild, 'dry_run' | 'outcome' | 'progress' | 'fault' | 'results' | 'poison'> & {
  /** Null: no service has kept it. */
  readonly rebuild_id: string | null;
};

interface RebuildPlan {
  /** `request`: the service does it. `preparation`: beside a service of another version, for the start of this one. */
  readonly kind: 'request' | 'preparation';
  readonly views: readonly string[];
}

/** Beside a service with these views. @throws UsageError its views are of another version: nothing can be compared with them */
export function planRebuild(
  { views, dryRun }: RebuildRequest,
  served: readonly Pick<ViewState, 'name' | 'version'>[],
): RebuildPlan {
  const isServed = ({ name, version }: Pick<ViewState, 'name' | 'version'>): boolean =>
    served.some((view) => view.name === name && view.version === version);
  const changed = liveProjections.filter((view) => views.includes(view.name) && !isServed(view));
  if (changed.length === 0) return { kind: 'request', views };
  if (dryRun)
    throw new UsageError('The running service has another version of these views: there is nothing to compare with.');
  return { kind: 'preparation', views: changed.map(({ name }) => name) };
}

type OnProgress = (progress: RebuildProgress) => void;

interface Followed {
  readonly rebuild_id: string;
  /** The last rebuild of the service. */
  readonly last: () => Promise<Rebuild>;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

const pollMs = 250;

/** Until it is over, also after a restart of the service. @throws CommandFailedError another one has begun */
export async function followRebuild({ rebuild_id, last, onProgress, signal }: Followed): Promise<Rebuild> {
  for (;;) {
    const record = await withRetry(last, { retry: commandRetry, signal });
    if (record.rebuild_id !== rebuild_id) throw new CommandFailedError('Another rebuild has begun since.');
    if (!isOpen(record)) return record;
    if (record.progress !== null) onProgress(record.progress);
    await sleep(pollMs, undefined, { signal });
  }
}

interface RebuildPlace {
  readonly dataDir: string;
  readonly signal: AbortSignal;
  readonly newUuid: () => string;
  /** Milliseconds. */
  readonly monotonic: () => number;
  existing(): StoreSettings;
  openLog(): Promise<EventReader>;
}

/** Rebuilds in this process. @throws CommandFailedError @throws WriterLockedError if a service runs on these stores */
export async function rebuildHere(rebuild: DirectRebuild, place: RebuildPlace): Promise<RebuildSummary> {
  const settings = place.existing();
  // Large, and needed here only.
  const { rebuildDirectly } = await import('./direct-rebuild.js');
  const { signal, newUuid, monotonic } = place;
  const result = await rebuildDirectly({
    ...rebuild,
    settings,
    signal,
    newUuid,
    monotonic,
    // Nobody must use the address of an earlier service while this process holds the lock.
    onLocked: () => dataFolderAt(place.dataDir).forgetAddress(),
  });
  return {
    rebuild_id: null,
    dry_run: rebuild.mode === 'check',
    outcome: result.outcome,
    progress: null,
    fault: null,
    results: 'views' in result ? result.views : [],
    poison: 'poison' in result ? await withBody(result.poison, place) : null,
  };
}

async function withBody(poison: Poison, { openLog }: RebuildPlace): Promise<NonNullable<RebuildSummary['poison']>> {
  const log = await openLog();
  const event = await log.readAt(poison.position).finally(() => log.close());
  return { ...poison, data: event?.data ?? null, metadata: event?.metadata ?? null };
}
