/** Every way a server can answer, break or hang: the exact events that follow, and how often the server got the message. */
import { expect, test } from 'vitest';
import { smtpTimings } from '../../src/mailer/smtp-session.js';
import { mailerTimings } from '../../src/mailer/timings.js';
import { openPostOffice, quickSmtp, quickTimings, smtpTransport, someMessage, typesOf } from './mailing.js';
import { startSmtp, type Behaviour } from '../support/smtp.js';

interface Case {
  readonly behaviours: readonly Behaviour[];
  readonly events: string[];
  /** Reason codes of the outcomes, in order. */
  readonly reasons: string[];
  /** Messages that reached the server whole, and those of them that it accepted. */
  readonly received: number;
  readonly accepted: number;
}

const deferredThenSent = [
  'EmailRequested',
  'EmailDispatchStarted',
  'EmailDeferred',
  'EmailDispatchStarted',
  'EmailSent',
];
const doubtThenSent = ['EmailRequested', 'EmailDispatchStarted', 'EmailInDoubt', 'EmailDispatchStarted', 'EmailSent'];
const sent = ['EmailRequested', 'EmailDispatchStarted', 'EmailSent'];
const failed = ['EmailRequested', 'EmailDispatchStarted', 'EmailFailed'];
/** Where no silence is to end an attempt, a busy machine must not end it either: the server works in this process, too. */
const patient = {
  smtp: smtpTimings,
  mailer: { ...quickTimings, attempt: mailerTimings.attempt, reply: mailerTimings.reply },
};
const quick = { smtp: quickSmtp, mailer: quickTimings };
const again = { events: deferredThenSent, received: 1, accepted: 1 };
const refused = { events: failed, reasons: ['smtp_5xx'], received: 0, accepted: 0 };
const doubtful = { events: doubtThenSent, received: 2, accepted: 1 };

const cases: readonly Case[] = [
  { behaviours: ['accept'], events: sent, reasons: ['accepted'], received: 1, accepted: 1 },
  { behaviours: ['slow'], events: sent, reasons: ['accepted'], received: 1, accepted: 1 },
  { behaviours: ['greet 421', 'accept'], ...again, reasons: ['smtp_4xx', 'accepted'] },
  { behaviours: ['greet 554', 'accept'], ...again, reasons: ['server_refused', 'accepted'] },
  { behaviours: ['mute', 'accept'], ...again, reasons: ['timeout', 'accepted'] },
  { behaviours: ['sender 451', 'accept'], ...again, reasons: ['smtp_4xx', 'accepted'] },
  { behaviours: ['recipient 450', 'accept'], ...again, reasons: ['smtp_4xx', 'accepted'] },
  { behaviours: ['recipient 530', 'accept'], ...again, reasons: ['auth_failed', 'accepted'] },
  { behaviours: ['recipient 554 5.7.1', 'accept'], ...again, reasons: ['policy', 'accepted'] },
  { behaviours: ['data 451', 'accept'], ...again, received: 2, reasons: ['smtp_4xx', 'accepted'] },
  { behaviours: ['close at recipient', 'accept'], ...again, reasons: ['connection_lost', 'accepted'] },
  { behaviours: ['close before dot', 'accept'], ...again, reasons: ['connection_lost', 'accepted'] },
  // The relay refuses us and not the recipient, with or without an enhanced code: Exim, Postfix.
  { behaviours: ['recipient 550 relay not permitted', 'accept'], ...again, reasons: ['policy', 'accepted'] },
  { behaviours: ['recipient 550 Sender verify failed', 'accept'], ...again, reasons: ['policy', 'accepted'] },
  { behaviours: ['recipient 454 4.7.1 Relay access denied', 'accept'], ...again, reasons: ['policy', 'accepted'] },
  { behaviours: ['data 530 5.7.0 Log in', 'accept'], ...again, received: 2, reasons: ['auth_failed', 'accepted'] },
  // The recipient, or the message.
  { behaviours: ['data 550 5.7.1 Spam'], ...refused, received: 1 },
  { behaviours: ['recipient 550'], events: failed, reasons: ['smtp_5xx'], received: 0, accepted: 0 },
  { behaviours: ['data 554'], events: failed, reasons: ['smtp_5xx'], received: 1, accepted: 0 },
  { behaviours: ['close after dot', 'accept'], ...doubtful, reasons: ['connection_lost', 'accepted'] },
  { behaviours: ['hang after dot', 'accept'], ...doubtful, reasons: ['timeout', 'accepted'] },
];

test.each(cases)('a server that does $behaviours', async ({ behaviours, events, reasons, received, accepted }) => {
  const smtp = await startSmtp(behaviours);
  const office = await openPostOffice();
  const timings = reasons.includes('timeout') ? quick : patient;
  const transport = smtpTransport(smtp.url, timings.smtp);
  const { reports } = office.startMailer({ transport, timings: timings.mailer });
  const { stream } = await office.request();

  const [last] = events.slice(-1);
  const found = await office.until(stream, last === 'EmailFailed' ? 'EmailFailed' : 'EmailSent');

  expect(typesOf(found)).toEqual(events);
  expect(found.flatMap(({ data }) => ('reason' in data ? [data.reason] : []))).toEqual(reasons);
  expect(smtp.messages.length).toBe(received);
  expect(smtp.messages.filter((message) => message.accepted).length).toBe(accepted);
  expect(smtp.attempts()).toBe(behaviours.length);
  for (const { to } of smtp.messages) expect(to).toEqual(['ada@example.com']);
  const [first] = smtp.messages;
  for (const { bytes } of smtp.messages) expect(bytes.equals(first?.bytes ?? Buffer.alloc(0))).toBe(true);
  expect(JSON.stringify(reports)).not.toMatch(/example\.(com|org)|Hello/);
});

test('the events are linked: correlation and request of the request, cause by cause', async () => {
  const smtp = await startSmtp(['recipient 450', 'accept']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url, patient.smtp), timings: patient.mailer });
  const { stream } = await office.request();
  const [requested, claim, deferred, secondClaim, sentEvent] = await office.until(stream, 'EmailSent');

  for (const { metadata } of [claim, deferred, secondClaim, sentEvent].flatMap((event) => event ?? []))
    expect(metadata).toMatchObject({ $correlationId: 'corr', request_id: 'req-1', actor: 'mailer' });
  expect(claim?.metadata.$causationId).toBe(requested?.id);
  expect(deferred?.metadata.$causationId).toBe(claim?.id);
  expect(secondClaim?.metadata.$causationId).toBe(deferred?.id);
  expect(sentEvent?.metadata.$causationId).toBe(secondClaim?.id);
});

test('the reply of the server is kept under message only, with a salt', async () => {
  const smtp = await startSmtp(['recipient 550']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url, patient.smtp), timings: patient.mailer });
  const { stream, email_id } = await office.request();
  const failure = (await office.until(stream, 'EmailFailed')).at(-1);
  expect(failure?.data).toEqual({
    email_id,
    attempt: 1,
    smtp_code: 550,
    reason: 'smtp_5xx',
    message: { salt: expect.stringMatching(/^[0-9a-f]{32}$/), response: expect.stringContaining('ada@example.com') },
  });
  expect(JSON.stringify(failure?.metadata)).not.toContain('example');
});

const gaveUp = ['EmailRequested', 'EmailDispatchStarted', 'EmailDeferred', 'EmailHeld'];

test.each([
  { what: 'nothing listens', url: (free: number) => `smtp://127.0.0.1:${free}`, reason: 'connection_refused' },
  { what: 'the host has no name', url: () => 'smtp://relay.invalid:25', reason: 'dns' },
])('$what: held after the time to give up, never failed', async ({ url, reason }) => {
  const smtp = await startSmtp(['accept']);
  await smtp.close();
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(url(smtp.port)), timings: { ...quickTimings, giveUp: 1 } });
  const { stream, email_id } = await office.request();
  const found = await office.until(stream, 'EmailHeld');
  expect(typesOf(found)).toEqual(gaveUp);
  expect(found.at(-2)?.data).toMatchObject({ reason });
  expect(found.at(-1)?.data).toEqual({ email_id, reason });
});

test('smtp:// to a port that speaks TLS is the setting: held, never failed', async () => {
  const smtp = await startSmtp(['accept'], { secure: true });
  const office = await openPostOffice();
  const url = smtp.url;
  office.startMailer({ transport: smtpTransport(url), timings: { ...quickTimings, giveUp: 1 } });
  const found = await office.until((await office.request()).stream, 'EmailHeld');
  expect(typesOf(found)).toEqual(gaveUp);
  expect(smtp.messages).toEqual([]);
});

test.each([
  { behaviour: 'recipient 450', end: ['EmailFailed'], reason: 'gave_up' },
  { behaviour: 'data 451', end: ['EmailFailed'], reason: 'gave_up' },
  { behaviour: 'greet 421', end: ['EmailDeferred', 'EmailHeld'], reason: 'smtp_4xx' },
  { behaviour: 'close at recipient', end: ['EmailDeferred', 'EmailHeld'], reason: 'connection_lost' },
] as const)('$behaviour for too long ends as $end', async ({ behaviour, end, reason }) => {
  const smtp = await startSmtp([behaviour]);
  const office = await openPostOffice();
  const timings = { ...patient.mailer, giveUp: 1 };
  office.startMailer({ transport: smtpTransport(smtp.url, patient.smtp), timings });
  const found = await office.until((await office.request()).stream, end.at(-1) ?? 'EmailHeld');
  expect(typesOf(found).slice(2)).toEqual(end);
  expect(found.at(-1)?.data).toMatchObject({ reason });
});

test('what the server refuses by policy is held after the time to give up, and tried anew when it is released', async () => {
  const smtp = await startSmtp(['recipient 554 5.7.1', 'recipient 554 5.7.1', 'recipient 450', 'accept']);
  const office = await openPostOffice();
  const giveUp = { ...patient.mailer, giveUp: 1 };
  const first = office.startMailer({ transport: smtpTransport(smtp.url, patient.smtp), timings: giveUp });
  const { stream, email_id } = await office.request();
  const found = await office.until(stream, 'EmailHeld');
  expect(found.at(-1)?.data).toEqual({ email_id, reason: 'policy' });
  expect(found.at(-2)?.data).toMatchObject({ reason: 'policy', smtp_code: 554, enhanced_code: '5.7.1' });
  expect(typesOf(found)).not.toContain('EmailFailed');
  await first.mailer.close();

  office.startMailer({ transport: smtpTransport(smtp.url, patient.smtp), timings: { ...giveUp, giveUp: 60_000 } });
  await office.execute(stream, { type: 'ReleaseEmail', next_attempt_at: new Date().toISOString() });
  expect(typesOf(await office.until(stream, 'EmailSent'))).not.toContain('EmailFailed');
});

test('wrong credentials lose no mail: it waits for the operator', async () => {
  const smtp = await startSmtp(['auth 535', 'accept']);
  const office = await openPostOffice();
  const url = smtp.url.replace('//', '//me%40x:p%3Aw@');
  office.startMailer({ transport: smtpTransport(url, patient.smtp), timings: patient.mailer });
  const { stream } = await office.request();
  const found = await office.until(stream, 'EmailSent');
  expect(typesOf(found)).toEqual(deferredThenSent);
  expect(found[2]?.data).toMatchObject({ reason: 'auth_failed', smtp_code: 535 });
  expect(smtp.logins).toEqual(Array(2).fill({ user: 'me@x', pass: 'p:w' }));
});

test('a message of the largest size arrives whole', async () => {
  const smtp = await startSmtp(['accept']);
  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(smtp.url, patient.smtp), timings: patient.mailer });
  const line = '<p>. A line that begins with a dot follows, and ümlauts.</p>\n.\n..\n';
  const mail_template = line.repeat(Math.floor((512 * 1024) / Buffer.byteLength(line)));
  const { stream } = await office.request({ ...someMessage, mail_template });
  await office.until(stream, 'EmailSent');
  expect(smtp.messages.length).toBe(1);
  expect(smtp.messages[0]?.bytes.length).toBeGreaterThan(512 * 1024);
});

test('a local part of another script is sent with SMTPUTF8, and fails at once where the server does not offer it', async () => {
  const to_email = 'Jürgen@München.example';
  const wire = 'Jürgen@xn--mnchen-3ya.example';
  const able = await startSmtp(['accept']);
  const unable = await startSmtp(['accept'], { hideSMTPUTF8: true });

  const office = await openPostOffice();
  office.startMailer({ transport: smtpTransport(able.url) });
  const first = await office.request({ to_email });
  await office.until(first.stream, 'EmailSent');
  // The server in the test reads the domain back into Unicode.
  expect(able.messages).toMatchObject([{ to: ['Jürgen@münchen.example'], utf8: true }]);
  expect(able.messages[0]?.bytes.toString('utf8')).toContain(`\r\nTo: ${wire}\r\n`);

  const other = await openPostOffice();
  other.startMailer({ transport: smtpTransport(unable.url) });
  const second = await other.request({ to_email });
  const failed = await other.until(second.stream, 'EmailFailed');
  expect(failed.at(-1)?.data).toEqual({ email_id: second.email_id, attempt: 1, reason: 'smtputf8' });
  // The domain alone needs nothing of the server.
  const third = await other.request({ to_email: 'ann@München.example' });
  await other.until(third.stream, 'EmailSent');
  expect(unable.messages).toMatchObject([{ to: ['ann@münchen.example'], utf8: false }]);
});
