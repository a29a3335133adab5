/** How the parts of the service are, asked at each scrape. A new state is one line here. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from '@prometheus-io/client';
import type { ViewsStatus } from '../projector/views-status.js';

export interface StateSources {
  readonly version: string;
  readonly views: {
    status(): ViewsStatus;
    readonly ownWrites: { lag(): number; visiblePosition(): string };
  };
  readonly store: { isWritable(): boolean };
  /** Absent where other processes write to the log. */
  readonly guard: { isVerified(): boolean; fault(): string | null } | undefined;
  /** By their names. */
  readonly subscribers: ReadonlyMap<string, { status(): { readonly running: number; readonly canLook: boolean } }>;
  /** Undefined where another process sends. */
  readonly mailer:
    | { status(): { readonly relay: { readonly connections: number; readonly refuses?: object | undefined } } }
    | undefined;
  readonly erasures: { waiting(): readonly { readonly reason: string }[] | undefined };
  readonly lines: { dropped(): number };
}

type Labels = Readonly<Record<string, string>>;
/** One value, or one for each set of labels. Undefined: another process knows it. */
type State = number | boolean | readonly (readonly [Labels, number])[] | undefined;

interface StateGauge {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  read(sources: StateSources): State;
}

function countedBy(label: string, values: readonly string[]): readonly (readonly [Labels, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => [{ [label]: value }, count]);
}

const gauges: readonly StateGauge[] = [
  {
    name: 'audience_build_info',
    help: 'Always 1; the labels tell the version.',
    labels: ['version', 'node'],
    read: ({ version }) => [[{ version, node: process.versions.node }, 1]],
  },
  {
    name: 'audience_log_writable',
    help: 'Whether appends are taken: 1 or 0.',
    read: ({ store }) => store.isWritable(),
  },
  {
    name: 'audience_log_verified',
    help: 'Whether the log was verified and found intact: 1 or 0. Absent where another process keeps the log.',
    read: ({ guard }) => (guard === undefined ? undefined : guard.isVerified() && guard.fault() === null),
  },
  {
    name: 'audience_projection_lag_seconds',
    help: 'For how long the views have not shown what this process wrote.',
    read: ({ views }) => views.ownWrites.lag() / 1_000,
  },
  {
    name: 'audience_projection_position',
    help: 'Position of the last event that the views show.',
    read: ({ views }) => Number(views.ownWrites.visiblePosition()),
  },
  {
    name: 'audience_projection_role',
    help: '1 for what this process does with the views: leading, standby or elsewhere.',
    labels: ['role'],
    read: ({ views }) => [[{ role: views.status().projector }, 1]],
  },
  {
    name: 'audience_projection_parked_streams',
    help: 'Streams that a view no longer folds, because one of their events cannot be folded.',
    labels: ['view'],
    read: ({ views }) =>
      countedBy(
        'view',
        views.status().parked.map(({ view }) => view),
      ),
  },
  {
    name: 'audience_projection_missing_views',
    help: 'Views that are being built before they can be read.',
    read: ({ views }) => views.status().missing.length,
  },
  {
    name: 'audience_projection_failing',
    help: 'Whether the views cannot be folded just now: 1 or 0.',
    read: ({ views }) => views.status().fault !== null,
  },
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
    name: 'audience_relay_refuses',
    help: 'Whether the mail server takes no e-mail at all: 1 or 0. Absent where another process sends.',
    read: ({ mailer }) => (mailer === undefined ? undefined : mailer.status().relay.refuses !== undefined),
  },
  {
    name: 'audience_relay_connections',
    help: 'Connections to the mail server at most, now.',
    read: ({ mailer }) => mailer?.status().relay.connections,
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
    name: 'audience_log_lines_dropped',
    help: 'Lines of the log that nobody took in time, since the start.',
    read: ({ lines }) => lines.dropped(),
  },
  {
    name: 'audience_process_resident_memory_bytes',
    help: 'Memory of the process, all threads together.',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'audience_process_cpu_seconds',
    help: 'CPU time of the process since its start, all threads together.',
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000_000;
    },
  },
  {
    name: 'audience_process_start_time_seconds',
    help: 'When the process began, in seconds since the epoch.',
    read: () => performance.timeOrigin / 1_000,
  },
];

export function watchStates(registry: Registry, sources: StateSources): void {
  for (const { name, help, labels = [], read } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        const state = read(sources);
        this.reset();
        if (typeof state === 'object') for (const [of, value] of state) this.set(of, value);
        else if (state === undefined) this.remove();
        else this.set(Number(state));
      },
    });
  }
  watchEventLoop(registry);
}

/** What it measures is the time between two timers, this one included. */
const resolutionMs = 20;

/** Since the scrape before. */
function watchEventLoop(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  new Gauge({
    name: 'audience_event_loop_delay_seconds',
    help: 'How late timers of the main thread were since the last scrape: median, 99th percentile, longest.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const [quantile, nanoseconds] of [
        ['0.5', delay.percentile(50)],
        ['0.99', delay.percentile(99)],
        ['1', delay.max],
      ] as const)
        this.set({ quantile }, Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3));
      delay.reset();
    },
  });
}
