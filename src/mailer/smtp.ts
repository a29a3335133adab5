/** The SMTP transport: one e-mail after the other on kept connections, and certainty about whether the final dot was sent. */
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { afterHandOver, beforeHandOver, probeRefused, replyOf, type SmtpFault } from './smtp-outcome.js';
import { createSmtpPool, type PooledSession, type SmtpPool } from './smtp-pool.js';
import { openSession, smtpTimings, type Session, type SmtpTimings, type Transaction } from './smtp-session.js';
import type { SmtpServer } from './smtp-url.js';
import {
  isAscii,
  type Mail,
  type ProbeOutcome,
  type SendLimits,
  type SendOutcome,
  type Stage,
  type Transport,
} from './transport.js';

export interface SmtpOptions {
  readonly server: SmtpServer;
  /** Connections at most. */
  readonly connections: number;
  /** What this host calls itself; undefined: the domain of the sender of the e-mail that a connection is opened for. */
  readonly ehloName?: string | undefined;
  readonly timings?: SmtpTimings;
  readonly tls?: ConnectionOptions;
}

export function createSmtpTransport(options: SmtpOptions): Transport {
  const { ehloName, connections, timings = smtpTimings } = options;
  let sender: string | undefined;
  const open = (): Session => openSession({ ...options, timings, ehloName: ehloName ?? sender });
  const pool = createSmtpPool({ open, connections, timings });
  return {
    send(mail, limits) {
      const { from } = mail.envelope;
      sender = from.slice(from.lastIndexOf('@') + 1);
      return attempt(pool, mail, limits);
    },
    probe: (signal) => probe(pool, signal),
    limit: (wanted) => pool.limit(wanted),
    close: () => pool.close(),
  };
}

function probe(pool: SmtpPool, signal: AbortSignal): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    let session: Session | undefined;
    let leaveQueue = (): void => undefined;
    const stop = (): void => {
      leaveQueue();
      session?.destroy();
      resolve(probeRefused({ reason: 'stopped' }));
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) return stop();
    // They may be of the time before the trouble.
    pool.retireIdle();
    leaveQueue = pool.acquire((lease) => {
      session = lease.session;
      void session.ready.then((fault) => {
        signal.removeEventListener('abort', stop);
        if (fault === undefined) pool.release(lease.session);
        else lease.session.destroy();
        resolve(fault === undefined ? { status: 'ready' } : probeRefused(fault));
      });
    });
  });
}

function attempt(pool: SmtpPool, mail: Mail, limits: SendLimits): Promise<SendOutcome> {
  return new Promise((resolve) => {
    let leaveQueue = (): void => undefined;
    let session: Session | undefined;
    let stage: Stage = 'connection';
    let handedOver = false;
    let settled = false;

    const settle = (outcome: SendOutcome): void => {
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      limits.signal.removeEventListener('abort', stop);
      leaveQueue();
      resolve(outcome);
    };
    /** Ends the attempt and destroys the connection, so that nothing more is sent on it. */
    const cut = (outcome: SendOutcome): void => {
      if (settled) return;
      settle(outcome);
      session?.destroy();
    };
    const outcomeOf = (fault: SmtpFault): SendOutcome =>
      handedOver ? afterHandOver(fault) : beforeHandOver(fault, stage);
    const fail = (fault: SmtpFault): void => cut(outcomeOf(fault));
    const stop = (): void => fail({ reason: 'stopped' });

    const timers = [
      setTimeout(() => handedOver || fail({ reason: 'timeout' }), limits.handOverWithin),
      setTimeout(() => fail({ reason: 'timeout' }), limits.closeWithin),
    ];
    limits.signal.addEventListener('abort', stop, { once: true });
    if (limits.signal.aborted) return stop();

    /** Whether the final dot may go, asked at the end of the body. */
    async function mayEnd(): Promise<boolean> {
      if (limits.beforeHandOver !== undefined) {
        const mayGoOut = await limits.beforeHandOver().catch(() => undefined);
        if (mayGoOut === undefined) stop();
        if (mayGoOut === false) cut({ status: 'withdrawn' });
      }
      if (settled) return false;
      // Timers may be late where the process was stalled, so the clocks are asked once more, in the same turn.
      if (!limits.mayHandOver()) fail({ reason: 'timeout' });
      else handedOver = true;
      if (handedOver) session?.awaitReply();
      return handedOver;
    }

    async function converse({ session: current, kept }: PooledSession): Promise<void> {
      session = current;
      const unready = await current.ready;
      if (settled) return current.destroy();
      if (unready !== undefined) return fail(unready);
      if (!isAscii(mail.envelope.from + mail.envelope.to) && !current.offersUtf8()) {
        settle({ status: 'failed', reason: 'smtputf8', stage });
        return pool.release(current);
      }
      stage = 'envelope';
      const body = bodyOf(mail.bytes, mayEnd);
      body.once('resume', () => (stage = 'data'));
      const transaction = await current.transact(mail, body);
      body.destroy();
      if (settled) return;
      if (transaction.status === 'ended' && kept) return again(current);
      conclude(current, transaction);
    }

    /** The server had ended the kept connection, so this e-mail gets a new one. */
    function again(ended: Session): void {
      ended.destroy();
      stage = 'connection';
      leaveQueue = pool.acquire((lease) => void converse(lease), { fresh: true });
    }

    function conclude(current: Session, transaction: Transaction): void {
      switch (transaction.status) {
        case 'answered':
          // A 250 that came before the dot is no acceptance of the whole message.
          if (!handedOver) return fail({ reason: 'protocol' });
          settle({ status: 'sent', reason: 'accepted', ...replyOf(transaction.response) });
          return pool.release(current);
        case 'unsent':
          settle(outcomeOf(transaction.fault));
          return pool.release(current);
        case 'refused':
          settle(outcomeOf(transaction.fault));
          return void current.reset().then((isReset) => (isReset ? pool.release(current) : current.destroy()));
        case 'ended':
        case 'broken':
          return fail(transaction.fault);
        default:
          return transaction satisfies never;
      }
    }

    leaveQueue = pool.acquire((lease) => void converse(lease));
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
