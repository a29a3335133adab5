/** What the writer thread keeps in memory of the appends that it took. */
import { randomUUID } from 'node:crypto';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createAppender } from '../../src/eventstore/sqlite-append.js';
import { noStream, pack } from '../../src/eventstore/sqlite-messages.js';
import { openForWriting } from '../../src/eventstore/sqlite-schema.js';
import { newLogFile } from '../support/event-log.js';

test('a stream that is remembered does not keep the message in which it came: 2,000 e-mails of 100 KB ended the writer', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const db = openForWriting(newLogFile());
  const appender = createAppender(db);
  const used = (): number => {
    collect();
    return getHeapStatistics().used_heap_size;
  };
  const before = used();
  db.exec('begin');
  for (let n = 0; n < 60; n += 1) {
    const data = JSON.stringify({ html: `${n}`.repeat(500_000) });
    const event = { id: randomUUID(), type: 'Noted', data, metadata: '{}' };
    const append = { stream: `email-${String(n).padStart(32, '0')}`, events: [event], expected: noStream, size: 0 };
    appender.take(pack([append], new Date(0).toISOString()), []);
  }
  expect(used() - before).toBeLessThan(10e6);
  db.exec('rollback');
  db.close();
});
