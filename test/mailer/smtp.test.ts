/** The SMTP transport by itself: what is certain when a connection breaks, and that it keeps its deadlines. */
import { expect, test } from 'vitest';
import { createSmtpTransport } from '../../src/mailer/smtp.js';
import { replyOf } from '../../src/mailer/smtp-outcome.js';
import { smtpTimings } from '../../src/mailer/smtp-session.js';
import { parseSmtpUrl } from '../../src/mailer/smtp-url.js';
import { mailerTimings } from '../../src/mailer/timings.js';
import type { Mail, SendLimits } from '../../src/mailer/transport.js';
import { quickSmtp, smtpTransport } from './mailing.js';
import { startScriptedSmtp, usually } from './scripted-smtp.js';
import { startSmtp, type Behaviour } from '../support/smtp.js';

const mail = (bytes = Buffer.from('Subject: x\r\n\r\nbody\r\n')): Mail => ({
  email_id: 'eml_1',
  envelope: { from: 'news@example.org', to: 'ada@example.com' },
  bytes,
});
const limits = (change: Partial<SendLimits> = {}): SendLimits => ({
  mayHandOver: () => true,
  handOverWithin: 2_000,
  closeWithin: 3_000,
  signal: new AbortController().signal,
  ...change,
});
/** More than the kernel takes off our hands on its own. */
const huge = Buffer.alloc(48 * 1024 * 1024, 'x'.repeat(70) + '\r\n');

test('whose fault a refusal is: the relay and our settings never make an e-mail fail', async () => {
  const smtp = await startSmtp(['accept']);
  const transport = smtpTransport(smtp.url, smtpTimings);
  const verdicts: readonly (readonly [Behaviour, string])[] = [
    // Us: relaying, the sender, our name, a login.
    ['sender 550 Sender verify failed', 'deferred policy envelope'],
    ['sender 550 5.1.7 Bad address', 'deferred policy envelope'],
    ['sender 553 5.1.8 No such domain', 'deferred policy envelope'],
    ['recipient 550 Sender verify failed', 'deferred policy recipient'],
    ['recipient 550 5.1.8 Sender address rejected: Domain not found', 'deferred policy recipient'],
    ['recipient 550 relay not permitted', 'deferred policy recipient'],
    ['recipient 554 5.7.1 Client host rejected: Access denied', 'deferred policy recipient'],
    ['recipient 454 4.7.1 Relay access denied', 'deferred policy recipient'],
    ["recipient 553 sorry, that domain isn't in my list of allowed rcpthosts", 'deferred policy recipient'],
    ['recipient 504 5.5.2 Helo command rejected: need fully-qualified hostname', 'deferred policy recipient'],
    ['recipient 503 Bad sequence of commands', 'deferred server_refused recipient'],
    ['recipient 550 Authentication required', 'deferred policy recipient'],
    ['data 530 5.7.0 Must log in first', 'deferred auth_failed data'],
    ['sender 450 4.1.8 Sender address rejected: Domain not found', 'deferred policy envelope'],
    // For now.
    ['sender 451 Try later', 'deferred smtp_4xx envelope'],
    ['recipient 451 4.7.1 Greylisting in action', 'deferred smtp_4xx recipient'],
    ['data 451 Try later', 'deferred smtp_4xx data'],
    // The recipient, or the message; an address in the text is no word about us.
    ['sender 552 5.3.4 Too large', 'failed smtp_5xx envelope'],
    ['recipient 550 No such user', 'failed smtp_5xx recipient'],
    ['recipient 550 No such user: relay@sender.example', 'failed smtp_5xx recipient'],
    ['recipient 550 5.1.1 User unknown in relay recipient table', 'failed smtp_5xx recipient'],
    ['recipient 550 User unknown in relay recipient table', 'failed smtp_5xx recipient'],
    ['recipient 550 5.5.0 mailbox unavailable', 'failed smtp_5xx recipient'],
    ['recipient 501 malformed address', 'failed smtp_5xx recipient'],
    ['recipient 552 5.2.2 Over quota', 'failed smtp_5xx recipient'],
    ['recipient 550 5.7.17 Mailbox owner has changed', 'failed smtp_5xx recipient'],
    ['data 550 5.7.1 Looks like spam', 'failed smtp_5xx data'],
    ['data 550 5.7.26 Fails DMARC', 'failed smtp_5xx data'],
  ];
  for (const [behaviour, verdict] of verdicts) {
    smtp.behave(behaviour);
    const { status, ...outcome } = await transport.send(mail(), limits());
    const words = 'stage' in outcome ? [status, outcome.reason, outcome.stage] : [status];
    expect(words.join(' '), behaviour).toBe(verdict);
  }
  transport.close();
});

test('a connection that breaks within the body is deferred: the dot was never given away', async () => {
  const smtp = await startSmtp(['close within body']);
  expect(await smtpTransport(smtp.url).send(mail(huge), limits())).toEqual({
    status: 'deferred',
    reason: 'connection_lost',
    stage: 'data',
  });
  expect(smtp.messages).toEqual([]);
});

test('a body that cannot be handed over in time is not handed over at all', async () => {
  const smtp = await startSmtp(['close within body']);
  const before = performance.now();
  const outcome = await smtpTransport(smtp.url).send(mail(huge), limits({ handOverWithin: 150 }));
  expect(outcome).toEqual({ status: 'deferred', reason: 'timeout', stage: 'data' });
  expect(performance.now() - before).toBeLessThan(1_000);
});

test('the clocks are asked right before the final dot, because timers may be late', async () => {
  const smtp = await startSmtp(['accept']);
  const outcome = await smtpTransport(smtp.url).send(mail(), limits({ mayHandOver: () => false }));
  expect(outcome).toEqual({ status: 'deferred', reason: 'timeout', stage: 'data' });
  expect(smtp.messages).toEqual([]);
});

test('the connection is gone before others may judge the attempt', async () => {
  const smtp = await startSmtp(['hang after dot']);
  const transport = smtpTransport(smtp.url, { ...quickSmtp, reply: 60_000 });
  const before = performance.now();
  expect(await transport.send(mail(), limits({ closeWithin: 300 }))).toEqual({ status: 'in_doubt', reason: 'timeout' });
  expect(performance.now() - before).toBeLessThan(1_000);
});

test('the wait for the reply to the dot is longer than the silence allowed before it', async () => {
  const smtp = await startSmtp(['slow']);
  const transport = smtpTransport(smtp.url, { ...quickSmtp, idle: 350, reply: 5_000 });
  expect(await transport.send(mail(), limits())).toMatchObject({ status: 'sent', smtp_code: 250 });
});

test('an attempt that is stopped ends at once', async () => {
  const smtp = await startSmtp(['mute', 'hang after dot']);
  const early = new AbortController();
  const first = smtpTransport(smtp.url).send(mail(), limits({ signal: early.signal }));
  early.abort();
  expect(await first).toEqual({ status: 'deferred', reason: 'stopped', stage: 'connection' });
  expect(await smtpTransport(smtp.url).send(mail(), limits({ signal: AbortSignal.abort() }))).toEqual({
    status: 'deferred',
    reason: 'stopped',
    stage: 'connection',
  });
});

test('a message larger than the server takes is refused unsent', async () => {
  const smtp = await startSmtp(['accept'], { size: 10 });
  expect(await smtpTransport(smtp.url).send(mail(), limits())).toEqual({
    status: 'failed',
    reason: 'too_large',
    stage: 'envelope',
  });
});

test('a host without a name is deferred', async () => {
  const outcome = await smtpTransport('smtp://no-such-host.invalid:2525').send(mail(), limits());
  expect(outcome).toEqual({ status: 'deferred', reason: 'dns', stage: 'connection' });
});

test('TLS that is demanded and not offered, or not to be trusted, is deferred and sends nothing', async () => {
  const plain = await startSmtp(['accept']);
  const selfSigned = await startSmtp(['accept'], { disabledCommands: [] });
  for (const { url } of [plain, selfSigned])
    expect(await smtpTransport(`${url}?requireTLS=true`).send(mail(), limits())).toMatchObject({
      status: 'deferred',
      reason: 'tls',
    });
  const implicit = await startSmtp(['accept'], { secure: true });
  const url = implicit.url.replace('smtp:', 'smtps:');
  const tls_code = expect.stringMatching(/^(CERT|SELF|DEPTH|UNABLE)_/) as string;
  expect(await smtpTransport(url).send(mail(), limits())).toEqual({
    status: 'deferred',
    reason: 'tls',
    stage: 'connection',
    tls_code,
  });
  const wrongPort = plain.url.replace('smtp:', 'smtps:');
  expect(await smtpTransport(wrongPort).send(mail(), limits())).toMatchObject({
    reason: 'tls',
    tls_code: 'ERR_SSL_WRONG_VERSION_NUMBER',
  });
  expect([plain, selfSigned, implicit].flatMap(({ messages }) => messages)).toEqual([]);
});

test('with a certificate that is trusted, STARTTLS and smtps send', async () => {
  const starttls = await startSmtp(['accept'], { disabledCommands: [] });
  const implicit = await startSmtp(['accept'], { secure: true });
  const tls = { rejectUnauthorized: false };
  for (const url of [`${starttls.url}?requireTLS=true`, implicit.url.replace('smtp:', 'smtps:')]) {
    const transport = createSmtpTransport({ server: parseSmtpUrl(url), timings: quickSmtp, connections: 1, tls });
    expect(await transport.send(mail(), limits())).toMatchObject({ status: 'sent' });
  }
});

test('SMTP_URL', () => {
  const auth = { user: 'me@x', pass: 'p:/' };
  expect(parseSmtpUrl('smtp://me%40x:p%3A%2F@mail.example.com')).toEqual({
    host: 'mail.example.com',
    port: 587,
    secure: false,
    requireTLS: true,
    mayBeClear: false,
    auth,
  });
  expect(parseSmtpUrl('smtps://mail.example.com')).toMatchObject({ port: 465, secure: true, auth: null });
  expect(parseSmtpUrl('smtp://[::1]:2525')).toMatchObject({ host: '::1', port: 2525, requireTLS: false });
  for (const url of ['http://x', 'nonsense', 'smtp://', 'smtp://h?tls=off', 'smtp://u:%ZZsecret@h'])
    expect(() => parseSmtpUrl(url)).toThrow(/^SMTP_URL (?!.*secret)/);
});

test.each([
  ['smtp://u:p@mail.example.com:2525', true],
  ['smtp://mail.example.com:2525', false],
  ['smtp://mail.example.com:2525?requireTLS=true', true],
  ['smtp://u:p@localhost:2525', false],
  ['smtp://u:p@127.0.0.2:2525', false],
  ['smtp://u:p@[::1]:2525', false],
  ['smtp://127.0.0.1', true],
])('whether %s demands TLS', (url, requireTLS) => {
  expect(parseSmtpUrl(url)).toMatchObject({ requireTLS, mayBeClear: false });
});

test('clear text must be allowed in so many words', () => {
  const clear = { requireTLS: false, mayBeClear: true };
  expect(parseSmtpUrl('smtp://u:p@mail.example.com?requireTLS=false')).toMatchObject(clear);
  expect(parseSmtpUrl('smtps://u:p@mail.example.com?requireTLS=false')).toMatchObject({
    secure: true,
    mayBeClear: false,
  });
  for (const options of ['requireTLS=no', 'requireTLS', 'requireTLS=true&requireTLS=false'])
    expect(() => parseSmtpUrl(`smtp://mail.example.com?${options}`)).toThrow(/requireTLS=true or requireTLS=false/);
});

test('a password never leaves in clear text because STARTTLS is missing', async () => {
  const smtp = await startScriptedSmtp((asked) => (asked.command === 'STARTTLS' ? '502 no' : usually(asked)));
  const server = { ...parseSmtpUrl(smtp.url.replace('//127.0.0.1', '//u:secret@mail.example.com')), host: '127.0.0.1' };
  const transport = createSmtpTransport({ server, timings: quickSmtp, connections: 1 });
  expect(await transport.send(mail(), limits())).toMatchObject({ status: 'deferred', reason: 'tls' });
  expect(smtp.asked.map(({ command }) => command)).toEqual(['EHLO', 'STARTTLS']);
});

test('smtp:// on the port of smtps:// is refused with the right URL and without the password', () => {
  expect(() => parseSmtpUrl('smtp://me:secret@mail.example.com:465')).toThrow(
    'SMTP_URL must begin with smtps:// where the port is 465: smtps://user:password@mail.example.com:465',
  );
  expect(() => parseSmtpUrl('smtp://mail.example.com:465')).toThrow(/: smtps:\/\/mail\.example\.com:465$/);
});

test('time-outs are those of RFC 5321, and fit into an attempt', () => {
  const minute = 60_000;
  expect(smtpTimings).toMatchObject({
    connection: 2 * minute,
    greeting: 5 * minute,
    idle: 5 * minute,
    reply: 10 * minute,
  });
  const { attempt, reply, margin } = mailerTimings;
  expect(reply).toBe(smtpTimings.reply);
  // A relay that takes its time for the connection, the greeting and two replies.
  expect(attempt - margin - reply).toBeGreaterThan(2 * minute + 5 * minute + 2 * (5 * minute));
});

test.each([
  ['550 5.1.1 no such user', 550, '5.1.1'],
  ['550-5.7.26 first line\n550 5.7.26 second', 550, '5.7.26'],
  ['250 2.0.0', 250, '2.0.0'],
  ['554 5.7.1: relaying denied', 554, '5.7.1'],
  ['550 mailbox 5.1.1 is unknown', 550, undefined],
  ['550 5.1.2.3 is blocked', 550, undefined],
  ['550 5.1.1234', 550, undefined],
  ['550 3.1.1', 550, undefined],
  ['550', 550, undefined],
  ['nonsense', undefined, undefined],
])('the codes of %j stand at its start', (response, smtp_code, enhanced_code) => {
  expect(replyOf(response)).toEqual({ response, smtp_code, enhanced_code });
});

test('a long reply of the mail server is kept up to 1,000 characters, and an endless one ends the connection', async () => {
  const replyTo = (text: string) => async () => {
    const smtp = await startScriptedSmtp((asked) => (asked.command === 'RCPT' ? `550 5.1.1 ${text}` : usually(asked)));
    const server = parseSmtpUrl(smtp.url);
    return await createSmtpTransport({ server, timings: quickSmtp, connections: 1 }).send(mail(), limits());
  };
  const long = await replyTo('a'.repeat(60_000))();
  expect(long).toMatchObject({ status: 'failed', enhanced_code: '5.1.1', response: `550 5.1.1 ${'a'.repeat(990)}` });
  expect(await replyTo('a'.repeat(1_000_000))()).toMatchObject({ status: 'deferred', reason: 'protocol' });
});
