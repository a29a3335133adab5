/** Each statement of an append must have changed its one row: what an acknowledgement rests on. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAppender, IneffectiveWriteError } from '../../../src/eventstore/sqlite/append.js';
import { anyRevision, pack } from '../../../src/eventstore/sqlite/messages.js';
import { openForWriting } from '../../../src/eventstore/sqlite/schema.js';
import { newLogFile } from '../../support/event-log.js';

test.each([
  ['an event', 'before insert on events', 'old'],
  ['a new stream', 'before insert on streams', 'new'],
  ['the revision of a stream', 'before update on streams', 'old'],
])('%s that a trigger leaves unwritten fails the append', (_, when, stream) => {
  const db = openForWriting(newLogFile());
  const appender = createAppender(db);
  const append = (): void => {
    const events = [{ id: randomUUID(), type: 'ContactUnsubscribed', data: '{}', metadata: '{}' }];
    appender.take(pack([{ stream, events, expected: anyRevision, size: 0 }], new Date(0).toISOString()));
  };
  db.exec('begin');
  if (stream === 'old') append();
  db.exec(`create trigger t ${when} begin select raise(ignore); end`);
  expect(append).toThrow(IneffectiveWriteError);
  db.close();
});
