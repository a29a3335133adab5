/** Time-outs and intervals of the EventStoreDB adapter, in milliseconds. Tests shorten them. */
export const defaultTimings = {
  appendMs: 3_000,
  /** A read is given up when the server is silent for so long. */
  silenceMs: 5_000,
  /** Subscriptions that are caught up look into the log so often, notified or not. */
  pollMs: 1_000,
  /** A live subscription that said nothing of new events for so long has stalled. */
  stalledMs: 30_000,
  firstBackOffMs: 100,
  lastBackOffMs: 5_000,
};
export type Timings = Readonly<typeof defaultTimings>;
