/** One connection to the mail server, from the lookup of its name to the moment at which its socket is closed. */
import type { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpError, SmtpFault } from './smtp-outcome.js';
import type { SmtpServer } from './smtp-url.js';
import { isAscii, type Mail } from './transport.js';

/** Milliseconds; those of RFC 5321 4.5.3.2. */
export const smtpTimings = {
  /** The lookup of the name, TCP, and the TLS of `smtps://`. */
  connection: 2 * 60_000,
  greeting: 5 * 60_000,
  /** Silence that ends the connection, up to the final dot. */
  idle: 5 * 60_000,
  /** How long the reply to the final dot is waited for: giving up early makes a doubt of what the server will accept. */
  reply: 10 * 60_000,
  /** How long the reply to QUIT or RSET is waited for. */
  goodbye: 2_000,
  /** How long a connection is kept without use. */
  keep: 60_000,
  /** How long a closed connection still counts: the server notices its end a moment later, and counts it until then. */
  linger: 20,
};
export type SmtpTimings = Readonly<typeof smtpTimings>;

interface SessionOptions {
  readonly server: SmtpServer;
  readonly timings: SmtpTimings;
  /** Undefined: the address literal that nodemailer falls back to. */
  readonly ehloName: string | undefined;
  readonly tls?: ConnectionOptions;
  /** Gets the conversation, without the content of e-mails. Of a login the library hides the password. */
  readonly logger?: SmtpLogger;
}

/** The most bytes of one reply, up to one chunk more. The connection to a server that sends more is closed. */
export const maxResponseSize = 64 * 1024;

type SmtpLogger = NonNullable<Exclude<SMTPConnection.Options['logger'], boolean>>;

export type Transaction =
  | { readonly status: 'answered'; readonly response: string }
  /**
   * The connection is at its beginning (`unsent`), in need of RSET (`refused`), or of no more use: it ended, or went
   * silent, before MAIL was answered (`ended`) or later (`broken`).
   */
  | { readonly status: 'unsent' | 'refused' | 'ended' | 'broken'; readonly fault: SmtpFault };

export interface Session {
  /** What kept the server from being ready for an e-mail; undefined when it is. Never rejects. */
  readonly ready: Promise<SmtpFault | undefined>;
  /** Resolves once the connection is closed on this side. */
  readonly closed: Promise<void>;
  readonly isUsable: () => boolean;
  readonly offersUtf8: () => boolean;
  /** One e-mail at a time. The final dot is sent when `body` ends. Never rejects. */
  transact(mail: Mail, body: Readable): Promise<Transaction>;
  /** From now on the reply to the final dot is waited for. */
  awaitReply(): void;
  /** RSET. False: the connection is of no more use. */
  reset(): Promise<boolean>;
  /** QUIT, and gone soon. */
  quit(): void;
  /** Gone at once: nothing more leaves on it. */
  destroy(): void;
}

export function openSession({ server, timings, ehloName, tls, logger }: SessionOptions): Session {
  const connection = new SMTPConnection({
    host: server.host,
    port: server.port,
    secure: server.secure,
    requireTLS: server.requireTLS,
    name: ehloName,
    // The library ends the wait for the greeting with this time-out, too, so the one for the connection is kept here.
    connectionTimeout: timings.connection + timings.greeting,
    dnsTimeout: timings.connection,
    greetingTimeout: timings.greeting,
    socketTimeout: timings.idle,
    maxResponseSize,
    // An attempt that has ended must be over on the wire, too: no half-closed socket that lingers.
    socketCloseTimeout: 0,
    ...(tls === undefined ? {} : { tls }),
    ...(logger === undefined ? {} : { logger, transactionLog: true }),
  });
  let capabilities = '';
  let brokenBy: SmtpFault | undefined;
  let onBreak: (fault: SmtpFault) => void = () => undefined;
  const breakBy = (fault: SmtpFault): void => {
    brokenBy ??= fault;
    onBreak(brokenBy);
  };
  /** Resolves with what `start` leads to, or with what the connection broke of. One at a time. */
  const orBroken = <Result>(ifBroken: (fault: SmtpFault) => Result, start: (done: (result: Result) => void) => void) =>
    new Promise<Result>((resolve) => {
      onBreak = (fault) => resolve(ifBroken(fault));
      if (brokenBy === undefined) start(resolve);
      else onBreak(brokenBy);
    });
  const silence = (milliseconds: number): void => {
    if (connection._socket) connection._socket.setTimeout(milliseconds);
  };

  connection.on('error', (error: SmtpError) => breakBy({ error }));
  const late = setTimeout(() => {
    if (connection.stage === 'connected') return;
    breakBy({ reason: 'timeout' });
    connection.close();
  }, timings.connection);
  const closed = new Promise<void>((resolve) => {
    connection.on('end', () => {
      clearTimeout(late);
      // Some connections end without an error; an error that is on its way comes in this turn.
      setImmediate(() => breakBy({ reason: 'connection_lost' }));
      const socket = connection._socket;
      if (!socket || socket.closed) resolve();
      else socket.once('close', () => resolve());
    });
  });

  const ready = orBroken<SmtpFault | undefined>(
    (fault) => fault,
    (done) =>
      connection.connect((error) => {
        clearTimeout(late);
        if (error) return done({ error });
        // The last reply so far is the one to EHLO.
        capabilities = connection.lastServerResponse || '';
        if (server.auth === null) return done(undefined);
        connection.login({ ...server.auth }, (refused) => done(refused ? { error: refused } : undefined));
      }),
  );

  return {
    ready,
    closed,
    isUsable: () => !connection.destroyed && connection._socket !== false && connection._socket?.writable === true,
    // nodemailer would send such an address to any server.
    offersUtf8: () => /[ -]SMTPUTF8\b/i.test(capabilities),
    async transact(mail, body) {
      const { from, to } = mail.envelope;
      // Only sent to servers that offer it.
      const dsn = mail.isReported ? { ret: 'HDRS', envid: mail.email_id, notify: ['FAILURE'] } : undefined;
      const envelope = {
        from,
        to: [to],
        size: mail.bytes.length,
        use8BitMime: !isAscii(from + to),
        ...(dsn && { dsn }),
      };
      let broken: 'ended' | 'broken' = 'ended';
      // Nothing but the reply to MAIL can come first; 421 is the end of a connection that was kept for too long.
      const listen = (chunk: Buffer): void => {
        if (!chunk.toString('latin1').startsWith('421')) broken = 'broken';
      };
      if (connection._socket) connection._socket.once('data', listen);
      // nodemailer would take 250, too: the reply to an earlier command, so the one to the final dot would be wrong as well.
      body.once('resume', () => {
        if ((connection.lastServerResponse || '').startsWith('354')) return;
        body.destroy();
        breakBy({ reason: 'protocol' });
      });
      const transaction = await orBroken<Transaction>(
        (fault) => ({ status: broken, fault }),
        (done) =>
          connection.send(envelope, body, (error, info) => {
            if (!error) done({ status: 'answered', response: info.response });
            else done({ status: stateAfter(error) ?? broken, fault: { error } });
          }),
      );
      if (connection._socket) connection._socket.off('data', listen);
      silence(timings.idle);
      return transaction;
    },
    awaitReply: () => silence(timings.reply),
    async reset() {
      silence(timings.goodbye);
      const isReset = await orBroken<boolean>(
        () => false,
        (done) => connection.reset((error) => done(!error)),
      );
      silence(timings.idle);
      return isReset;
    },
    quit() {
      silence(timings.goodbye);
      connection.quit();
    },
    destroy: () => connection.close(),
  };
}

/** What a conversation that went as it should leaves behind; undefined where it did not. */
function stateAfter({ code, responseCode }: SmtpError): 'unsent' | 'refused' | undefined {
  // nodemailer compares the size with what the server announced and sends nothing.
  if (responseCode === undefined) return code === 'EMESSAGE' ? 'unsent' : undefined;
  const isRefusal = responseCode >= 400 && !lost.includes(responseCode);
  return isRefusal && (code === 'EENVELOPE' || code === 'EMESSAGE') ? 'refused' : undefined;
}

/** "Closing the connection", and "bad sequence of commands": it does not stand where we think. */
const lost = [421, 503];
