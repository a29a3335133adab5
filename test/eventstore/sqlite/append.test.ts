/** What the writer thread keeps in memory of the appends that it took. */
import { randomUUID } from 'node:crypto';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createAppender } from '../../../src/eventstore/sqlite/append.js';
import { anyRevision, noStream, pack } from '../../../src/eventstore/sqlite/messages.js';
import { openForWriting } from '../../../src/eventstore/sqlite/schema.js';
import { newLogFile } from '../../support/event-log.js';

function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return getHeapStatistics().used_heap_size;
}

test('a stream that is remembered does not keep the message in which it came: 2,000 e-mails of 100 KB ended the writer', () => {
  const db = openForWriting(newLogFile());
  const appender = createAppender(db);
  const before = usedMemory();
  db.exec('begin');
  for (let n = 0; n < 60; n += 1) {
    const data = JSON.stringify({ html: `${n}`.repeat(500_000) });
    const event = { id: randomUUID(), type: 'Noted', data, metadata: '{}' };
    const append = { stream: `email-${String(n).padStart(32, '0')}`, events: [event], expected: noStream, size: 0 };
    appender.take(pack([append], new Date(0).toISOString()), []);
  }
  expect(usedMemory() - before).toBeLessThan(10e6);
  db.exec('rollback');
  db.close();
});

test('nor does one that is remembered again after 20,000 others', () => {
  const db = openForWriting(newLogFile());
  const appender = createAppender(db);
  const nameOf = (n: number): string => `email-${String(n).padStart(32, '0')}`;
  const take = (streams: number, expected: number, html: string): void => {
    for (let n = 0; n < streams; n += 1) {
      const event = { id: randomUUID(), type: 'Noted', data: JSON.stringify({ html, n }), metadata: '{}' };
      const append = { stream: nameOf(n), events: [event], expected, size: 0 };
      appender.take(pack([append], new Date(0).toISOString()), []);
    }
  };
  db.exec('begin');
  take(20_100, noStream, '');
  take(20_100, anyRevision, '');
  const before = usedMemory();
  take(60, anyRevision, 'x'.repeat(500_000));
  expect(usedMemory() - before).toBeLessThan(10e6);
  db.exec('rollback');
  db.close();
});
