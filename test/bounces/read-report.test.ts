/** What is read of reports: those of real mail servers, every form of the fields, and what nobody should send. */
import { describe, expect, test } from 'vitest';
import { readReport } from '../../src/bounces/read-report.js';
import { someReport, type SomeReport } from './some-reports.js';

const read = (text: string) => readReport(Buffer.from(text));

test.each([
  ['postfix-gone', 'hard', '5.1.1', /^550-5\.1\.1 <gone@example\.net>: Recipient address rejected: 550 5\.1\.1 User/],
  ['postfix-unknown-here', 'hard', '5.1.1', /^unknown user: "unknown-user"$/],
  ['postfix-policy', 'policy', '5.7.1', /^550 5\.7\.1 Message rejected: the DKIM signature is not valid$/],
  ['postfix-full', 'full', '5.2.2', /^552 5\.2\.2 <full@example\.net>: The mailbox is full$/],
  ['postfix-without-code', 'hard', '5.0.0', /^550 No such user here$/],
  ['postfix-utf8', 'policy', '5.6.7', /^SMTPUTF8 is required, but was not offered by host/],
  ['exim-gone', 'hard', '5.1.1', /^550-5\.1\.1 <gone@example\.net>/],
  ['exim-unknown-here', 'other', '5.0.0', undefined],
  ['exim-policy', 'policy', '5.7.1', /^550 5\.7\.1 Message rejected/],
] as const)('%s: a %s bounce, %s', async (name, kind, enhanced_code, diagnostic) => {
  const report = await read(someReport(name));
  const [emailId] = /eml_\w{26}/.exec(someReport(name)) ?? [];
  expect(report).toMatchObject({ type: 'bounce', kind, enhanced_code, envelopeId: emailId });
  expect(report?.messageId).toBe(`<${emailId}@example.com>`);
  expect(report?.type === 'bounce' ? (report.diagnostic ?? '') : '').toMatch(diagnostic ?? /^$/);
});

test('a complaint, with the envelope sender that the provider saw', async () => {
  expect(await read(someReport('abuse'))).toMatchObject({
    type: 'complaint',
    senders: ['<bounce+eml_01M85MXX1RXA5BZYA04KQ583S8.f2alljtqjvdjmazr@mail.example.com>'],
    messageId: '<eml_01M85MXX1RXA5BZYA04KQ583S8@example.com>',
  });
});

test('only abuse, fraud and the wish to get no more are complaints', async () => {
  const of = async (type: string) =>
    (await read(someReport('abuse').replace('Feedback-Type: abuse', `Feedback-Type: ${type}`)))?.type;
  for (const type of ['abuse', 'Fraud', 'opt-out', 'opt-out-list']) expect(await of(type), type).toBe('complaint');
  for (const type of ['not-spam', 'auth-failure', 'virus', 'other', '']) expect(await of(type), type).toBeUndefined();
});

test('a feedback report that is not a complaint is not read as one of Microsoft without a feedback report', async () => {
  const header = 'From: staff@hotmail.com\nSubject: complaint about message from 192.0.2.9\n';
  const report =
    header +
    someReport('abuse')
      .replace(/^From: .*\n/m, '')
      .replace(/^Subject: .*\n/m, '');
  expect(await read(report)).toMatchObject({ type: 'complaint' });
  expect(await read(report.replace('Feedback-Type: abuse', 'Feedback-Type: not-spam'))).toBeUndefined();
});

describe('of the delivery', () => {
  const gone = someReport('postfix-gone');
  const withFields = (fields: string) =>
    read(gone.replace(/^Action: failed\nStatus: .*\nRemote-MTA[^]*?\n\n/m, `${fields}\n\n`));
  const codeOf = async (fields: string) => {
    const report = await withFields(fields);
    return report?.type === 'bounce' ? [report.kind, report.enhanced_code] : undefined;
  };
  const isPermanent = async (fields: string) => {
    const report = await withFields(fields);
    return report?.type === 'bounce' && report.isPermanent;
  };

  test('what is delayed, delivered, relayed or expanded is no failure', async () => {
    for (const action of ['delayed', 'delivered', 'relayed', 'expanded', 'unfailed', ''])
      expect(await withFields(`Action: ${action}\nStatus: 4.4.7`), action).toBeUndefined();
  });

  test('reads the status in every form, and ignores an invalid status', async () => {
    expect(await codeOf('Action: failed\nStatus: 4.4.7')).toEqual(['other', '4.4.7']);
    expect(await isPermanent('Action: failed\nStatus: 4.4.7')).toBe(false);
    expect(await isPermanent('Action: failed')).toBe(true);
    expect(await codeOf('Action: FAILED (gave up)\nStatus: 5.1.10 (null MX)')).toEqual(['hard', '5.1.10']);
    expect(await codeOf('action:failed\nSTATUS:5.2.1')).toEqual(['hard', '5.2.1']);
    expect(await codeOf('Action: failed')).toEqual(['other', undefined]);
    for (const status of ['2.0.0', '5', '5.1', '5.1.1.1', '51.1.1', 'five'])
      expect(await codeOf(`Action: failed\nStatus: ${status}`), status).toEqual(['other', undefined]);
  });

  test('records the code of the quoted reply, unless it says less than the status or is of another class', async () => {
    const code = (status: string, reply: string) => codeOf(`Action: failed${status}\nDiagnostic-Code: ${reply}`);
    expect(await code('\nStatus: 5.0.0', 'smtp; 550 5.1.1 unknown')).toEqual(['hard', '5.1.1']);
    expect(await code('', 'SMTP;550-5.2.1 disabled')).toEqual(['hard', '5.2.1']);
    expect(await code('', 'smtp; 451 4.3.0 later')).toEqual(['other', '4.3.0']);
    expect(await code('\nStatus: 5.1.1', 'smtp; 550 5.7.1 blocked')).toEqual(['policy', '5.7.1']);
    expect(await code('\nStatus: 5.7.1', 'smtp; 550 5.1.1 unknown')).toEqual(['hard', '5.1.1']);
    expect(await code('\nStatus: 5.1.1', 'smtp; 550 5.0.0 no')).toEqual(['hard', '5.1.1']);
    expect(await code('\nStatus: 4.0.0', 'smtp; 550 5.1.1 unknown')).toEqual(['other', '4.0.0']);
    expect(await code('\nStatus: 5.0.0', 'smtp; user 5.1.1 unknown')).toEqual(['other', '5.0.0']);
  });

  test('reads the reply in X-Supplementary-Info', async () => {
    const supplement = 'X-Supplementary-Info: <mx.example.net #5.0.0 smtp; 550 5.1.1 unknown>';
    const failed = 'Action: failed\nStatus: 5.0.0';
    expect(await codeOf(`${failed}\n${supplement}`)).toEqual(['hard', '5.1.1']);
    expect(await withFields(`${failed}\n${supplement}`)).toMatchObject({ diagnostic: '550 5.1.1 unknown' });
    expect(await codeOf(`${failed}\nDiagnostic-Code: smtp; 550 no\n${supplement}`)).toEqual(['hard', '5.1.1']);
    expect(await codeOf(`${failed}\nX-Supplementary-Info: <mx.example.net #5.0.0 550 No such user>`)).toEqual([
      'hard',
      '5.0.0',
    ]);
    expect(await codeOf(`${failed}\n${supplement.replace('5.1.1 unknown', '5.7.1 blocked')}`)).toEqual([
      'policy',
      '5.7.1',
    ]);
    expect(await codeOf(`${failed}\n${supplement.replace('#5.0.0 smtp; 550 5.1.1', '#5.1.1 smtp; 550')}`)).toEqual([
      'hard',
      '5.1.1',
    ]);
    const other = await withFields(`${failed}\n${supplement.replace('unknown', 'no ada here')}`);
    expect(other?.digest).toBe((await withFields(failed))?.digest);
  });

  test('reads the comment of the status if no reply is quoted', async () => {
    expect(await codeOf('Action: failed\nStatus: 5.4.4 (Illegal host/domain name found)')).toEqual(['hard', '5.4.4']);
    expect(await codeOf('Action: failed\nStatus: 5.0.0 (recipient reached disk quota)')).toEqual(['full', '5.0.0']);
    expect(await codeOf('Action: failed\nStatus: 5.4.4 (unable to route')).toEqual(['other', '5.4.4']);
  });

  test('of several recipients the one that failed counts; of several fields of a name the first', async () => {
    const two =
      'Action: delayed\nStatus: 4.4.1\n\nFinal-Recipient: rfc822; b@example.net\nAction: failed\nStatus: 5.1.1';
    expect(await codeOf(two)).toEqual(['hard', '5.1.1']);
    expect(await codeOf('Action: failed\nStatus: 5.7.1\nStatus: 5.1.1')).toEqual(['policy', '5.7.1']);
  });

  test('the words are cut, and hold no control characters', async () => {
    const report = await withFields(
      `Action: failed\nDiagnostic-Code: smtp; 550 a\u0000b\tc\n \u0007${'d'.repeat(3_000)}`,
    );
    expect(report).toMatchObject({ diagnostic: `550 a b c ${'d'.repeat(990)}` });
  });
});

test('a report is the same in other line ends, after From_ and below other headers', async () => {
  for (const name of ['postfix-gone', 'exim-gone', 'abuse'] as const) {
    const text = someReport(name);
    const one = await read(text);
    for (const other of [
      text.replaceAll('\n', '\r\n'),
      `From MAILER-DAEMON Tue Nov 24 02:08:02 2026\n${text}`,
      `Received: from elsewhere\nDelivered-To: bounce@mail.example.com\n${text}`,
    ])
      expect(await read(other)).toEqual(one);
  }
});

test('what is cut off after its part for machines is read', async () => {
  const text = someReport('postfix-gone');
  expect(
    await read(text.slice(0, text.indexOf('--80E38C7841F', text.indexOf('User unknown in virtual mailbox table\n')))),
  ).toMatchObject({
    enhanced_code: '5.1.1',
  });
});

test('a part in base64 is read, prose is not', async () => {
  const status =
    'Reporting-MTA: dns; a.example\n\nFinal-Recipient: utf-8; j\\x{FC}rgen@example.net\nAction: failed\nStatus: 5.1.1\n';
  const mail = (type: string, encoding: string, body: string): string =>
    `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n--b--\n`;
  const base64 = Buffer.from(status).toString('base64');
  expect(await read(mail('message/global-delivery-status', 'base64', base64))).toMatchObject({
    enhanced_code: '5.1.1',
  });
  expect(await read(mail('Message/Delivery-Status; charset=us-ascii', '7bit', status))).toMatchObject({ kind: 'hard' });
  for (const type of ['text/plain', 'text/html', 'application/octet-stream', 'message/rfc822'])
    expect(await read(mail(type, '7bit', status)), type).toBeUndefined();
  expect(
    await read(`Subject: Undelivered\n\n550 5.1.1 user unknown\nmessage/delivery-status\n${status}`),
  ).toBeUndefined();
});

describe('a report inside a message', () => {
  const forwarded = (content: string, type = 'message/rfc822', encoding = '7bit'): string =>
    `Subject: Fwd\nContent-Type: multipart/mixed; boundary=o${content.length}\n\n--o${content.length}\n` +
    `Content-Type: text/plain\n\nsee below\n--o${content.length}\n` +
    `Content-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${content}\n--o${content.length}--\n`;
  const gone = someReport('postfix-gone');

  test('is read like the report itself, at most three levels deep', async () => {
    const one = await read(gone);
    expect(one).toMatchObject({ kind: 'hard', messageId: expect.stringContaining('<eml_') as string });
    expect(await read(forwarded(gone))).toEqual(one);
    expect(await read(forwarded(gone, 'message/global'))).toEqual(one);
    expect(await read(forwarded(Buffer.from(gone).toString('base64'), 'message/rfc822', 'base64'))).toEqual(one);
    expect(await read(forwarded(forwarded(forwarded(gone))))).toEqual(one);
    expect(await read(forwarded(forwarded(forwarded(forwarded(gone)))))).toBeUndefined();
    expect(await read(forwarded(someReport('abuse')))).toEqual(await read(someReport('abuse')));
  });

  test('is not looked for in the email that a report returns', async () => {
    const [returned = ''] = /^Content-Type: message\/rfc822\n[^]*?\n\n/m.exec(forwarded(gone)) ?? [];
    const delayed =
      'Content-Type: multipart/report; boundary=d\n\n--d\nContent-Type: message/delivery-status\n\n' +
      `Reporting-MTA: dns; mx.example.net\n\nAction: delayed\nStatus: 4.4.1\n\n--d\n${returned}${gone}\n--d--\n`;
    expect(await read(delayed)).toBeUndefined();
    expect(await read(delayed.replace('Action: delayed', 'Action: failed'))).toMatchObject({ enhanced_code: '4.4.1' });
  });

  test('is read soon, however many messages are attached', async () => {
    const many = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: message/rfc822\n\n'.repeat(1_600)}`;
    const began = performance.now();
    expect(await read(`${many}${many.replaceAll('b', 'c')}`)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

const megabyte = (piece: string): string => piece.repeat(Math.ceil((1024 * 1024) / piece.length));
const multipart = 'Content-Type: multipart/report; boundary=b\n\n';
const claim = 'X-Claim: message/delivery-status\n';

test.each(
  Object.entries({
    'nothing at all': '',
    'no message': '\u0000\u0001\u0002',
    'a mail of its own': 'Subject: hello\n\nI am on holiday: message/delivery-status',
    'deep nesting':
      claim +
      Array.from({ length: 10_000 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`).join(
        '',
      ),
    'many parts': multipart + megabyte('--b\nContent-Type: message/delivery-status\n\nAction\n'),
    'many empty lines': `${claim}${multipart}--b\n\n${megabyte('\n')}`,
    'many headers': claim + megabyte('X-A: b\n'),
    'one long header': `${claim}X-A: ${megabyte('a')}`,
    'a long list of recipients': `${claim}To: ${megabyte('a:;')}`,
    'a long fold': `${claim}X-A: ${megabyte('a\n ')}`,
    'many quotes': `${claim}From: ${megabyte('"')}`,
    'flowed text': `${claim}Content-Type: text/plain; format=flowed\n\n${megabyte('> \n')}`,
    'broken markup': `${claim}Content-Type: text/html\n\n${megabyte('<a href="')}`,
    'a mail with endless mention of Microsoft': `From: ${megabyte('staff@hotmail.com ')}`,
    'fields without end':
      `${multipart}--b\nContent-Type: message/delivery-status\n\nAction: ${megabyte('failed ')}`.replace(
        'Action: failed',
        'Action: none',
      ),
  }),
)('%s is no report, and that is known soon', async (_, text) => {
  const began = performance.now();
  expect(await read(text)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1_500);
});

test('a report with a long run of spaces is read soon', async () => {
  const began = performance.now();
  const text = someReport('postfix-gone').replace('Action: failed', `Action: failed\nX-A: ${' '.repeat(900_000)}b`);
  expect(await read(text)).toMatchObject({ type: 'bounce', enhanced_code: '5.1.1' });
  expect(performance.now() - began).toBeLessThan(1_500);
});

/** HTML that the library converts to text in seconds, and in minutes if it is three times as long. */
const cubicHtml = `<a ${'href=x'.repeat(1_000)}`;

test('HTML in a report is never rendered', async () => {
  const text = someReport('postfix-gone');
  const [boundary = ''] = /^--80E38C7841F.*$/m.exec(text) ?? [];
  const withHtml = text.replace(boundary, `${boundary}\nContent-Type: text/html\n\n${cubicHtml}\n\n${boundary}`);
  const began = process.threadCpuUsage();
  expect(await read(withHtml)).toMatchObject({ enhanced_code: '5.1.1' });
  expect(process.threadCpuUsage(began).user).toBeLessThan(500_000);
});

test('no cut and no broken byte of a report makes reading it fail', async () => {
  const names: readonly SomeReport[] = ['postfix-gone', 'exim-gone', 'abuse', 'postfix-utf8'];
  for (const name of names) {
    const bytes = Buffer.from(someReport(name));
    for (let at = 0; at < bytes.length; at += 37) {
      await readReport(bytes.subarray(0, at));
      const broken = Buffer.from(bytes);
      broken[at] = 0xff;
      await readReport(broken);
    }
  }
});
