/** A server that says at RCPT that there is no such mailbox: mail to that address stops, and no other refusal stops any. */
import { expect, test } from 'vitest';
import type { UndeliverableEmail } from '../../src/commands/gone-mailboxes.js';
import { startSmtp, type Behaviour } from '../support/smtp.js';
import { openPostOffice, smtpTransport, typesOf } from './mailing.js';

async function refusedBy(behaviour: Behaviour, onGone: (email: UndeliverableEmail) => Promise<void>) {
  const smtp = await startSmtp([behaviour, 'accept']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url), onGone });
  const { email_id, stream } = await office.request();
  const events = await office.untilEvents(stream, (found) =>
    ['EmailFailed', 'EmailSent'].includes(found.at(-1)?.type ?? ''),
  );
  return { email_id, types: typesOf(events) };
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
])('stops mail to the address before it records the failure when the reply to RCPT is 550 %s', async (reply) => {
  const told: UndeliverableEmail[] = [];
  const { email_id, types } = await refusedBy(`recipient 550 ${reply}`, async (email) => void told.push(email));
  expect(types).toEqual(failed);
  expect(told).toMatchObject([{ emailId: email_id, recipientKey: 'key', address: 'ada@example.com' }]);
});

test.each([
  'recipient 550 Not today',
  'recipient 552 5.2.2 Over quota',
  'recipient 550 5.2.1 The user is receiving mail at too high a rate',
  'recipient 550 5.1.1 Mailbox full',
  'recipient 550 5.1.0 Address rejected',
  'recipient 450 4.1.1 Not yet known',
  'data 550 5.1.1 User unknown',
  'data 550 5.7.1 Spam',
  'sender 553 5.1.1 Bad sender',
  'sender 552 5.2.1 Too large',
  'recipient 554 5.7.1 Client host rejected',
] as const)('"%s" stops mail to nobody', async (behaviour) => {
  const told: UndeliverableEmail[] = [];
  await refusedBy(behaviour, async (email) => void told.push(email));
  expect(told).toEqual([]);
});

test('where that cannot be written the outcome waits for it', async () => {
  let tries = 0;
  const { types } = await refusedBy('recipient 550 5.1.1 no', async () => {
    if ((tries += 1) < 3) throw new Error('no store');
  });
  expect(tries).toBe(3);
  expect(types).toEqual(failed);
});
