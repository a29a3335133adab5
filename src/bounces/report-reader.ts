/** Reads reports in a thread with limits, because anybody can send one and what parsing it costs is up to the sender. */
import { createLimitedThread, type LimitedThread } from '../flow/limited-thread.js';
import type { MailReport } from './read-report.js';

/** Milliseconds. The largest report takes 100. */
const reportTimeLimitMs = 2_000;
/** Megabytes of the heap. */
const reportHeapLimit = 64;
/** Each report that waits takes up to 1 MiB. */
const reportLine = { waiting: 20, patience: 5_000, retryAfter: 5 };

export type ReportReader = LimitedThread<Uint8Array, MailReport | undefined>;

/** Opens a reader. Its thread starts with the first report. */
export const createReportReader = (onFault: (error: string) => void): ReportReader =>
  createLimitedThread({
    name: 'report',
    beside: import.meta.url,
    timeLimitMs: reportTimeLimitMs,
    heapLimitMb: reportHeapLimit,
    queue: 'email_reports',
    ...reportLine,
    onFault,
  });
