/** Relays that refuse everybody for a while: how gently they are asked, what it costs the e-mails, and that these go out afterwards. */
import net from 'node:net';
import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { smtpTimings } from '../../src/mailer/smtp-session.js';
import { mailerTimings } from '../../src/mailer/timings.js';
import { startScriptedSmtp, usually } from './scripted-smtp.js';
import { openPostOffice, quickBreaker, quickTimings, smtpTransport, typesOf } from './mailing.js';

/** No silence ends an attempt here. */
const timings = { ...quickTimings, attempt: mailerTimings.attempt, reply: mailerTimings.reply };
const transportTo = (port: number, user = '') => smtpTransport(`smtp://${user}127.0.0.1:${port}`, smtpTimings);

class Refusal extends Error {
  readonly responseCode: number;
  constructor(text: string) {
    super(text.slice(4));
    this.responseCode = Number(text.slice(0, 3));
  }
}

/** A relay that answers as its state is at the moment; a text is a refusal. */
interface State {
  login?: string | undefined;
  /** Asked at MAIL. */
  sender?: (() => string | undefined) | undefined;
  recipient?: ((address: string) => string | undefined) | undefined;
}

async function startRelay(options: SMTPServerOptions = {}) {
  const state: State = {};
  const counts = { connections: 0, logins: 0, mails: 0, accepted: 0 };
  const answer = (text: string | undefined): Error | null => (text === undefined ? null : new Refusal(text));
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onConnect(_session, done) {
      counts.connections += 1;
      done();
    },
    onAuth({ username }, _session, done) {
      counts.logins += 1;
      const refusal = answer(state.login);
      done(refusal, refusal === null ? { user: username } : undefined);
    },
    onMailFrom(_address, _session, done) {
      counts.mails += 1;
      done(answer(state.sender?.()));
    },
    onRcptTo: ({ address }, _session, done) => done(answer(state.recipient?.(address))),
    onData(stream, _session, done) {
      stream.resume().on('end', () => {
        counts.accepted += 1;
        done(null, 'queued');
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  return { state, counts, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

const several = async (office: Awaited<ReturnType<typeof openPostOffice>>, count: number) =>
  await Promise.all(
    Array.from({ length: count }, (_, at) => office.request({ to_email: `reader${at}@example.com` }, `key-${at}`)),
  );

async function sizeOf({ store }: Awaited<ReturnType<typeof openPostOffice>>): Promise<number> {
  let size = 0;
  for await (const batch of store.readAll()) size += batch.length;
  return size;
}

test('a wrong password with 100 waiting e-mails: few logins, the log does not grow, and they go out once it is right', async () => {
  const relay = await startRelay();
  relay.state.login = '535 5.7.8 bad credentials of ada@example.com';
  const office = await openPostOffice();
  await several(office, 100);
  const { mailer, reports } = office.startMailer({ transport: transportTo(relay.port, 'me:wrong@'), timings });
  await vi.waitUntil(() => relay.counts.logins > 4, 10_000);

  // One claim and its deferral.
  expect(await sizeOf(office)).toBe(102);
  expect(mailer.status().relay.refuses).toEqual({
    since: expect.stringMatching(/Z$/),
    reason: 'auth_failed',
    smtp_code: 535,
    enhanced_code: '5.7.8',
  });
  expect(reports.filter(({ type }) => type === 'relay_refuses')).toHaveLength(1);

  relay.state.login = undefined;
  await vi.waitUntil(() => relay.counts.accepted > 20, 20_000);
  expect(mailer.status().relay.refuses).toBeUndefined();
  await expect.poll(() => reports.filter(({ type }) => type === 'relay_accepts').length).toBe(1);
  expect(JSON.stringify(reports)).not.toContain('example.com');
});

test('a relay that is down with 200 waiting e-mails: few connections, one at a time', async () => {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const office = await openPostOffice();
  await several(office, 200);
  const transport = transportTo(typeof address === 'object' && address !== null ? address.port : 0);
  const breakerTimings = { firstProbe: 20, longestProbe: 300_000 };
  office.startMailer({ transport, timings, breakerTimings });
  const began = performance.now();
  await vi.waitUntil(() => connections === 5, 10_000);
  // 20, 40, 80 and 160 ms, less a quarter at most.
  expect(performance.now() - began).toBeGreaterThan(225);
  expect(await sizeOf(office)).toBe(202);
});

test('a stop does not wait for a probe', async () => {
  let connections = 0;
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    connections += 1;
    if (connections === 1) socket.destroy();
    else sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const office = await openPostOffice();
  await office.request();
  const transport = transportTo(typeof address === 'object' && address !== null ? address.port : 0);
  const { mailer } = office.startMailer({ transport, timings: { ...timings, closeGrace: 30_000 } });
  await vi.waitUntil(() => connections === 2, 10_000);
  const began = performance.now();
  await mailer.close();
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('what waits for too long while the relay is down is held, without an attempt of its own', async () => {
  const relay = await startRelay();
  relay.state.login = '535 5.7.8 bad credentials';
  const office = await openPostOffice();
  const requested = await several(office, 10);
  const { reports } = office.startMailer({
    transport: transportTo(relay.port, 'me:wrong@'),
    timings: { ...timings, giveUp: 1 },
  });
  for (const { stream, email_id } of requested)
    expect((await office.until(stream, 'EmailHeld')).at(-1)?.data).toEqual({ email_id, reason: 'auth_failed' });
  expect(await sizeOf(office)).toBe(10 + 2 + 10);
  expect(reports.flatMap((report) => (report.type === 'held_overdue' ? [report.emails] : []))).not.toEqual([]);
});

test('a relay that says at MAIL that it takes no more for now: it is asked a few times, one e-mail at a time', async () => {
  const relay = await startRelay();
  const minute = 400;
  let [began, taken] = [-Infinity, 0];
  relay.state.sender = () => {
    if (performance.now() - began > minute) [began, taken] = [performance.now(), 0];
    return (taken += 1) > 20 ? '450 4.7.1 too fast' : undefined;
  };
  const office = await openPostOffice();
  await several(office, 45);
  const breakerTimings = { firstProbe: 40, longestProbe: 2_400 };
  office.startMailer({ transport: transportTo(relay.port), timings, breakerTimings });
  await vi.waitUntil(() => relay.counts.accepted === 45, 20_000);
  // Each time five that show it, three that were under way, and the probes.
  expect(relay.counts.mails - 45).toBeLessThan(2 * (5 + 3 + 6));
});

test('five recipients refused alike: the rest waits, one e-mail at a time is the probe, another each time', async () => {
  const relay = await startRelay();
  const asked: string[] = [];
  relay.state.recipient = (address) => {
    asked.push(address);
    return `550 not today, <${address}>`;
  };
  const office = await openPostOffice();
  const requested = await several(office, 12);
  const { mailer } = office.startMailer({ transport: transportTo(relay.port), timings });
  await vi.waitUntil(() => asked.length === 9, 10_000);
  expect(new Set(asked).size).toBe(9);
  expect(mailer.status().relay.refuses).toMatchObject({ reason: 'policy', smtp_code: 550 });

  relay.state.recipient = undefined;
  await vi.waitUntil(() => relay.counts.accepted === 8, 10_000);
  const ends = await Promise.all(
    requested.map(async ({ stream }) => (await office.untilEvents(stream, isEnded)).at(-1)?.type),
  );
  expect(ends.filter((type) => type === 'EmailFailed')).toHaveLength(4);
  expect(ends.filter((type) => type === 'EmailSent')).toHaveLength(8);
});

const isEnded = (events: readonly { readonly type: string }[]): boolean =>
  ['EmailFailed', 'EmailSent'].includes(events.at(-1)?.type ?? '');

test('a relay that hangs up at MAIL is asked seldom, too, and no e-mail pays for it', async () => {
  let isUp = false;
  const smtp = await startScriptedSmtp((asked, socket) => {
    if (!isUp && asked.command === 'MAIL') socket.destroy();
    return usually(asked);
  });
  const office = await openPostOffice();
  const requested = await several(office, 30);
  const { mailer } = office.startMailer({ transport: smtpTransport(smtp.url, smtpTimings), timings });
  await vi.waitUntil(() => smtp.connections() === 9, 10_000);
  expect(mailer.status().relay.refuses).toMatchObject({ reason: 'connection_lost' });
  isUp = true;
  const ends = await Promise.all(
    requested.map(async ({ stream }) => (await office.untilEvents(stream, isEnded)).at(-1)?.type),
  );
  expect(new Set(ends)).toEqual(new Set(['EmailSent']));
  expect(smtp.connections()).toBeLessThan(25);
});

test('five refused as unknown recipients are no reason to stop', async () => {
  const relay = await startRelay();
  relay.state.recipient = (address) => (address.startsWith('reader') ? '550 5.1.1 no such user' : undefined);
  const office = await openPostOffice();
  const requested = await several(office, 7);
  const { mailer } = office.startMailer({ transport: transportTo(relay.port), timings });
  for (const { stream } of requested) await office.until(stream, 'EmailFailed');
  expect(mailer.status().relay.refuses).toBeUndefined();
});

test('a relay with too many connections gets fewer', async () => {
  const relay = await startRelay({ maxClients: 1 });
  const office = await openPostOffice();
  const transport = transportTo(relay.port);
  const limits: number[] = [];
  const { mailer } = office.startMailer({
    transport: { ...transport, limit: (most) => (limits.push(most), transport.limit(most)) },
    timings,
  });
  await several(office, 8);
  await vi.waitUntil(() => relay.counts.accepted === 8, 20_000);
  expect(limits[0]).toBe(2);
  expect(mailer.status().relay.connections).toBeLessThanOrEqual(2);
});

test('what may not go out any more is withdrawn before the final dot, and cancelled in the same append', async () => {
  const relay = await startRelay();
  const office = await openPostOffice();
  const transport = transportTo(relay.port);
  let ahead = 0;
  const asked: number[] = [];
  office.startMailer({
    transport: {
      ...transport,
      send(mail, limits) {
        ahead = 3_001;
        return transport.send(mail, limits);
      },
    },
    timings,
    monotonic: () => performance.now() + ahead,
    mayGoOut: () => Promise.resolve(asked.push(ahead) > 1 ? ('erased' as const) : true),
  });
  const { stream, email_id } = await office.request();
  const found = await office.until(stream, 'EmailCancelled');
  expect(typesOf(found)).toEqual(['EmailRequested', 'EmailDispatchStarted', 'EmailDeferred', 'EmailCancelled']);
  expect(found.at(-2)?.data).toMatchObject({ attempt: 1, reason: 'withdrawn' });
  expect(found.at(-1)?.data).toEqual({ email_id, reason: 'erased' });
  expect(found.at(-1)?.metadata.at).toBe(found.at(-2)?.metadata.at);
  expect([relay.counts.accepted, asked]).toEqual([0, [0, 3_001]]);
});

test('what goes out at once is asked about once; where nobody can answer the e-mail waits', async () => {
  const relay = await startRelay();
  const office = await openPostOffice();
  const transport = transportTo(relay.port);
  let ahead = 0;
  let asked = 0;
  const { mailer } = office.startMailer({
    transport: {
      ...transport,
      send(mail, limits) {
        if (asked > 1) ahead += 3_001;
        return transport.send(mail, limits);
      },
    },
    timings,
    breakerTimings: quickBreaker,
    monotonic: () => performance.now() + ahead,
    mayGoOut: () => ((asked += 1) === 3 ? Promise.reject(new Error('away')) : Promise.resolve(true)),
  });
  await office.until((await office.request()).stream, 'EmailSent');
  expect(asked).toBe(1);
  const second = await office.until((await office.request()).stream, 'EmailSent');
  expect(typesOf(second).slice(1)).toEqual([
    'EmailDispatchStarted',
    'EmailDeferred',
    'EmailDispatchStarted',
    'EmailSent',
  ]);
  expect(second[2]?.data).toMatchObject({ reason: 'stopped' });
  await mailer.close();
});
