/** Time-outs and intervals of the EventStoreDB adapter, in milliseconds. Tests shorten them. */
export interface Timings {
  readonly appendMs: number;
  /** A read is given up when the server is silent for so long. */
  readonly silenceMs: number;
  /** Subscriptions that are caught up look into the log so often, notified or not. */
  readonly pollMs: number;
  /** A live subscription that said nothing of new events for so long has stalled. */
  readonly stalledMs: number;
  readonly firstBackOffMs: number;
  readonly lastBackOffMs: number;
}

export const defaultTimings: Timings = {
  appendMs: 3_000,
  silenceMs: 5_000,
  pollMs: 1_000,
  stalledMs: 30_000,
  firstBackOffMs: 100,
  lastBackOffMs: 5_000,
};
