/** Taking a report that dies half way: what is missing is written by the repeat, and nothing twice. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readReport, type MailReport } from '../../src/bounces/read-report.js';
import { createReports } from '../../src/bounces/take-report.js';
import type { EmailCommand } from '../../src/commands/email.js';
import { JobLimitError } from '../../src/flow/limited-thread.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { proofOf } from '../../src/events/email-proof.js';
import { returnPathOf } from '../../src/events/return-path.js';
import { openPostOffice, typesOf } from '../mailer/mailing.js';
import { reportOf, type SomeReport } from './some-reports.js';

const keys = deriveStreamKeys('a secret');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'mta' };

async function desk(read: (bytes: Uint8Array) => Promise<MailReport | undefined> = readReport) {
  const { store, handler, execute, events, request } = await openPostOffice();
  const said: string[] = [];
  let dies: EmailCommand['type'] | 'gone' | undefined;
  const dieAt = (step: typeof dies): void => void (dies = step);
  const diesHere = (step: typeof dies): void => {
    if (dies !== step) return;
    dies = undefined;
    throw new Error('killed');
  };
  const reports = createReports({
    reader: store,
    reportReader: { run: read },
    keys,
    emails: {
      ...handler,
      async execute(asked) {
        diesHere(asked.command.type);
        return await handler.execute(asked);
      },
    },
    async onBounce({ address }, bounce) {
      diesHere('gone');
      said.push(`${bounce} ${address}`);
    },
    isToBeErased: () => Promise.resolve(false),
    refusals: {
      async refuse({ scope, email }) {
        said.push(`complaint ${scope} ${email}`);
      },
    },
  });
  const { email_id, stream } = await request();
  await execute(stream, {
    ...{ type: 'StartDispatch', run_id: randomUUID() },
    ...{ now: new Date().toISOString(), deadline: new Date(Date.now() + 60_000).toISOString() },
  });
  const recipient = returnPathOf(email_id, 'bounce@mail.example.com', keys.returnPathMac);
  const proof = proofOf(email_id, keys.emailHeaderMac);
  const takeText = (text: string, to: string) =>
    reports.take({ recipient: to, bytes: Buffer.from(text), streamOf: async () => stream }, context);
  const take = (name: SomeReport, to = recipient) => takeText(reportOf(name, email_id), to);
  const types = async () => typesOf(await events(stream)).slice(2);
  const { counts, overLimit } = reports;
  return { take, takeText, dieAt, said, email_id, recipient, proof, types, counts, overLimit };
}

test('killed before mail stops, or before the bounce is recorded', async () => {
  const { take, dieAt, said, types, counts } = await desk();
  dieAt('gone');
  await expect(take('postfix-gone')).rejects.toThrow('killed');
  expect([said, await types()]).toEqual([[], []]);
  dieAt('RecordBounce');
  await expect(take('postfix-gone')).rejects.toThrow('killed');
  expect([said, await types()]).toEqual([['gone ada@example.com'], []]);
  expect(await take('postfix-gone')).toMatchObject({ outcome: 'bounced', verified: true });
  expect(await take('postfix-gone')).toMatchObject({ outcome: 'known' });
  expect([said, await types()]).toEqual([['gone ada@example.com', 'gone ada@example.com'], ['EmailBounced']]);
  expect(counts()).toMatchObject({ bounced: 1, complained: 0, known: 1, ignored: 0, unmatched: 0 });
});

test('of two at once one is recorded', async () => {
  const { take, types } = await desk();
  const outcomes = await Promise.all([take('postfix-gone'), take('postfix-gone'), take('abuse'), take('abuse')]);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['bounced', 'complained', 'known', 'known']);
  expect((await types()).sort()).toEqual(['EmailBounced', 'EmailComplained']);
});

test('a complaint about mail without a list is about all mail', async () => {
  const { take, said } = await desk();
  expect(await take('abuse')).toMatchObject({ outcome: 'complained', verified: true });
  expect(said).toEqual(['complaint all ada@example.com']);
});

test('a report that exceeds a limit is ignored and counted', async () => {
  for (const limit of ['time', 'memory'] as const) {
    const { take, types, counts, overLimit } = await desk(() => Promise.reject(new JobLimitError(limit)));
    const ignored = { outcome: 'ignored', emailId: null, verified: false };
    expect(await take('postfix-gone')).toMatchObject(ignored);
    expect(await take('postfix-gone')).toMatchObject(ignored);
    expect([counts().ignored, overLimit()]).toEqual([2, { time: 0, memory: 0, [limit]: 2 }]);
    expect(await types()).toEqual([]);
  }
});

test('a report to a return path without a valid MAC is ignored without being parsed', async () => {
  let parsed = 0;
  const { take, recipient } = await desk((bytes) => {
    parsed += 1;
    return readReport(bytes);
  });
  const forged = recipient.replace(/\.[a-z2-7]{16}@/, '.aaaaaaaaaaaaaaaa@');
  expect(await take('postfix-gone', forged)).toMatchObject({ outcome: 'ignored', emailId: null, verified: false });
  expect(parsed).toBe(0);
  expect(await take('postfix-gone', 'bounce@mail.example.com')).toMatchObject({ outcome: 'unverified' });
});

test('an unverified report stops no mail', async () => {
  const { take, said, types } = await desk();
  expect(await take('postfix-gone', 'bounce@mail.example.com')).toMatchObject({ outcome: 'unverified' });
  expect([said, await types()]).toEqual([[], ['EmailBounced']]);
});

const bounceOf = (recipient: string, returned: string, fields = 'Status: 5.1.1') => `From: MAILER-DAEMON@mx.example.net
To: ${recipient}
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.com
Action: failed
${fields}

--b
Content-Type: message/rfc822

${returned}
Subject: s

x
--b--
`;
const foreignId = 'Message-ID: <0100abc-000000@email.relay.example>';
const verified = (outcome: string) => ({ outcome, verified: true });
const unverified = { outcome: 'unverified', verified: false };

test('a bounce of a relay that replaced the return path and the Message-ID is matched by X-Audience-Email', async () => {
  const { takeText, said, recipient, proof, types } = await desk();
  const text = (header: string) => bounceOf(recipient, `${foreignId}\n${header}`);
  expect(await takeText(text(`x-audience-email:\n ${proof}`), 'news@example.com')).toMatchObject(verified('bounced'));
  expect([said, await types()]).toEqual([['gone ada@example.com'], ['EmailBounced']]);
});

test('a bounce without a valid MAC is recorded as unverified and changes nothing', async () => {
  for (const header of ['X-Other: 1', 'bad MAC', 'return path as the header']) {
    const { takeText, said, email_id, recipient, proof } = await desk();
    const headers: Record<string, string> = {
      'bad MAC': `X-Audience-Email: ${proof.slice(0, -1)}${proof.endsWith('a') ? 'b' : 'a'}`,
      'return path as the header': `X-Audience-Email: ${recipient.replace(/^bounce\+|@.*$/g, '')}`,
    };
    const text = bounceOf(recipient, `${foreignId}\n${headers[header] ?? header}`);
    const emailId = email_id;
    expect(await takeText(text, 'news@example.com'), header).toMatchObject({ ...unverified, emailId });
    expect(said).toEqual([]);
  }
});

test('the return path that a delivered email names proves nothing about a bounce of its forwarder', async () => {
  const { takeText, said, recipient } = await desk();
  const text = bounceOf('news@example.com', `Return-Path: <${recipient}>\n${foreignId}`);
  expect(await takeText(text, 'news@example.com')).toMatchObject({ outcome: 'unmatched' });
  expect(said).toEqual([]);
});

test('an unclear and a soft bounce are counted, each with the address', async () => {
  const { takeText, said, recipient } = await desk();
  await takeText(bounceOf(recipient, foreignId, 'Status: 5.3.0'), recipient);
  await takeText(bounceOf(recipient, foreignId, 'Status: 4.4.7'), recipient);
  expect(said).toEqual(['unclear ada@example.com', 'soft ada@example.com']);
});

/** A feedback report with as little as Microsoft writes, about an email with this header. */
const sparseReport = (header: string) => `From: fbl@isp.example
To: fbl@example.com
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="f"

--f
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: JMRP/1.0
Version: 1

--f
Content-Type: message/rfc822

${header}
Subject: s

x
--f--
`;
/** A complaint of Microsoft that has no feedback report. */
const forwardedEmail = (header: string, from = 'staff@hotmail.com') => `From: ${from}
To: fbl@example.com
Subject: complaint about message from 192.0.2.9
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="j"

--j
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: ada@example.com
${header}
Subject: s

x
--j--
`;

test('a complaint from Microsoft is matched by the envelope sender of the email or by X-Audience-Email', async () => {
  for (const form of [sparseReport, forwardedEmail])
    for (const headerOf of [
      (about: Desk) => `X-Audience-Email: ${about.proof}`,
      (about: Desk) => `Return-Path: <${about.recipient}>`,
      (about: Desk) => `Authentication-Results: mx.example; spf=pass smtp.mailfrom=${about.recipient};\n dkim=none`,
      (about: Desk) =>
        `Authentication-Results: none\nAuthentication-Results: spf=pass\n smtp.mailfrom="${about.recipient.toUpperCase()}"`,
    ]) {
      const about = await desk();
      const text = form(`${headerOf(about)}\n${foreignId}`);
      expect(await about.takeText(text, 'fbl@example.com'), text).toMatchObject({
        ...verified('complained'),
        emailId: about.email_id,
      });
      expect(about.said).toEqual(['complaint all ada@example.com']);
      expect(await about.takeText(text, 'fbl@example.com')).toMatchObject({ outcome: 'known' });
    }
});

test('a complaint from Microsoft without a valid MAC is recorded as unverified and changes nothing', async () => {
  for (const form of [sparseReport, forwardedEmail]) {
    const { takeText, said, email_id, types } = await desk();
    const text = form(`Message-ID: <${email_id}@example.com>`);
    expect(await takeText(text, 'fbl@example.com')).toMatchObject({ ...unverified, emailId: email_id });
    expect([said, await types()]).toEqual([[], ['EmailComplained']]);
  }
});

test('an email that a person forwards as an attachment is not a complaint', async () => {
  const { takeText, said, types, recipient, proof } = await desk();
  const header = `X-Audience-Email: ${proof}\nReturn-Path: <${recipient}>`;
  for (const text of [
    forwardedEmail(header, 'Ada <ada@hotmail.com>'),
    forwardedEmail(header, '"staff@hotmail.com" <ada@example.com>'),
    forwardedEmail(header)
      .replace(/^Subject: complaint.*$/m, 'Subject: Fwd: s')
      .replace(/^X-HmXmr.*\n/m, ''),
    forwardedEmail(header).replace('Content-Type: message/rfc822', 'Content-Type: text/plain'),
  ])
    for (const to of ['fbl@example.com', recipient])
      expect(await takeText(text, to), text).toMatchObject({ outcome: 'ignored' });
  expect([said, await types()]).toEqual([[], []]);
});

type Desk = Awaited<ReturnType<typeof desk>>;
