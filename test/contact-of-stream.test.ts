import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { contactOfStream } from '../src/contact-of-stream.js';
import { openLog, said } from './support/event-log.js';

const about = (data: object | string) => ({
  id: randomUUID(),
  type: 'ContactCreated',
  data: typeof data === 'string' ? data : JSON.stringify(data),
  metadata: '{}',
});

test('it is the contact of the last event; nobody where there is none, or where it names none', async () => {
  const { store } = await openLog();
  const lives = [about({ contact_id: 'con_1' }), about({ contact_id: 'con_2', list_id: 'lst_1' })];
  await store.append('contact-a', lives, { expectedRevision: 'no_stream' });
  await store.append('contact-b', [said('something else')], { expectedRevision: 'no_stream' });
  await store.append('contact-c', [about('no JSON')], { expectedRevision: 'no_stream' });
  expect(await contactOfStream(store, 'contact-a')).toBe('con_2');
  expect(await contactOfStream(store, 'contact-b')).toBeUndefined();
  expect(await contactOfStream(store, 'contact-c')).toBeUndefined();
  expect(await contactOfStream(store, 'contact-d')).toBeUndefined();
});
