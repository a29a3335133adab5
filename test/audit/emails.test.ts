/** The e-mails to a person in the history: found by hints, read from their streams, in their place. */
import { expect, test } from 'vitest';
import { createAudit } from '../../src/audit/audit.js';
import type { EmailHint } from '../../src/audit/emails.js';
import type { DomainEvent } from '../../src/events/codec.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';
import { basisOf, auditedLog, contactStream, emailsInLog, second, type AuditedLog } from '../support/auditing.js';

const streamOf = (number: number): string => `email-${String(number).padStart(32, '0')}`;

/** The event of e-mail number `number`. */
const of = (number: number, { type, data }: DomainEvent): DomainEvent =>
  ({ type, data: { ...data, email_id: `eml_${number}` } }) as DomainEvent;

async function happen(log: AuditedLog, number: number, ...events: readonly DomainEvent[]): Promise<void> {
  for (const event of events) await log.append(streamOf(number), of(number, event), { at: second(number) });
}

const shown = (items: readonly { type: string; email?: { email_id: string } | undefined }[]): string[] =>
  items.map(({ type, email }) => (email === undefined ? type : `${type} ${email.email_id}`));

async function life(): Promise<AuditedLog> {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated);
  await happen(log, 1, e.emailRequested, e.dispatchStarted);
  await happen(log, 2, e.emailRequested);
  await log.at(2, e.subscribed);
  await happen(log, 1, e.emailDeferred, e.dispatchStarted, e.emailSent);
  await log.at(3, e.unsubscribed);
  await happen(log, 2, e.emailFailed);
  const stranger = { ...e.emailRequested.data, recipient_key: 'ff'.repeat(16) };
  await happen(log, 3, { type: 'EmailRequested', data: stranger });
  return log;
}

const whole = [
  'ContactCreated',
  'EmailRequested eml_1',
  'EmailRequested eml_2',
  'ContactSubscribed',
  'EmailDeferred eml_1',
  'EmailSent eml_1',
  'ContactUnsubscribed',
  'EmailFailed eml_2',
];

test('stand in their place, with subject and outcome, without their text', async () => {
  const log = await life();
  const items = await log.history();
  expect(shown(items)).toEqual(whole);
  expect(items[1]).toMatchObject({
    summary: 'An e-mail was requested.',
    contact_id: examples.contact_id,
    email: { email_id: 'eml_1', subject: 'Hello' },
    stream: streamOf(1),
    data: { message: { to_email: 'ada@example.com', subject: 'Hello' } },
  });
  expect(JSON.stringify(items)).not.toContain('<p>');
  expect(items[7]).toMatchObject({ summary: 'The e-mail was given up (smtp_5xx).', email: { subject: 'Hello' } });
});

test.for([1, 2, 3, 5])('pages of %i are the whole', async (limit) => {
  const log = await life();
  expect(await log.history({ limit })).toEqual(await log.history());
});

test('are filtered by time, and left out where one list is asked for', async () => {
  const log = await life();
  expect(shown(await log.history({ from: second(2), to: second(2) }))).toEqual([
    'EmailRequested eml_2',
    'ContactSubscribed',
    'EmailFailed eml_2',
  ]);
  const inList = await log.audit.history({ stream: contactStream, list: examples.list.list_id, limit: 50 });
  expect(shown(inList.items)).toEqual(['ContactSubscribed', 'ContactUnsubscribed']);
  expect(inList).not.toHaveProperty('emails_until');
});

test('who was never a contact has a history of e-mails', async () => {
  const log = await life();
  expect(shown(await log.history({ stream: `contact-${'ff'.repeat(16)}` }))).toEqual(['EmailRequested eml_3']);
});

test('without email:read neither subject nor address is told', async () => {
  const log = await life();
  const items = (await log.history({ hidden: ['message'] })).filter(({ email }) => email !== undefined);
  expect(items).toHaveLength(5);
  expect(items[0]).toMatchObject({
    email: { subject: null },
    data: { message: expect.stringMatching(/^sha256:/) as unknown },
  });
  expect(JSON.stringify(items)).not.toMatch(/Hello|ada@/);
});

test('an event that cannot be read stands in its place', async () => {
  const log = await life();
  await log.appendRaw(streamOf(1), { ...toAppend(of(1, e.emailSent)), type: 'EmailPraised' });
  expect((await log.history()).at(-1)).toMatchObject({
    type: 'EmailPraised',
    unreadable: true,
    email: { email_id: 'eml_1' },
  });
});

test('an e-mail whose message is replaced by its digest is told without its subject', async () => {
  const log = await life();
  const data = {
    email_id: 'eml_4',
    recipient_key: 'a1'.repeat(16),
    request_hash: '',
    message: `sha256:${'0'.repeat(64)}`,
  };
  await log.appendRaw(streamOf(4), { ...toAppend(e.emailRequested), data: JSON.stringify(data) });
  const last = (await log.history()).at(-1);
  expect(last).toMatchObject({
    type: 'EmailRequested',
    email: { email_id: 'eml_4', subject: null },
    data: { message: null },
  });
  expect(last).not.toHaveProperty('unreadable');
});

test('hints are not believed, and it is said how far they go', async () => {
  const log = await life();
  const known = emailsInLog(log.store);
  const all: EmailHint[] = [];
  for await (const some of known.to('a1'.repeat(16))) all.push(...some);
  const audit = createAudit({
    reader: log.store,
    ...basisOf(log.store),
    clock: Date.now,
    emails: {
      ...known,
      // Another person's e-mail, one that there is not, and one that the view does not know yet.
      async *to() {
        yield [
          ...all.slice(0, 1),
          { ...all[1], stream: streamOf(3) } as EmailHint,
          { ...all[1], stream: streamOf(9) } as EmailHint,
        ];
      },
      until: async () => '00000000000000000005',
    },
  });
  const page = await audit.history({ stream: contactStream, limit: 50 });
  expect(shown(page.items)).toEqual(whole.filter((one) => !one.endsWith('eml_2')));
  expect(page.emails_until).toBe('00000000000000000005');
});
