/** The SMTP transport by itself: what is certain when a connection breaks, and that it keeps its deadlines. */
import { expect, test } from 'vitest';
import { createSmtpTransport } from '../../src/mailer/smtp.js';
import { replyOf } from '../../src/mailer/smtp-outcome.js';
import { parseSmtpUrl } from '../../src/mailer/smtp-url.js';
import type { Mail, SendLimits } from '../../src/mailer/transport.js';
import { quickSmtp, smtpTransport } from '../support/mailing.js';
import { startSmtp } from '../support/smtp.js';

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
    expect(() => parseSmtpUrl(url)).toThrow(/^(?!.*secret)SMTP_URL|^user and password in SMTP_URL/);
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
