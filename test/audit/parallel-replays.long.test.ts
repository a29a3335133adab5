/** Many auditors at once who ask for a contact with many events: a few are answered at a time, and other requests do not wait for them. */
import { expect, test } from 'vitest';
import type { EventStore } from '../../src/eventstore/event-store.js';
import { startAuditedService } from '../support/audited-service.js';
import { openLog } from '../support/event-log.js';
import { exampleEvents as e, toAppend } from '../support/examples.js';

const auditors = 16;
const email = 'ada@example.com';

/** Counts the events that are read in one turn of the event loop. */
function watched(store: EventStore) {
  const seen = { inThisTurn: 0, most: 0 };
  async function* readStream(...args: Parameters<EventStore['readStream']>) {
    for await (const page of store.readStream(...args)) {
      if (seen.inThisTurn === 0) setImmediate(() => (seen.inThisTurn = 0));
      seen.inThisTurn += page.length;
      seen.most = Math.max(seen.most, seen.inThisTurn);
      yield page;
    }
  }
  return { seen, store: Object.assign(Object.create(store) as EventStore, { readStream }) };
}

test('16 auditors of a contact with 5,000 events wait in line, and do not block the service', async () => {
  const { seen, store } = watched((await openLog()).store);
  const service = await startAuditedService({
    store,
    queries: { groups: { get: async () => undefined, page: async () => ({ items: [], isIncomplete: false }) } },
  });
  const stream = service.streamOf(email);
  await store.append(stream, [toAppend(e.contactCreated)], { expectedRevision: 'no_stream' });
  const changes = Array.from({ length: 5 }, async () => {
    const some = Array.from({ length: 1_000 }, () => toAppend(e.profileChanged));
    await store.append(stream, some, { expectedRevision: 'any' });
  });
  await Promise.all(changes);

  const ask = (path: string): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.key}` } });
  let isOver = false;
  const since = performance.now();
  const asked = Promise.all(
    Array.from({ length: auditors }, () => ask(`/v1/audit/contacts/${email}/at?time=2030-01-01`)),
  ).finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const started = performance.now();
    expect((await ask('/v1/groups')).status).toBe(200);
    waits.push(performance.now() - started);
  }
  const answers = await asked;
  const answered = answers.filter(({ status }) => status === 200);
  // They wait in line: who has to wait for more than five seconds is refused.
  if (performance.now() - since < 5_000) expect(answered).toHaveLength(auditors);
  for (const { status, headers } of answers)
    if (status !== 200) expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(await answered[0]?.json()).toMatchObject({
    data: { existed: true, profile: { because: { revision: 5_000 } } },
  });

  // One page a turn, beside the first pages of all.
  expect(seen.most).toBeLessThan(auditors * 64 + 1_000);
  expect(waits.length).toBeGreaterThan(20);
  waits.sort((a, b) => a - b);
  expect(waits.at(Math.floor(waits.length * 0.99))).toBeLessThan(1_000);
});
