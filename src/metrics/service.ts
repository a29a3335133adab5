/** How the parts of the service are: log, views, subscribers, lines that wait. */
import { slotsByName } from '../flow/slots.js';
import type { ViewsStatus } from '../projector/views-status.js';
import { countedBy, eachOf, type StateMetric } from './states.js';

interface Runner {
  status(): { readonly running: number; readonly canLook: boolean };
  figures(): { readonly failures: number; readonly holds: boolean; readonly lag: number };
}

export interface ServiceSources {
  readonly version: string;
  readonly views: {
    status(): ViewsStatus;
    damaged(): readonly string[];
    damageFound(): number;
    checkedAt(): number | undefined;
    readonly ownWrites: { lag(): number; visiblePosition(): string };
    readonly rebuilds: { progress(): { readonly share: number } | null | undefined };
  };
  /** A log on a server tells neither its length nor what waits. */
  readonly store: { isWritable(): boolean; waiting?(): number; count?(): number };
  /** By their names. */
  readonly subscribers: ReadonlyMap<string, Runner>;
  readonly integrity: {
    readonly seals: { newest(): { readonly sealed_at: string; readonly count: number } | undefined };
    /** Undefined on servers. */
    readonly readBack: (() => { readonly count: number; readonly fault: string | undefined }) | undefined;
  };
  readonly erasures: {
    waiting(): readonly { readonly reason: string }[] | undefined;
    readonly eraser: { oldest(): string | undefined } | undefined;
  };
  readonly lines: { dropped(): number };
  readonly trustedClock: { now(): number | undefined };
  readonly connections: {
    status(): {
      readonly open: number;
      readonly bytesWaiting: number;
      readonly cut: Readonly<Record<string, number>>;
    };
  };
}

/** Of one number. The position of a server's log may have two: commit and prepare. */
const positionDigits = 20;

const seconds = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time) / 1_000;

const build: StateMetric<ServiceSources> = {
  name: 'audience_build_info',
  help: 'Always 1; the labels tell the version.',
  labels: ['version', 'node'],
  read: ({ version }) => [[{ version, node: process.versions.node }, 1]],
};

const log: readonly StateMetric<ServiceSources>[] = [
  {
    name: 'audience_log_writable',
    help: 'Whether appends are taken: 1 or 0.',
    read: ({ store }) => store.isWritable(),
  },
  {
    name: 'audience_log_events',
    help: 'Events in the embedded log.',
    read: ({ store }) => store.count?.(),
  },
  {
    name: 'audience_log_waiting_appends',
    help: 'Appends that wait for the disk of the embedded log, those that are being written among them.',
    read: ({ store }) => store.waiting?.(),
  },
  {
    name: 'audience_log_verified',
    help: 'Whether the whole embedded log was checked and no event differs: 1 or 0. Absent on servers.',
    read: ({ integrity: { readBack } }) => {
      const state = readBack?.();
      return state && state.count > 0 && state.fault === undefined;
    },
  },
  {
    name: 'audience_log_verified_events',
    help: 'Events of the embedded log, from the first one on, that were read back and match what was appended.',
    read: ({ integrity: { readBack } }) => readBack?.().count,
  },
  {
    name: 'audience_seal_timestamp_seconds',
    help: 'When the newest seal was made, in seconds since the epoch. Absent where another process seals.',
    read: ({ integrity: { seals } }) => seconds(seals.newest()?.sealed_at),
  },
  {
    name: 'audience_seal_events',
    help: 'Events that the newest seal covers.',
    read: ({ integrity: { seals } }) => seals.newest()?.count,
  },
];

const clock: StateMetric<ServiceSources> = {
  name: 'audience_clock_trusted',
  help: 'Whether decisions that cannot be undone may depend on the clock: 1 or 0.',
  read: ({ trustedClock }) => trustedClock.now() !== undefined,
};

const views: readonly StateMetric<ServiceSources>[] = [
  {
    name: 'audience_projection_lag_seconds',
    help: 'For how long the views have not shown what this process wrote.',
    read: ({ views: { ownWrites } }) => ownWrites.lag() / 1_000,
  },
  {
    name: 'audience_projection_lag_events',
    help: 'Events of the embedded log that the views do not show yet.',
    // Positions of the embedded log count its events.
    read: ({ store, views: { ownWrites } }) =>
      store.count && Math.max(0, store.count() - Number(ownWrites.visiblePosition())),
  },
  {
    name: 'audience_projection_position',
    help: 'Position of the last event that the views show; of a log on a server its commit position.',
    read: ({ views: { ownWrites } }) => Number(ownWrites.visiblePosition().slice(0, positionDigits)),
  },
  {
    name: 'audience_projection_role',
    help: '1 for what this process does with the views: leading, standby or elsewhere.',
    labels: ['role'],
    read: ({ views: { status } }) => [[{ role: status().projector }, 1]],
  },
  {
    name: 'audience_projection_parked_streams',
    help: 'Streams that a view no longer folds, because one of their events cannot be folded.',
    labels: ['view'],
    read: ({ views: { status } }) =>
      countedBy(
        'view',
        status().parked.map(({ view }) => view),
      ),
  },
  {
    name: 'audience_projection_missing_views',
    help: 'Views that are being built before they can be read.',
    read: ({ views: { status } }) => status().missing.length,
  },
  {
    name: 'audience_projection_damaged_views',
    help: 'Number of damaged views that are being rebuilt. Their reads are refused until the rebuild ends.',
    read: ({ views }) => views.damaged().length,
  },
  {
    name: 'audience_projection_damage_total',
    help: 'Number of times that damage was found in the embedded views since the start.',
    isCounter: true,
    read: ({ views }) => views.damageFound(),
  },
  {
    name: 'audience_projection_checked_timestamp_seconds',
    help: 'Time of the last complete check of the embedded views, in seconds since the epoch. Absent before the first check, and if the views are on a server.',
    read: ({ views }) => {
      const checkedAt = views.checkedAt();
      return checkedAt === undefined ? undefined : checkedAt / 1_000;
    },
  },
  {
    name: 'audience_projection_failing',
    help: 'Whether the views cannot be folded just now: 1 or 0.',
    read: ({ views: { status } }) => status().fault !== null,
  },
  {
    name: 'audience_rebuild_progress_ratio',
    help: 'How much of the bulk build of a rebuild is done, from 0 to 1. Absent while no rebuild runs in this process.',
    read: ({ views: { rebuilds } }) => {
      const progress = rebuilds.progress();
      return progress === undefined ? undefined : (progress?.share ?? 0);
    },
  },
];

const work: readonly StateMetric<ServiceSources>[] = [
  {
    name: 'audience_subscriber_running',
    help: 'Works of a subscriber that run.',
    labels: ['subscriber'],
    read: ({ subscribers }) => [...subscribers].map(([subscriber, one]) => [{ subscriber }, one.status().running]),
  },
  {
    name: 'audience_subscriber_can_look',
    help: 'Whether the last look of a subscriber for work succeeded: 1 or 0.',
    labels: ['subscriber'],
    read: ({ subscribers }) =>
      [...subscribers].map(([subscriber, one]) => [{ subscriber }, Number(one.status().canLook)]),
  },
  {
    name: 'audience_subscriber_failures_total',
    help: 'Looks for work and works of a subscriber that failed, to be tried again.',
    labels: ['subscriber'],
    isCounter: true,
    read: ({ subscribers }) => [...subscribers].map(([subscriber, one]) => [{ subscriber }, one.figures().failures]),
  },
  {
    name: 'audience_subscriber_lag_seconds',
    help: 'For how long a look of a subscriber for work has been due, or its work has failed. 0 where another process does it.',
    labels: ['subscriber'],
    read: ({ subscribers }) => [...subscribers].map(([subscriber, one]) => [{ subscriber }, one.figures().lag / 1_000]),
  },
  {
    name: 'audience_subscriber_leads',
    help: 'Whether this process does the work of a subscriber, where one process at a time may: 1 or 0.',
    labels: ['subscriber'],
    read: ({ subscribers }) =>
      [...subscribers].map(([subscriber, one]) => [{ subscriber }, Number(one.figures().holds)]),
  },
  {
    name: 'audience_erasures_waiting',
    help: 'Erasures that cannot be completed yet, by reason. Absent where another process carries them through.',
    labels: ['reason'],
    read: ({ erasures }) => {
      const waiting = erasures.waiting();
      return (
        waiting &&
        countedBy(
          'reason',
          waiting.map(({ reason }) => reason),
        )
      );
    },
  },
  {
    name: 'audience_erasures_oldest_timestamp_seconds',
    help: 'When the oldest erasure that is not completed was requested, in seconds since the epoch. Absent where there is none, or another process carries them through.',
    read: ({ erasures }) => seconds(erasures.eraser?.oldest()),
  },
  {
    name: 'audience_slots_running',
    help: 'Slots that are taken: bulk requests, reports, exports, replays, lists at a time, followed feeds, reports about emails.',
    labels: ['slots'],
    read: () => slotsByName().map(([slots, { running }]) => [{ slots }, running]),
  },
  {
    name: 'audience_slots_waiting',
    help: 'Requests that wait in line for such a slot.',
    labels: ['slots'],
    read: () => slotsByName().map(([slots, { waiting }]) => [{ slots }, waiting]),
  },
  {
    name: 'audience_http_connections',
    help: 'Open connections.',
    read: ({ connections }) => connections.status().open,
  },
  {
    name: 'audience_http_waiting_bytes',
    help: 'Bytes of answers that clients have not read yet, and of requests that wait for earlier answers.',
    read: ({ connections }) => connections.status().bytesWaiting,
  },
  {
    name: 'audience_http_connections_cut_total',
    help: 'Connections that were cut, by reason: stalled, bytes_waiting.',
    labels: ['reason'],
    isCounter: true,
    read: ({ connections }) => eachOf('reason', connections.status().cut),
  },
  {
    name: 'audience_log_lines_dropped_total',
    help: 'Lines of the log that nobody took in time, since the start.',
    isCounter: true,
    read: ({ lines }) => lines.dropped(),
  },
];

export const serviceStates = [build, clock, ...log, ...views, ...work];
