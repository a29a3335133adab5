/** Time-outs and intervals of the EventStoreDB adapter, in milliseconds. Tests shorten them. */
export interface Timings {
  /** From the call to the answer of an append, looking for the leader included. */
  readonly appendMs: number;
  /** A read is given up when the server is silent for so long. */
  readonly silenceMs: number;
  /** Subscriptions that are caught up look into the log so often, rung or not. */
  readonly pollMs: number;
  /** Events of ours that did not ring for so long make the bell deaf. */
  readonly deafMs: number;
  readonly firstBackOffMs: number;
  readonly lastBackOffMs: number;
}

export const defaultTimings: Timings = {
  appendMs: 3_000,
  silenceMs: 5_000,
  pollMs: 1_000,
  deafMs: 30_000,
  firstBackOffMs: 100,
  lastBackOffMs: 5_000,
};
