/** The SMTP transport: one connection per attempt, and certainty about whether the final dot was sent. */
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './smtp-url.js';
import {
  afterHandOver,
  beforeHandOver,
  probeRefused,
  replyOf,
  type SmtpError,
  type SmtpFault,
} from './smtp-outcome.js';
import {
  isAscii,
  type Mail,
  type ProbeOutcome,
  type SendLimits,
  type SendOutcome,
  type Stage,
  type Transport,
} from './transport.js';

/** How long the reply to QUIT is waited for; the message is accepted already. */
const goodbye = 2_000;

/** Milliseconds. */
export const smtpTimings = {
  /** DNS, TCP and TLS together. */
  connection: 30_000,
  greeting: 30_000,
  /** Silence that ends the connection, up to the final dot. */
  idle: 60_000,
  /** How long the reply to the final dot is waited for. RFC 5321 asks for 10 minutes: giving up early makes a doubt of what the server will accept. */
  reply: 600_000,
};
export type SmtpTimings = Readonly<typeof smtpTimings>;

export interface SmtpOptions {
  readonly server: SmtpServer;
  readonly timings: SmtpTimings;
  readonly tls?: ConnectionOptions;
}

export function createSmtpTransport(options: SmtpOptions): Transport {
  return {
    send: (mail, limits) => attempt(options, mail, limits),
    probe: (signal) => probe(options, signal),
    limit: () => undefined,
    close: () => undefined,
  };
}

const connectionOf = ({ server, timings, tls }: SmtpOptions): SMTPConnection =>
  new SMTPConnection({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: server.requireTLS,
    connectionTimeout: timings.connection,
    dnsTimeout: timings.connection,
    greetingTimeout: timings.greeting,
    socketTimeout: timings.idle,
    // An attempt that has ended must be over on the wire, too: no half-closed socket that lingers.
    socketCloseTimeout: 0,
    ...(tls === undefined ? {} : { tls }),
  });

function probe(options: SmtpOptions, signal: AbortSignal): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const connection = connectionOf(options);
    const settle = (outcome: ProbeOutcome): void => {
      signal.removeEventListener('abort', stop);
      resolve(outcome);
      connection.close();
    };
    const fail = (fault: SmtpFault): void => settle(probeRefused(fault));
    const stop = (): void => fail({ reason: 'stopped' });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();
    connection.on('error', (error: SmtpError) => fail({ error }));
    connection.on('end', () => setImmediate(() => fail({ reason: 'connection_lost' })));
    connection.connect((error) => {
      if (error) return fail({ error });
      const { auth } = options.server;
      if (auth === null) return settle({ status: 'ready' });
      connection.login({ ...auth }, (refused) => (refused ? fail({ error: refused }) : settle({ status: 'ready' })));
    });
  });
}

function attempt(options: SmtpOptions, mail: Mail, limits: SendLimits): Promise<SendOutcome> {
  const { server, timings } = options;
  return new Promise((resolve) => {
    const connection = connectionOf(options);
    let stage: Stage = 'connection';
    let handedOver = false;
    let settled = false;

    const settle = (outcome: SendOutcome): void => {
      if (settled) return;
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      limits.signal.removeEventListener('abort', stop);
      body.destroy();
      resolve(outcome);
    };
    /** The connection is of no further use: nothing more may leave on it before the outcome is told. */
    const fail = (fault: SmtpFault): void => {
      if (settled) return;
      const outcome = handedOver ? afterHandOver(fault) : beforeHandOver(fault, stage);
      settle(outcome);
      connection.close();
    };
    const stop = (): void => fail({ reason: 'stopped' });

    const body = bodyOf(mail.bytes, async () => {
      if (limits.beforeHandOver !== undefined) {
        const verdict = await limits.beforeHandOver().catch(() => undefined);
        if (verdict === undefined) fail({ reason: 'stopped' });
        if (verdict === false) {
          settle({ status: 'withdrawn' });
          connection.close();
        }
      }
      // Timers may be late where the process was stalled, so the clocks are asked once more, in the same turn.
      if (settled || !limits.mayHandOver()) {
        fail({ reason: 'timeout' });
        return false;
      }
      handedOver = true;
      if (connection._socket) connection._socket.setTimeout(timings.reply);
      return true;
    });
    const timers = [
      setTimeout(() => handedOver || fail({ reason: 'timeout' }), limits.handOverWithin),
      setTimeout(() => fail({ reason: 'timeout' }), limits.closeWithin),
    ];
    limits.signal.addEventListener('abort', stop, { once: true });
    if (limits.signal.aborted) return stop();

    const { from, to } = mail.envelope;
    const needsUtf8 = !isAscii(from + to);
    const send = (): void => {
      stage = 'envelope';
      body.once('resume', () => (stage = 'data'));
      connection.send({ from, to: [to], size: mail.bytes.length, use8BitMime: needsUtf8 }, body, (error, info) => {
        if (error) return fail({ error });
        // A 250 that came before the dot is no acceptance of the whole message.
        if (!handedOver) return fail({ reason: 'protocol' });
        settle({ status: 'sent', reason: 'accepted', ...replyOf(info.response) });
        if (connection._socket) connection._socket.setTimeout(goodbye);
        connection.quit();
      });
    };

    connection.on('error', (error: SmtpError) => fail({ error }));
    // Some connections end without an error; an error that is on its way comes in this turn.
    connection.on('end', () => setImmediate(() => fail({ reason: 'connection_lost' })));
    connection.connect((error) => {
      if (error) return fail({ error });
      // The last reply so far is the one to EHLO. nodemailer would send such an address to any server.
      if (needsUtf8 && !/[ -]SMTPUTF8\b/i.test(connection.lastServerResponse || '')) {
        settle({ status: 'failed', reason: 'smtputf8', stage: 'connection' });
        return connection.quit();
      }
      if (server.auth === null) return send();
      connection.login({ ...server.auth }, (refused) => (refused ? fail({ error: refused }) : send()));
    });
  });
}

/**
 * The message as a stream whose end is held back until `mayEnd` allows it. The library writes the final dot on the end
 * of the stream, so before that moment the server cannot have the message, and from then on it may.
 */
function bodyOf(bytes: Buffer, mayEnd: () => Promise<boolean>): Readable {
  const chunk = 16 * 1024;
  let offset = 0;
  return new Readable({
    highWaterMark: chunk,
    read() {
      if (offset < bytes.length) {
        this.push(bytes.subarray(offset, (offset += chunk)));
      } else void mayEnd().then((may) => may && this.push(null));
    },
  });
}
