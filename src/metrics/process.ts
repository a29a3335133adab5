/** The process: its memory by thread, its CPU time, and how late its main thread is. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { Gauge, type Registry } from '@prometheus-io/client';
import { watchStates, type StateMetric } from './states.js';

interface ProcessSources {
  /** Those that run. */
  readonly threads: ReadonlySet<Worker>;
}

const states: readonly StateMetric<ProcessSources>[] = [
  {
    name: 'audience_process_resident_memory_bytes',
    help: 'Memory of the process, all threads together.',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'audience_process_cpu_seconds_total',
    help: 'CPU time of the process since its start, all threads together.',
    isCounter: true,
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
  {
    name: 'audience_thread_heap_bytes',
    help: 'Heap of each thread that is in use.',
    labels: ['thread'],
    read: async ({ threads }) => [
      [{ thread: 'main' }, getHeapStatistics().used_heap_size],
      ...(await Promise.all([...threads].map(heapOf))).flat(),
    ],
  },
];

/** None of a thread that ends meanwhile. */
async function heapOf(worker: Worker): Promise<readonly (readonly [{ readonly thread: string }, number])[]> {
  const thread = worker.threadName ?? 'other';
  const heap = await worker.getHeapStatistics().catch(() => undefined);
  return heap === undefined ? [] : [[{ thread }, heap.used_heap_size]];
}

/** Call it before the first thread is started. @returns what ends it */
export function watchProcess(registry: Registry): () => void {
  const threads = new Set<Worker>();
  const onWorker = (worker: Worker): void => {
    threads.add(worker);
    worker.once('exit', () => threads.delete(worker));
  };
  process.on('worker', onWorker);
  watchStates(registry, states, { threads });
  const leaveEventLoop = watchEventLoop(registry);
  return () => {
    process.off('worker', onWorker);
    leaveEventLoop();
  };
}

/** What it measures is the time between two timers, this one included. */
const resolutionMs = 20;

/** Since the scrape before. @returns what ends it */
function watchEventLoop(registry: Registry): () => void {
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
  return () => void delay.disable();
}
