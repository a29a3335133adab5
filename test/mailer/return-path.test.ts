/** MAIL_RETURN_PATH: what the mail server hears of an e-mail whose reports come back to the service. */
import { expect, test } from 'vitest';
import { emailOfHeader, proofOf } from '../../src/events/email-proof.js';
import { emailOfReturnPath, returnPathOf } from '../../src/events/return-path.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { readConfig } from '../../src/stores/config.js';
import { openPostOffice, smtpTransport } from './mailing.js';
import { startScriptedSmtp, usually } from './scripted-smtp.js';

const { returnPathMac: macOf, emailHeaderMac } = deriveStreamKeys('a secret');
const returnPath = (emailId: string): string => returnPathOf(emailId, 'bounce@mail.example.com', macOf);

/** MAIL, RCPT and the message as a server gets them that offers these. */
async function heard(
  extensions: string,
  sender?: string,
  options: { returnPath?: typeof returnPath } = { returnPath },
) {
  const smtp = await startScriptedSmtp((asked) =>
    asked.command === 'EHLO' ? `250-scripted\r\n${extensions}250 PIPELINING` : usually(asked),
  );
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url), proofOf: (id) => proofOf(id, emailHeaderMac), ...options });
  const { email_id, stream } = await office.request(sender === undefined ? {} : { from_email: sender });
  await office.until(stream, 'EmailSent');
  const lineOf = (command: string): string => smtp.asked.find((asked) => asked.command === command)?.line ?? '';
  return { email_id, mail: lineOf('MAIL'), rcpt: lineOf('RCPT'), message: lineOf('.') };
}

test('the envelope sender is the return path, and the headers stay as they are', async () => {
  const { email_id, mail, rcpt, message } = await heard('');
  expect(mail).toMatch(/^MAIL FROM:<bounce\+eml_[0-9A-F]{26}\.[a-z2-7]{16}@mail\.example\.com>$/);
  expect(rcpt).toBe('RCPT TO:<ada@example.com>');
  expect(message).toContain('\r\nFrom: Ledger <news@example.org>\r\n');
  expect(message).toContain(`\r\nMessage-ID: <${email_id}@example.org>\r\n`);
  expect(emailOfReturnPath(mail, macOf)).toBe(email_id);
});

test('every email has a header that proves which email it is, with and without the setting', async () => {
  for (const options of [{ returnPath }, {}]) {
    const { email_id, message } = await heard('', undefined, options);
    const [, value = ''] = /\r\nX-Audience-Email: (.*)\r\n/.exec(message) ?? [];
    expect(emailOfHeader(value, emailHeaderMac)).toBe(email_id);
  }
});

test('a server that offers DSN is asked for reports of failures, with the id and without the content', async () => {
  const { email_id, mail, rcpt } = await heard('250-DSN\r\n');
  expect(mail).toBe(`MAIL FROM:<${returnPath(email_id)}> RET=HDRS ENVID=${email_id}`);
  expect(rcpt).toBe('RCPT TO:<ada@example.com> NOTIFY=FAILURE');
});

test('without the setting everything goes out as before', async () => {
  const { mail, rcpt, message } = await heard('250-DSN\r\n', undefined, {});
  expect(mail).toBe('MAIL FROM:<news@example.org>');
  expect(rcpt).toBe('RCPT TO:<ada@example.com>');
  expect(message).toContain('@example.org>\r\n');
});

test('a sender whose name is not ASCII stays in the envelope, which tells the server of SMTPUTF8', async () => {
  const { mail } = await heard('250-DSN\r\n250-SMTPUTF8\r\n', 'jürgen@example.org');
  expect(mail).toBe('MAIL FROM:<jürgen@example.org> SMTPUTF8');
});

test('an address that leaves no room for the id and its proof is refused at the start', () => {
  const read = (MAIL_RETURN_PATH: string) => () => readConfig({ MAIL_RETURN_PATH });
  expect(read('sixteen-letters-@mail.example.com')().mailReturnPath).toBe('sixteen-letters-@mail.example.com');
  expect(read('')().mailReturnPath).toBeUndefined();
  for (const text of ['seventeen-letters@example.com', 'bounce', 'Bounce <bounce@example.com>', 'bölle@example.com'])
    expect(read(text), text).toThrow(/MAIL_RETURN_PATH must be an address in ASCII with at most 16 characters/);
});
