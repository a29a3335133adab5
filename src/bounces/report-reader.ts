/** Reads reports in a thread with limits, because anybody can send a report, and its sender decides what parsing it costs. */
import { createLimitedThread, type LimitedThread } from '../flow/limited-thread.js';
import type { MailReport } from './read-report.js';

/** Milliseconds for one report. The largest ordinary report takes 100. */
const reportTimeLimitMs = 2_000;
/** Megabytes of heap for one report. */
const reportHeapLimit = 64;
/** Reports that wait. Each takes up to 1 MiB of memory. */
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
