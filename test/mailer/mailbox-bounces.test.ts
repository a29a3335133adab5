/** How the mailer handles the refusal of a mail server: the mailbox does not exist, the refusal is counted, or neither. */
import { expect, test } from 'vitest';
import type { MailboxBounce, RecordMailboxBounce, UndeliverableEmail } from '../../src/commands/bounced-mailboxes.js';
import { startSmtp, type Behaviour } from '../support/smtp.js';
import { openPostOffice, quickTimings, smtpTransport, typesOf } from './mailing.js';

async function refusedBy(behaviours: readonly Behaviour[], onBounce: RecordMailboxBounce, timings = quickTimings) {
  const smtp = await startSmtp([...behaviours, 'accept']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url), onBounce, timings });
  const { email_id, stream } = await office.request();
  const events = await office.untilEvents(stream, (found) =>
    ['EmailFailed', 'EmailSent'].includes(found.at(-1)?.type ?? ''),
  );
  return { email_id, types: typesOf(events) };
}

async function bouncesOf(...behaviours: readonly Behaviour[]): Promise<readonly MailboxBounce[]> {
  const told: MailboxBounce[] = [];
  await refusedBy(behaviours, async (_, bounce) => void told.push(bounce));
  return told;
}

const failed = ['EmailRequested', 'EmailDispatchStarted', 'EmailFailed'];

test.each([
  '5.1.1 no',
  '5.2.1 no',
  '5.1.10 no',
  '5.1.351 no',
  '5.4.1 Recipient address rejected: Access denied',
  '5.4.4 Invalid domain',
  'No such user',
])('records that the mailbox is gone before the failure when the reply to RCPT is 550 %s', async (reply) => {
  const told: (UndeliverableEmail & { bounce: MailboxBounce })[] = [];
  const { email_id, types } = await refusedBy(
    [`recipient 550 ${reply}`],
    async (email, bounce) => void told.push({ ...email, bounce }),
  );
  expect(types).toEqual(failed);
  expect(told).toMatchObject([{ bounce: 'gone', emailId: email_id, recipientKey: 'key', address: 'ada@example.com' }]);
});

test.each([
  'recipient 550 5.3.0 Rejected',
  'recipient 550 5.1.0 Address rejected',
  'recipient 550 Not today',
  'data 550 5.1.1 User unknown',
  'data 554 Transaction failed',
] as const)('"%s" is counted as an unclear refusal', async (behaviour) => {
  expect(await bouncesOf(behaviour)).toEqual(['unclear']);
});

test.each([
  'recipient 552 5.2.2 Over quota',
  'recipient 550 5.1.1 Mailbox full',
  'recipient 550 5.2.1 The user is receiving mail at too high a rate',
  'recipient 452 4.2.2 Over quota',
  'recipient 450 4.1.1 Not yet known',
  'recipient 450 4.2.0 Try again later',
  'recipient 450 Mailbox busy',
  'data 452 4.2.2 Over quota',
] as const)('"%s" is counted as a soft refusal', async (behaviour) => {
  expect(await bouncesOf(behaviour)).toEqual(['soft']);
});

test.each([
  'sender 553 5.1.1 Bad sender',
  'sender 552 5.2.1 Too large',
  'recipient 554 5.7.1 Client host rejected',
  'data 550 5.7.1 Spam',
  'recipient 450 4.2.0 <ada@example.com>: Recipient address rejected: Greylisted',
  'recipient 450 4.2.0 Graylisting in effect',
  'recipient 451 4.3.0 Temporary lookup failure',
  'recipient 451 4.4.1 No route to the host',
  'recipient 451 4.7.1 Please try again later',
  'recipient 421 4.2.0 Service not available',
  'data 451 4.3.0 Temporary failure',
  'data 451 4.2.0 Try again later',
  'data 451 Try again later',
] as const)('"%s" says nothing about the recipient', async (behaviour) => {
  expect(await bouncesOf(behaviour)).toEqual([]);
});

test('a temporary refusal that lasts until the email is given up is counted as soft', async () => {
  const told: MailboxBounce[] = [];
  const later = Array.from({ length: 100 }, () => 'data 452 4.3.0 Greylisted' as const);
  const { types } = await refusedBy(later, async (_, bounce) => void told.push(bounce), { ...quickTimings, giveUp: 1 });
  expect([types.at(-1), told]).toEqual(['EmailFailed', ['soft']]);
});

test('if the refusal cannot be recorded, the outcome of the attempt waits for it', async () => {
  let tries = 0;
  const { types } = await refusedBy(['recipient 550 5.1.1 no'], async () => {
    if ((tries += 1) < 3) throw new Error('no store');
  });
  expect(tries).toBe(3);
  expect(types).toEqual(failed);
});
