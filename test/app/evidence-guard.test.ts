/** The guard at the start: long logs are verified in a thread, an alteration is found in both ways, an honest log raises no alarm. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AlteredLogError, guardLog, refuseHeadless, type EvidenceGuard } from '../../src/app/evidence-guard.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { exampleEvent, newFolder, tampered } from '../support/evidence-log.js';

async function logOf(events: number): Promise<string> {
  const file = path.join(newFolder(), 'events.db');
  const store = await openSqliteEventStore({ file, clock: Date.now });
  for (let done = 0; done < events; done += 100)
    await store.append(
      `s${done}`,
      Array.from({ length: 100 }, (_, at) => exampleEvent(done + at)),
      { expectedRevision: 'no_stream' },
    );
  await store.close();
  return file;
}

function guarded(file: string): EvidenceGuard {
  const guard = guardLog(file);
  onTestFinished(() => guard.close());
  return guard;
}

test.each([
  ['short', 300],
  ['long', 4_200],
])(
  'a %s log',
  async (_, events) => {
    const file = await logOf(events);
    const honest = guarded(file);
    await honest.firstLook();
    expect([honest.isVerified(), honest.fault()]).toEqual([true, null]);
    const altered = guarded(
      tampered(file, (db) => db.exec(`update events set type = 'x' where position = ${events - 1}`)),
    );
    await expect(altered.firstLook()).rejects.toThrow(AlteredLogError);
    await expect(altered.firstLook()).rejects.toThrow(`event ${events - 1} is not what was written there`);
    expect((await altered.altered).message).toContain(`revision 98 of s${events - 100}`);
    expect(altered.isVerified()).toBe(false);
  },
  60_000,
);

test('a log that cannot be read is not verified, and that is no alarm', async () => {
  const guard = guarded(path.join(newFolder(), 'events.db'));
  await guard.firstLook();
  expect(guard.isVerified()).toBe(false);
  expect(guard.fault()).toContain('there is no event log');
});

test('a log that has lost its beginning is refused, an empty one is not', async () => {
  const store = await openSqliteEventStore({ file: await logOf(100), clock: Date.now });
  onTestFinished(() => store.close());
  await expect(refuseHeadless(store)).rejects.toThrow(AlteredLogError);
  const empty = await openSqliteEventStore({ file: path.join(newFolder(), 'events.db'), clock: Date.now });
  onTestFinished(() => empty.close());
  await refuseHeadless(empty);
});
