/** What was asked of the service and what it answered, over all rounds; the checks hold the log against it. */

export function createJournal() {
  const byId = new Map();
  return {
    /** Every request by its X-Request-Id. */
    byId,
    /** Highest X-Position of a 200 so far: whatever is sent from now on happens after it. */
    acked: 0,
    round: 0,
    /** Rounds that ended with SIGTERM alone: what was running then had to be finished. */
    orderly: new Set(),
    /** Notes a request as it is sent. */
    begin(operation) {
      const id = `r${this.round}-${byId.size}`;
      const entry = { ...operation, id, round: this.round, lower: this.acked, status: 0 };
      byId.set(id, entry);
      return entry;
    },
    /** Notes its answer. Without one its status stays 0: it may have happened or not. */
    answer(entry, { status, body, headers }) {
      entry.status = status;
      entry.data = body?.data;
      entry.type = body?.type;
      entry.message = body?.message;
      entry.next = body?.next_cursor;
      if (status !== 200 || headers['x-position'] === undefined) return;
      entry.position = Number(headers['x-position']);
      entry.location = headers.location;
      entry.replayed = headers['idempotent-replayed'] === 'true';
      if (entry.position > this.acked) this.acked = entry.position;
    },
  };
}

/** Numbers of a round, for its line. */
export function tally(journal, round) {
  const counts = { writes: 0, acked: 0, refused: 0, open: 0, reads: 0, unavailable: 0 };
  for (const entry of journal.byId.values()) {
    if (entry.round !== round) continue;
    if (entry.status === 503) counts.unavailable += 1;
    if (entry.kind.startsWith('get')) counts.reads += 1;
    else {
      counts.writes += 1;
      if (entry.status === 200) counts.acked += 1;
      else if (isRefusal(entry)) counts.refused += 1;
      else counts.open += 1;
    }
  }
  return counts;
}

export const isRefusal = ({ status }) => status >= 400 && status < 500;
