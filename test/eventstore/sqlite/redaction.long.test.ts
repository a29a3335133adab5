/** A process that redacts is killed: each of the transactions that a long stream takes is there as a whole or not at all. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leafOf } from '../../../src/eventstore/leaf.js';
import { allEvents, eventLogChild, newLogFile, openLog, openReader, startChild } from '../../support/event-log.js';
import { realTime } from '../../support/real-time.js';

it(
  'leaves whole transactions when the process is killed, and asked again it is all',
  { timeout: 120_000 },
  async () => {
    const file = newLogFile();
    const { store } = await openLog(file);
    const mark = randomUUID();
    const count = 1_500;
    const eventsATransaction = 250;
    const event = (): object => ({ person: { name: mark.repeat(20) }, at: 1 });
    for (let at = 0; at < count; at += 100)
      await store.append(
        'one',
        Array.from({ length: 100 }, () => ({
          id: randomUUID(),
          type: 'Said',
          data: JSON.stringify(event()),
          metadata: '{}',
        })),
        { expectedRevision: 'any' },
      );
    const leaves = (await allEvents(store)).map((stored, at) => leafOf(at + 1, stored));
    await store.close();
    for (const killAfterMs of [0, 5, 10, 20, 30, 45, 60, 80, 100, 150]) {
      const child = startChild(process.execPath, eventLogChild, 'redact', file, String(count));
      await child.until((lines) => lines.some(({ open }) => open));
      // The moments at which it is killed are what is tested.
      await realTime(killAfterMs);
      await child.kill();
      const events = await allEvents(openReader(file));
      expect(events.map((stored, at) => leafOf(at + 1, stored))).toEqual(leaves);
      expect(events.filter(({ data }) => data.includes(mark)).length % eventsATransaction).toBe(0);
    }
    const { store: again } = await openLog(file);
    await again.redact('one', BigInt(count));
    expect(readFileSync(file).includes(mark)).toBe(false);
    expect(readFileSync(`${file}-wal`).length).toBe(0);
  },
);
