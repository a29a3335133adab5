/** What follows the log and acts, such as the mailer: it says what is due and does it. A runner, given by `app`, decides when. */

/** What to start now, and in how many milliseconds to ask again if nothing wakes the runner earlier. */
export interface Due<Work> {
  readonly work: readonly Work[];
  readonly rest: number;
}

/** The right to do the work, where several processes could and one at a time may. */
export interface WorkLease {
  /** Resolves with its epoch once this process holds it; with null when the signal aborts first. Rejects while nobody can tell. */
  hold(signal: AbortSignal): Promise<number | null>;
  isHeld(): boolean;
  /** Called when another process has taken it. One listener. */
  onLost(listener: () => void): void;
  /** Gives it back. Never rejects. */
  close(): Promise<void>;
}

/** How far it has come is never kept here: what was done stands in the log. So work may be given again after a crash. */
export interface Subscriber<Work> {
  /** For logs. */
  readonly name: string;
  /** Absent where every process may do the work at the same time. */
  readonly lease?: WorkLease | undefined;
  /** How many works run at once. */
  readonly concurrency: number;
  /** Milliseconds that running work gets when the process stops. Then its signal is aborted. */
  readonly grace: number;
  /** At most `free` works, and none that is being handled. A rejection: asked again after a back-off. */
  due(free: number): Promise<Due<Work>>;
  /** The signal aborts when the process stops or the lease is lost; then it ends soon. A rejection: nothing is started until a back-off has passed. */
  handle(work: Work, signal: AbortSignal): Promise<void>;
}
