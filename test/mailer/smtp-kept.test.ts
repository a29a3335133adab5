/** Connections that are kept: how many, for how long, and that nothing of one e-mail reaches the next. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSmtpTransport, type SmtpOptions } from '../../src/mailer/smtp.js';
import { parseSmtpUrl } from '../../src/mailer/smtp-url.js';
import type { SendLimits, SendOutcome, Transport } from '../../src/mailer/transport.js';
import { quickSmtp } from './mailing.js';
import { startScriptedSmtp, usually, type Script } from './scripted-smtp.js';
import { startSmtp } from '../support/smtp.js';

const opened = (url: string, options: Partial<SmtpOptions> = {}): Transport =>
  createSmtpTransport({
    server: parseSmtpUrl(url),
    connections: 1,
    timings: { ...quickSmtp, connection: 5_000, greeting: 5_000, idle: 5_000 },
    ...options,
  });

let count = 0;
const send = (transport: Transport, limits: Partial<SendLimits> = {}): Promise<SendOutcome> =>
  transport.send(
    {
      email_id: `eml_${(count += 1)}`,
      envelope: { from: 'news@shop.example.org', to: 'ada@example.com' },
      bytes: Buffer.from('Subject: x\r\n\r\nbody\r\n'),
    },
    {
      mayHandOver: () => true,
      handOverWithin: 10_000,
      closeWithin: 12_000,
      signal: new AbortController().signal,
      ...limits,
    },
  );
const statuses = (outcomes: readonly SendOutcome[]): string[] => outcomes.map(({ status }) => status);

const envelope = ['MAIL', 'RCPT', 'DATA'];
const whole = [...envelope, '.'];

test('a hundred e-mails go over one connection, which then ends with QUIT before the next one opens', async () => {
  const smtp = await startScriptedSmtp(usually);
  const transport = opened(smtp.url);
  const outcomes = await Promise.all(Array.from({ length: 101 }, () => send(transport)));
  expect(new Set(statuses(outcomes))).toEqual(new Set(['sent']));
  expect(smtp.connections()).toBe(2);
  expect(smtp.mostOpen()).toBe(1);
  expect(smtp.commandsOf(0)).toEqual(['EHLO', ...Array.from({ length: 100 }, () => whole).flat(), 'QUIT']);
  expect(smtp.commandsOf(1)).toEqual(['EHLO', ...whole]);
});

test('never more connections are open than configured, whatever becomes of them', async () => {
  let taken = 0;
  const script: Script = (asked, socket) => {
    const turn = asked.command === '.' ? (taken += 1) % 5 : -1;
    if (turn === 0) socket.destroy();
    else if (turn === 1) socket.end('421 too busy\r\n');
    return turn === 2 ? '451 later' : usually(asked);
  };
  const smtp = await startScriptedSmtp(script);
  const transport = opened(smtp.url, { connections: 3 });
  const outcomes = await Promise.all(Array.from({ length: 60 }, () => send(transport)));
  expect(new Set(statuses(outcomes))).toEqual(new Set(['sent', 'deferred', 'in_doubt']));
  expect(smtp.mostOpen()).toBe(3);
  transport.limit(1);
  await expect.poll(smtp.open).toBeLessThanOrEqual(1);
});

test('a connection that is not used ends with QUIT', async () => {
  const smtp = await startScriptedSmtp(usually);
  const transport = opened(smtp.url, { timings: { ...quickSmtp, keep: 50 } });
  await send(transport);
  await expect.poll(() => smtp.commandsOf(0).at(-1)).toBe('QUIT');
  await expect.poll(smtp.open).toBe(0);
});

test('close ends what is not in use at once, and the rest once its e-mail is done', async () => {
  let release = (): void => undefined;
  const smtp = await startScriptedSmtp((asked, socket) => {
    if (asked.command !== '.' || asked.connection === 0) return usually(asked);
    release = () => void socket.write('250 taken\r\n');
    return undefined;
  });
  const transport = opened(smtp.url, { connections: 2 });
  const [first, second] = [send(transport), send(transport)];
  await first;
  await expect.poll(() => smtp.commandsOf(1).at(-1)).toBe('.');
  transport.close();
  await expect.poll(smtp.open).toBe(1);
  release();
  expect(await second).toMatchObject({ status: 'sent' });
  await expect.poll(smtp.open).toBe(0);
});

test('RSET follows a refused transaction, and nothing else', async () => {
  const refused = ['MAIL', 'RCPT', '.'];
  const smtp = await startScriptedSmtp((asked) => {
    const mails = smtp.asked.filter(({ command }) => command === 'MAIL').length;
    if (asked.command === 'DATA' && mails % 2 === 1 && refused[mails >> 1] !== '.') return '503 no';
    return mails % 2 === 1 && asked.command === refused[mails >> 1] ? '450 4.2.0 later' : usually(asked);
  });
  const transport = opened(smtp.url);
  const outcomes: SendOutcome[] = [];
  for (let turn = 0; turn < 6; turn += 1) outcomes.push(await send(transport));
  expect(statuses(outcomes)).toEqual(['deferred', 'sent', 'deferred', 'sent', 'deferred', 'sent']);
  expect(outcomes.filter(({ status }) => status === 'deferred')).toMatchObject([
    { stage: 'envelope', smtp_code: 450 },
    { stage: 'recipient', smtp_code: 450 },
    { stage: 'data', smtp_code: 450 },
  ]);
  const again = [...envelope, 'RSET', ...whole];
  expect(smtp.commandsOf(0)).toEqual(['EHLO', ...again, ...again, ...whole, 'RSET', ...whole]);
});

test('a reply that comes too late is not the reply to the next e-mail', async () => {
  const smtp = await startScriptedSmtp((asked, socket) => {
    if (asked.connection > 0 || asked.command !== '.') return usually(asked);
    setTimeout(() => socket.writable && socket.write('250 taken after all\r\n'), 120);
    return undefined;
  });
  const transport = opened(smtp.url, { timings: { ...quickSmtp, reply: 60 } });
  expect(await send(transport)).toEqual({ status: 'in_doubt', reason: 'timeout' });
  expect(await send(transport)).toMatchObject({ status: 'sent', response: '250 taken' });
  expect([smtp.commandsOf(0), smtp.commandsOf(1)]).toEqual([
    ['EHLO', ...whole],
    ['EHLO', ...whole],
  ]);
});

test('a second reply that comes during the next e-mail is not taken for its own: that one is not handed over', async () => {
  const smtp = await startScriptedSmtp((asked, socket) => {
    const mails = smtp.asked.filter(({ command }) => command === 'MAIL').length;
    if (asked.connection === 0 && asked.command === 'MAIL' && mails === 2) socket.write('250 taken twice\r\n');
    return usually(asked);
  });
  const transport = opened(smtp.url);
  expect(await send(transport)).toMatchObject({ status: 'sent' });
  expect(await send(transport)).toEqual({ status: 'deferred', reason: 'protocol', stage: 'data' });
  expect(await send(transport)).toMatchObject({ status: 'sent' });
  expect(smtp.commandsOf(0)).toEqual(['EHLO', ...whole, ...envelope]);
});

test.each(['354 go on', 'hello'])('after the final dot %j is no answer: the e-mail is in doubt', async (reply) => {
  const smtp = await startScriptedSmtp((asked) => (asked.command === '.' ? reply : usually(asked)));
  expect(await send(opened(smtp.url))).toEqual({ status: 'in_doubt', reason: 'protocol' });
});

test.each(['250 taken\r\n250 and again', '250 taken\r\n\r\n550 no such user', '250 taken\r\n421 too many e-mails'])(
  'what a server adds to %j is not the reply to the next e-mail',
  async (reply) => {
    const smtp = await startScriptedSmtp((asked) =>
      asked.connection === 0 && asked.command === '.' ? reply : usually(asked),
    );
    const transport = opened(smtp.url);
    expect(statuses(await Promise.all([send(transport), send(transport)]))).toEqual(['sent', 'sent']);
    expect(smtp.commandsOf(1)).toEqual(['EHLO', ...whole]);
  },
);

test('an unexpected reply ends the connection', async () => {
  const smtp = await startScriptedSmtp((asked) =>
    asked.connection === 0 && asked.command === 'RCPT' ? 'what?' : usually(asked),
  );
  const transport = opened(smtp.url);
  expect(await send(transport)).toMatchObject({ status: 'deferred', stage: 'recipient' });
  expect(await send(transport)).toMatchObject({ status: 'sent' });
  expect(smtp.asked.map(({ command }) => command)).not.toContain('RSET');
  expect(smtp.connections()).toBe(2);
});

test.each<[string, Script]>([
  ['says 421', () => '421 4.4.2 timeout'],
  ['breaks', (_asked, socket) => void socket.destroy()],
  ['says nothing', () => undefined],
])('a kept connection that %s at MAIL is replaced within the attempt', async (_, atMail) => {
  const smtp = await startScriptedSmtp((asked, socket) => {
    const isSecond = smtp.asked.filter(({ command }) => command === 'MAIL').length === 2;
    return isSecond && asked.command === 'MAIL'
      ? atMail(asked, socket)
      : isSecond && asked.connection === 0
        ? undefined
        : usually(asked);
  });
  const transport = opened(smtp.url, { timings: { ...quickSmtp, idle: 150 } });
  expect(statuses([await send(transport), await send(transport)])).toEqual(['sent', 'sent']);
  expect(smtp.connections()).toBe(2);
  expect(smtp.mostOpen()).toBe(1);
  expect(smtp.asked.filter(({ command }) => command === '.').length).toBe(2);
});

test('it is replaced once, and not where MAIL was answered', async () => {
  let broken = 'MAIL';
  const smtp = await startScriptedSmtp((asked, socket) => {
    if (asked.command !== broken || smtp.asked.filter(({ command }) => command === '.').length === 0)
      return usually(asked);
    socket.destroy();
    return undefined;
  });
  const transport = opened(smtp.url);
  expect(await send(transport)).toMatchObject({ status: 'sent' });
  expect(await send(transport)).toEqual({ status: 'deferred', reason: 'connection_lost', stage: 'envelope' });
  expect(smtp.connections()).toBe(2);
  broken = '';
  expect(await send(transport)).toMatchObject({ status: 'sent' });
  broken = '.';
  expect(await send(transport)).toEqual({ status: 'in_doubt', reason: 'connection_lost' });
  expect(smtp.connections()).toBe(3);
});

test('connections that the server has ended meanwhile are not used', async () => {
  const smtp = await startScriptedSmtp(usually);
  const transport = opened(smtp.url, { connections: 2 });
  await Promise.all([send(transport), send(transport)]);
  smtp.breakAll();
  expect(statuses(await Promise.all([send(transport), send(transport)]))).toEqual(['sent', 'sent']);
  expect(smtp.mostOpen()).toBe(2);
});

test('an e-mail that waits for a connection can be stopped, and has its deadline', async () => {
  const smtp = await startScriptedSmtp((asked) => (asked.command === '.' ? undefined : usually(asked)));
  const transport = opened(smtp.url);
  const stop = new AbortController();
  const first = send(transport, { closeWithin: 300 });
  const second = send(transport, { signal: stop.signal });
  expect(await send(transport, { handOverWithin: 20 })).toEqual({
    status: 'deferred',
    reason: 'timeout',
    stage: 'connection',
  });
  stop.abort();
  expect(await second).toEqual({ status: 'deferred', reason: 'stopped', stage: 'connection' });
  expect(await first).toEqual({ status: 'in_doubt', reason: 'timeout' });
  expect(smtp.commandsOf(0)).toEqual(['EHLO', ...whole]);
});

test('an e-mail that may not go out any more is withdrawn before the final dot', async () => {
  const smtp = await startSmtp(['accept']);
  const transport = opened(smtp.url);
  expect(await send(transport, { beforeHandOver: () => Promise.resolve(false) })).toEqual({ status: 'withdrawn' });
  expect(await send(transport, { beforeHandOver: () => Promise.reject(new Error('log')) })).toEqual({
    status: 'deferred',
    reason: 'stopped',
    stage: 'data',
  });
  expect(smtp.messages).toEqual([]);
  const asked: string[] = [];
  const ask = (name: string) => () => (asked.push(name), true);
  const limits = { beforeHandOver: async () => await nextTurn().then(ask('before')), mayHandOver: ask('clocks') };
  expect(await send(transport, limits)).toMatchObject({ status: 'sent' });
  expect(asked).toEqual(['before', 'clocks']);
});

test('a probe connects and logs in, and its connection is kept', async () => {
  const smtp = await startSmtp(['accept']);
  const transport = opened(smtp.url.replace('//', '//me:secret@'));
  const { signal } = new AbortController();
  expect(await transport.probe(signal)).toEqual({ status: 'ready' });
  expect(smtp.logins.length).toBe(1);
  expect(await send(transport)).toMatchObject({ status: 'sent' });
  expect(smtp.connections()).toBe(1);
  // Not one that may be of the time before the trouble.
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(await transport.probe(signal)).toEqual({ status: 'ready' });
  expect(smtp.connections()).toBe(2);
});

test('a probe says what the server says, and can be stopped', async () => {
  const smtp = await startSmtp(['greet 421', 'auth 535', 'mute']);
  const transport = opened(smtp.url.replace('//', '//me:secret@'));
  const stop = new AbortController();
  expect(await transport.probe(stop.signal)).toMatchObject({ status: 'refused', reason: 'smtp_4xx', smtp_code: 421 });
  expect(await transport.probe(stop.signal)).toMatchObject({ status: 'refused', reason: 'auth_failed' });
  const muted = transport.probe(stop.signal);
  stop.abort();
  expect(await muted).toEqual({ status: 'refused', reason: 'stopped' });
});

test('a server that refuses one connection too many is told from others', async () => {
  const smtp = await startScriptedSmtp(() => '421 4.7.0 Too many connections from you');
  expect(await send(opened(smtp.url))).toMatchObject({
    status: 'deferred',
    reason: 'too_many_connections',
    stage: 'connection',
  });
});

test('a greeting may take longer than a connection', async () => {
  const smtp = await startScriptedSmtp((asked, socket) => {
    if (asked.command !== 'HELLO') return usually(asked);
    setTimeout(() => socket.write('220 at last\r\n'), 250);
    return undefined;
  });
  const transport = opened(smtp.url, { timings: { ...quickSmtp, connection: 100, greeting: 5_000, idle: 5_000 } });
  expect(await send(transport)).toMatchObject({ status: 'sent' });
});

test.each([
  [{ ehloName: 'mail.example.net' }, 'EHLO mail.example.net'],
  [{}, 'EHLO shop.example.org'],
])('EHLO bears the configured name, else the domain of the sender: %j', async (options, line) => {
  const smtp = await startScriptedSmtp(usually);
  await send(opened(smtp.url, options));
  expect(smtp.asked[0]?.line).toBe(line);
});

test('without PIPELINING a connection is kept, too', async () => {
  const smtp = await startSmtp(['accept', 'sender 451', 'recipient 450', 'data 451', 'accept'], {
    hidePIPELINING: true,
  });
  const transport = opened(smtp.url);
  const outcomes: SendOutcome[] = [];
  for (let turn = 0; turn < 5; turn += 1) outcomes.push(await send(transport));
  expect(statuses(outcomes)).toEqual(['sent', 'deferred', 'deferred', 'deferred', 'sent']);
  expect(smtp.connections()).toBe(1);
});
