/** The e-mails and their states, folded from a log alone. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { emailsInLog } from '../../src/projector/emails-in-log.js';
import { openLog } from '../support/event-log.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';

const signal = new AbortController().signal;

/** The example e-mail under another id. */
const of = (email_id: string, { type, data }: DomainEvent) =>
  toAppend({ type, data: { ...data, email_id } } as DomainEvent);

async function openEmails(emails: Readonly<Record<string, readonly DomainEvent[]>>) {
  const { store } = await openLog();
  for (const [id, events] of Object.entries(emails))
    await store.append(
      `email-${id}`,
      events.map((event) => of(id, event)),
      { expectedRevision: 'no_stream' },
    );
  return store;
}

test('each has its last state, in the order of ids; other events count for nothing', async () => {
  const store = await openEmails({
    eml_2: [e.emailRequested, e.dispatchStarted, e.emailSent],
    eml_1: [e.emailRequested, e.emailHeld],
  });
  await store.append(examples.contactStream, [toAppend(e.contactCreated)], { expectedRevision: 'no_stream' });
  const { documents, unreadable } = await emailsInLog(store, signal);
  expect(documents).toMatchObject([
    { email_id: 'eml_1', state: 'held' },
    { email_id: 'eml_2', state: 'sent', attempts: 1 },
  ]);
  expect(unreadable).toBe(0);
});

test('an e-mail with events that cannot be read, or do not follow, is counted once', async () => {
  const store = await openEmails({ eml_1: [e.emailRequested], eml_2: [e.emailSent, e.emailSent] });
  const broken = ['{', '{}'].map((data) => ({ id: randomUUID(), type: 'EmailSent', data, metadata: '{}' }));
  await store.append('email-eml_1', broken, { expectedRevision: 0n });
  const { documents, unreadable } = await emailsInLog(store, signal);
  expect(documents).toMatchObject([{ email_id: 'eml_1', state: 'requested' }]);
  expect(unreadable).toBe(2);
});

test('an empty log has none', async () => {
  const { store } = await openLog();
  expect(await emailsInLog(store, signal)).toEqual({ documents: [], unreadable: 0 });
});
