import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { contactOfStream } from '../../src/audit/contact-of-stream.js';
import { StoreUnavailableError, type StoredEvent } from '../../src/eventstore/event-store.js';
import { openLog, said } from '../support/event-log.js';

const about = (data: object) => ({
  id: randomUUID(),
  type: 'ContactCreated',
  data: JSON.stringify(data),
  metadata: '{}',
});

test('it is the contact of the last event; nobody where there is none, or where it names none', async () => {
  const { store } = await openLog();
  const lives = [about({ contact_id: 'con_1' }), about({ contact_id: 'con_2', list_id: 'lst_1' })];
  await store.append('contact-a', lives, { expectedRevision: 'no_stream' });
  await store.append('contact-b', [said('something else')], { expectedRevision: 'no_stream' });
  await store.append('contact-c', [about({ contact_id: 7 })], { expectedRevision: 'no_stream' });
  const oddEnd = [about({ contact_id: 'con_3' }), said('something else'), about({ contact_id: 7 })];
  await store.append('contact-e', oddEnd, { expectedRevision: 'no_stream' });
  expect(await contactOfStream(store, 'contact-a')).toBe('con_2');
  expect(await contactOfStream(store, 'contact-b')).toBeUndefined();
  expect(await contactOfStream(store, 'contact-c')).toBeUndefined();
  expect(await contactOfStream(store, 'contact-d')).toBeUndefined();
  expect(await contactOfStream(store, 'contact-e')).toBe('con_3');
});

test('a log that does not answer is unavailable, after as long as other reads wait', async () => {
  vi.useFakeTimers();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((patience) => {
    expect(patience).toBe(2_000);
    const gone = new AbortController();
    setTimeout(() => gone.abort(), patience);
    return gone.signal;
  });
  const silent = {
    async *readStream(_stream: string, { signal }: { readonly signal?: AbortSignal } = {}) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      yield* [] as (readonly StoredEvent[])[];
    },
  };
  const asked = contactOfStream(silent, 'contact-a');
  const refused = expect(asked).rejects.toThrow(StoreUnavailableError);
  await vi.advanceTimersByTimeAsync(2_000);
  await refused;
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
