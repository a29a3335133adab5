/** Notifies the projector of appends, not of each: until it has reached the last notification it finds by itself what is appended meanwhile. */

export function createAppendNotifier(notify: () => void) {
  /** Positions: how far the projector has come, the last notification, the last append. */
  let reached = '';
  let notified = '';
  let appended = '';

  function notifyOnce(): void {
    if (notified > reached || appended <= reached) return;
    notified = appended;
    notify();
  }

  return {
    /** Something was appended, up to this position. Cheap enough for every append: folded at once, or under load with the next batch. */
    onAppended(position: string): void {
      appended = position;
      notifyOnce();
    },
    onReached(position: string): void {
      reached = position;
      notifyOnce();
    },
    /** What was sent before may be lost. */
    onRestart(): void {
      notified = '';
    },
  };
}
