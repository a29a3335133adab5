/** The MIME message: one sender, one recipient, the same bytes each time, and the template as it was given. */
import fc from 'fast-check';
import PostalMime, { decodeWords } from 'postal-mime';
import { expect, test } from 'vitest';
import { composeMail, InvalidMessageError } from '../../src/mailer/message.js';
import { usually } from '../support/amount.js';
import { someMessage } from './mailing.js';

const compose = (message: Partial<typeof someMessage> = {}, email_id = 'eml_01ARZ3NDEKTSV4RRFFQ69G5FAV') =>
  composeMail({ email_id, requested_at: '2024-05-06T07:08:09.010Z', message: { ...someMessage, ...message } });
const parse = async (message: Partial<typeof someMessage>) => await PostalMime.parse((await compose(message)).bytes);
const headersOf = (bytes: Buffer): string => bytes.toString('latin1').split('\r\n\r\n')[0] ?? '';

test('the headers', async () => {
  const { bytes, envelope } = await compose();
  expect(envelope).toEqual({ from: 'news@example.org', to: 'ada@example.com' });
  expect(headersOf(bytes).split('\r\n').sort()).toEqual([
    ' boundary="--_NmP-eml_01ARZ3NDEKTSV4RRFFQ69G5FAV-Part_1"',
    'Content-Type: multipart/alternative;',
    'Date: Mon, 06 May 2024 07:08:09 +0000',
    'From: Ledger <news@example.org>',
    'MIME-Version: 1.0',
    'Message-ID: <eml_01ARZ3NDEKTSV4RRFFQ69G5FAV@example.org>',
    'Subject: Hello',
    'To: ada@example.com',
  ]);
});

test('a second copy is byte for byte the first', async () => {
  const [first, second] = [await compose(), await compose()];
  expect(first.bytes.equals(second.bytes)).toBe(true);
});

test('names and subjects of any language arrive as they are', async () => {
  for (const name of ['Ada "The Countess" Lovelace', 'Größe, & Co.', '日本語の名前', 'O\\Brien', 'a@b.example']) {
    const quoted = `"${name.replace(/["\\]/g, '\\$&')}" <news@example.org>`;
    const mail = await parse({ from_email: quoted, subject: `Re: ${name} =?utf-8?q?x?=` });
    expect(mail.from).toMatchObject({ name, address: 'news@example.org' });
  }
  const subject = `Ünïcode ${'sehr lang '.repeat(60)}Ende`;
  expect((await parse({ subject })).subject).toBe(subject);
});

test('addresses of other scripts: the domain goes out in ASCII, the local part in NFC', async () => {
  const from_email = 'Ju\u0308rgen <Ju\u0308rgen@Mu\u0308nchen.example>';
  const { bytes, envelope } = await compose({ from_email, to_email: 'Ιωάννης@ΠΑΡΆΔΕΙΓΜΑ.example' });
  expect(envelope).toEqual({
    from: 'J\u00fcrgen@xn--mnchen-3ya.example',
    to: 'Ιωάννης@xn--hxajbheg2az3al.example',
  });
  const lines = (mail: Buffer): string[] =>
    (mail.toString('utf8').split('\r\n\r\n')[0] ?? '').replace(/\r\n(?= )/g, '').split('\r\n');
  expect(lines(bytes)).toEqual(
    expect.arrayContaining([
      'From: =?UTF-8?Q?Ju=CC=88rgen?= <J\u00fcrgen@xn--mnchen-3ya.example>',
      'To: Ιωάννης@xn--hxajbheg2az3al.example',
      'Message-ID: <eml_01ARZ3NDEKTSV4RRFFQ69G5FAV@xn--mnchen-3ya.example>',
    ]),
  );
  const read = await PostalMime.parse(bytes);
  expect([read.from?.address, read.to?.[0]?.address]).toEqual([envelope.from, envelope.to]);
  // With an ASCII local part no byte of the message is other than ASCII.
  const plain = await compose({ from_email: 'ann@m\u00fcnchen.example', to_email: 'bob@例え.example' });
  expect(plain.envelope).toEqual({ from: 'ann@xn--mnchen-3ya.example', to: 'bob@xn--r8jz45g.example' });
  expect(headersOf(plain.bytes)).toMatch(/^[\0-\x7f]*$/);
});

test('the longest address of another script stands whole in the header', async () => {
  const domain = [63, 63, 61].map((length) => 'd'.repeat(length)).join('.');
  const to_email = `${'é'.repeat(31)}@${domain}`;
  expect((await compose({ to_email })).bytes.toString('utf8')).toContain(`\r\nTo:\r\n ${to_email}\r\n`);
});

test('nothing in a field becomes a second recipient or another header', async () => {
  const attacks: Partial<typeof someMessage>[] = [
    { to_email: 'a@x.com, b@y.com' },
    { to_email: 'a@x.com;b@y.com' },
    { to_email: 'a@x.com\r\nBcc: b@y.com' },
    { to_email: 'A <a@x.com>' },
    { to_email: 'g: a@x.com, b@y.com;' },
    { to_email: '<a@x.com> SIZE=1' },
    { from_email: 'a@x.com, b@y.com' },
    { from_email: 'A <a@x.com>, B <b@y.com>' },
    { from_email: 'A\r\nBcc: b@y.com <a@x.com>' },
    { from_email: '"A\r\nBcc: b@y.com" <a@x.com>' },
    { subject: 'x\r\nBcc: b@y.com' },
    { subject: 'x\nBcc: b@y.com' },
  ];
  for (const attack of attacks) await expect(compose(attack)).rejects.toThrow(InvalidMessageError);
});

test('whatever a display name or subject holds, there is one sender, one recipient, and no other header', async () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(word, word, async (name, subject) => {
      const from_email = `"${name.replace(/["\\]/g, '\\$&')}" <news@example.org>`;
      const composed = await compose({ from_email, subject }).catch(() => undefined);
      if (composed === undefined) return;
      const mail = await PostalMime.parse(composed.bytes);
      expect(mail.to?.map((to) => ('address' in to ? to.address : to))).toEqual(['ada@example.com']);
      expect(mail.from?.address).toBe('news@example.org');
      const allowed = ['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type'];
      expect(mail.headers.map(({ key }) => key).filter((key) => !allowed.includes(key))).toEqual([]);
    }),
    { numRuns: usually(25, 200) },
  );
});

test('the template arrives as it was given, line ends apart', async () => {
  const lines = fc
    .array(fc.string({ unit: 'grapheme' }), { minLength: 1 })
    .map((parts) => parts.join('\n').replaceAll('\0', ''));
  const odd = fc.constantFrom(
    '日本\n'.repeat(900),
    '.\n.\n..x',
    ' trailing \n\t\n',
    '=20 = =3D',
    'x'.repeat(5_000),
    'From me\n>From',
    '--\n-- \n',
  );
  const normalised = (text: string): string => text.replace(/\r\n|\r|\n/g, '\n').trimEnd();
  await fc.assert(
    fc.asyncProperty(fc.oneof(lines, odd), async (body) => {
      const mail_template = `<i>${body}</i>`;
      expect(normalised((await parse({ mail_template })).html ?? '')).toBe(normalised(mail_template));
    }),
    { numRuns: usually(25, 200) },
  );
});

test('the text alternative is what the HTML says', async () => {
  const mail = await parse({});
  expect(mail.text?.trim().replaceAll('\r', '')).toBe('Hello\n\nGrüße, Ada https://example.org/x?a=1&b=2.');
});

test('an image alone is told by its alternative text, else by the subject', async () => {
  const textOf = async (mail_template: string) => (await parse({ mail_template })).text?.trim();
  const image =
    '<html><body><p><a><img src="https://example.org/x.png" alt="Half price until Sunday"></a></p></body></html>';
  expect(await textOf(image)).toBe('Half price until Sunday');
  expect(await textOf('<img src="https://example.org/x.png">')).toBe('Hello');
});

/** Milliseconds of processor time that this process has taken: what others do on the machine does not count. */
function taken(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

test('an ordered list whose numbers the text library cannot write does not keep the mail from being composed', async () => {
  const html = '<ol type="I" start="4000000"><li>first</li></ol>';
  const { text, html: received } = await parse({ mail_template: html });
  expect(text).toContain('first');
  expect(received?.trim()).toBe(html);
});

test('deeply nested quotes around many lines become neither a huge mail nor a long wait', async () => {
  const html = `${'<blockquote>'.repeat(99)}<pre>${'a\n'.repeat(120_000)}</pre>`;
  const begun = taken();
  const { bytes } = await compose({ mail_template: html });
  expect(bytes.length).toBeLessThan(4 * html.length);
  expect(taken() - begun).toBeLessThan(1_000);
});

test.each(['=?utf-8?Q?a=0D=0ABcc:_x@y.co?=', '=?utf-8?B?QQ==?= x', `${'=?long?= '.repeat(12)}é`])(
  'a subject and a name that look like encoded words arrive as typed: %s',
  async (subject) => {
    const { bytes } = await compose({ subject, from_email: `"${subject}" <news@example.org>` });
    const mail = await PostalMime.parse(bytes);
    expect([mail.subject, mail.from]).toMatchObject([subject.trim(), { name: subject, address: 'news@example.org' }]);
    // An encoded word in quotes is none by RFC 2047, 5 (3), and Python, Outlook and others decode it all the same.
    expect(headersOf(bytes)).not.toMatch(/"[^"]*=\?/);
    expect(headersOf(bytes)).not.toMatch(/^bcc/im);
    for (const line of headersOf(bytes).split('\r\n')) expect(line.length).toBeLessThan(998);
  },
);

test('a lone carriage return is never written raw', async () => {
  const { bytes } = await compose({ mail_template: '<p>a\r.\r\nMAIL FROM:<x@y.zz></p>' });
  expect(bytes.toString('latin1')).not.toMatch(/\r(?!\n)/);
});

const link = 'https://mail.example.com/u/1ABCDEF_-';
const listId = 'lst_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const composeToList = (name: string, message: object = {}, to = link) =>
  composeMail(
    {
      email_id: 'eml_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      requested_at: '2024-05-06T07:08:09.010Z',
      message: { ...someMessage, ...message },
      list: { id: listId, name },
    },
    { link: to },
  );

test('mail to a list says how to unsubscribe with one click, and which list it is', async () => {
  const [first, second] = [await composeToList('News'), await composeToList('News')];
  expect(first.bytes.equals(second.bytes)).toBe(true);
  const lines = headersOf(first.bytes).split('\r\n');
  expect(lines).toContain(`List-Unsubscribe: <${link}>`);
  expect(lines).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  expect(headersOf(first.bytes)).toContain(`List-ID: "News"\r\n <${listId}.mail.example.com>\r\n`);
  expect(headersOf((await compose()).bytes)).not.toMatch(/^list-/im);
});

test.each([
  ['https://mail.example.com:8443/path', 'mail.example.com'],
  ['http://127.0.0.1:3000', '127.0.0.1'],
  ['http://[::1]:3000', 'localhost'],
])('the list behind %s is one of %s', async (publicUrl, host) => {
  const { bytes } = await composeToList('News', {}, `${publicUrl}/u/1A`);
  expect(headersOf(bytes)).toContain(`<${listId}.${host}>`);
});

test('a mail to a list without its link is none', async () => {
  const request = { email_id: 'eml_1', requested_at: '2024-05-06T07:08:09.010Z', message: someMessage };
  await expect(composeMail({ ...request, list: { id: listId, name: 'News' } })).rejects.toThrow(InvalidMessageError);
});

test('whatever the name of a list holds, it arrives as it is, and there is no other header', async () => {
  const odd = fc.constantFrom(
    'a"b\\c <x@y.zz>',
    '=?utf-8?q?x?=',
    'x'.repeat(255),
    'é'.repeat(255),
    ' a  b ',
    'List: (x)',
  );
  const name = fc
    .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 }), odd)
    .filter((text) => !/[\u0000-\u001f\u007f-\u009f]/.test(text) && text.isWellFormed());
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      const { bytes } = await composeToList(text);
      const head = headersOf(bytes);
      for (const line of head.split('\r\n')) expect(line.length).toBeLessThan(200);
      const { headers } = await PostalMime.parse(bytes);
      const field = headers.find(({ key }) => key === 'list-id')?.value ?? '';
      const [, phrase = ''] = /^(.*) <lst_[0-9A-Z]{26}\.mail\.example\.com>$/s.exec(field) ?? [];
      const shown = /^".*"$/s.test(phrase) ? phrase.slice(1, -1).replace(/\\(["\\])/g, '$1') : decodeWords(phrase);
      expect(shown).toBe(text);
      const names = headers.map(({ key }) => key).filter((key) => key.startsWith('list-'));
      expect(names.sort()).toEqual(['list-id', 'list-unsubscribe', 'list-unsubscribe-post']);
      expect(head).not.toMatch(/^bcc/im);
    }),
    { numRuns: usually(50, 500) },
  );
});

test('the template names the link among its variables; without them it stays as it is', async () => {
  const mail_template = '<p>{{name}} <a href="{{unsubscribe_url}}">x</a> {{{unsubscribe_url}}}</p>';
  const { bytes } = await composeToList('News', { mail_template, variables: { name: 'R&D' } });
  expect((await PostalMime.parse(bytes)).html?.trim()).toBe(`<p>R&amp;D <a href="${link}">x</a> ${link}</p>`);
  const plain = await PostalMime.parse((await composeToList('News', { mail_template })).bytes);
  expect(plain.html?.trim()).toBe(mail_template);
});
