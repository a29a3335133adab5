/** Reads the whole log from the file, past the service, and checks what must hold for any log. */
import { createHash } from 'node:crypto';
import { Database } from '../../dist/sqlite/database.js';

/** Follows one log over all rounds: what was there once must be there for ever, byte for byte. */
export function createLog(file) {
  /** Events in log order, parsed. */
  const events = [];
  let digest = '';

  return {
    events,
    /** Takes what is new; returns what is wrong. */
    read() {
      const db = new Database(file, { access: 'read' });
      try {
        return db.transaction(() => readAll(db));
      } finally {
        db.close();
      }
    },
    /** Types of the last events of the e-mails, with the times of their next attempts. */
    lastOfEmails() {
      const db = new Database(file, { access: 'read' });
      try {
        const last =
          "select e.type, e.data ->> '$.next_attempt_at' as next from streams s join events e on e.stream_id = s.id and e.revision = s.revision where s.name like 'email-%'";
        return db.prepare(last).all();
      } finally {
        db.close();
      }
    },
  };

  function readAll(db) {
    const problems = [];
    const integrity = db.pragma('integrity_check');
    if (integrity !== 'ok') problems.push(`integrity_check of the log: ${integrity}`);
    const hash = createHash('sha256');
    const known = events.length;
    let count = 0;
    for (const row of db.prepare('select * from log').iterate()) {
      if (count === known && hash.copy().digest('hex') !== digest && known > 0)
        problems.push('recorded events have changed');
      hash.update(JSON.stringify(row));
      if (count >= known) events.push(parsed(row));
      count += 1;
    }
    if (count < known) problems.push(`${known - count} recorded events are gone`);
    if (count === known && known > 0 && hash.copy().digest('hex') !== digest)
      problems.push('recorded events have changed');
    digest = hash.digest('hex');
    const streams = db.prepare('select name, revision from streams').all();
    return [...problems, ...checkStructure(events, streams)];
  }
}

const parsed = ({ data, metadata, ...row }) => ({ ...row, data: JSON.parse(data), metadata: JSON.parse(metadata) });

function checkStructure(events, streams) {
  const problems = [];
  const heads = new Map();
  const ids = new Set();
  let position = 0;
  for (const event of events) {
    const where = `${event.stream} at revision ${event.revision}, position ${event.position}`;
    const before = heads.get(event.stream);
    if (event.position <= position) problems.push(`position does not rise: ${where}`);
    if (event.revision !== (before?.revision ?? -1) + 1) problems.push(`hole: ${where} follows ${before?.revision}`);
    if (before !== undefined && event.metadata.at < before.metadata.at) problems.push(`time runs backwards: ${where}`);
    if (ids.has(event.event_id)) problems.push(`event id twice: ${where}`);
    ids.add(event.event_id);
    heads.set(event.stream, event);
    position = event.position;
  }
  for (const { name, revision } of streams)
    if (heads.get(name)?.revision !== revision)
      problems.push(`stream ${name} is said to stand at ${revision}, its last event is ${heads.get(name)?.revision}`);
  if (streams.length !== heads.size) problems.push(`${streams.length} streams are listed, ${heads.size} have events`);
  return problems;
}
