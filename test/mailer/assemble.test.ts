/** Messages as they are written here against those that nodemailer builds by its streams. */
import MailComposer from 'nodemailer/lib/mail-composer';
import { expect, test } from 'vitest';
import { assembled } from '../../src/mailer/message.js';

const umlauts = 'Grüße aus Köln, dem 3. März – größer als je zuvor. '.repeat(40).trim();
const texts: Readonly<Record<string, string>> = {
  'a line': 'Hello',
  'lines that end in blanks, and equals signs': 'a = b  \n\tc\t\r\nd \n.\n..\n',
  'a long line': 'x=y '.repeat(2_000),
  'a line without a blank': 'abc'.repeat(500),
  'letters that are not ASCII': umlauts,
  'another script': '購読を解除しました。'.repeat(300),
  'many lines': '<p>Your order has been <b>sent</b>.</p>\n'.repeat(400),
};
const encodings = ['quoted-printable', 'base64'] as const;

test.each(
  Object.entries(texts).flatMap(([name, text]) => encodings.map((encoding) => [name, encoding, text] as const)),
)('%s in %s', async (name, encoding, content) => {
  const part = { content, contentTransferEncoding: encoding };
  const compiled = (): ReturnType<MailComposer['compile']> =>
    new MailComposer({
      from: { name: 'Åsa "the" Shop', address: 'shop@example.org' },
      to: 'ada@example.com',
      subject: `Über ${name} ${umlauts}`,
      date: new Date('2026-11-23T10:00:00Z'),
      messageId: '<eml_1@example.org>',
      baseBoundary: 'eml_1',
      ...(content.length % 2 === 0 ? {} : { text: part }),
      html: part,
      newline: 'windows',
    }).compile();
  const built = await compiled().build();
  expect(assembled(compiled()).toString()).toBe(built.toString());
});
