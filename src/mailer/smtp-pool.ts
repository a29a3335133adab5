/** Keeps connections to the mail server for one e-mail after the other, and never has more of them than allowed. */
import type { Session, SmtpTimings } from './smtp-session.js';

interface PoolOptions {
  readonly open: () => Session;
  /** Open at a time, those that are being closed among them. */
  readonly connections: number;
  readonly timings: Pick<SmtpTimings, 'keep' | 'linger'>;
}

/** E-mails that one connection is used for. */
const mostEmails = 100;

export interface PooledSession {
  readonly session: Session;
  /** It was used, or at least opened, before: the server may have ended it without a word. */
  readonly kept: boolean;
}

interface SessionRequest {
  /** Only a new connection will do. */
  readonly fresh: boolean;
  readonly take: (lease: PooledSession) => void;
}

export type SmtpPool = ReturnType<typeof createSmtpPool>;

export function createSmtpPool({ open, connections, timings }: PoolOptions) {
  /** How often each was used. */
  const sessions = new Map<Session, number>();
  /** With the end of its time; the one used last stands last. */
  const idle = new Map<Session, NodeJS.Timeout>();
  const waiting = new Set<SessionRequest>();
  let most = connections;
  let closing = false;

  function start(): Session {
    const session = open();
    sessions.set(session, 0);
    void session.closed.then(() =>
      setTimeout(() => {
        sessions.delete(session);
        serve();
      }, timings.linger),
    );
    return session;
  }

  function takeOut(session: Session): void {
    clearTimeout(idle.get(session));
    idle.delete(session);
  }

  /** The one used last, so that those that are too many grow old. */
  function takeIdle(): Session | undefined {
    for (const session of [...idle.keys()].reverse()) {
      takeOut(session);
      if (session.isUsable()) return session;
    }
    return undefined;
  }

  function leaseFor({ fresh }: SessionRequest): PooledSession | undefined {
    const used = fresh ? undefined : takeIdle();
    if (used !== undefined) return { session: used, kept: true };
    return sessions.size < most ? { session: start(), kept: false } : undefined;
  }

  function serve(): void {
    for (const next of waiting) {
      const lease = leaseFor(next);
      if (lease === undefined) continue;
      waiting.delete(next);
      sessions.set(lease.session, (sessions.get(lease.session) ?? 0) + 1);
      next.take(lease);
    }
  }

  function retire(session: Session): void {
    takeOut(session);
    session.quit();
  }

  const retireIdle = (count: number): void => [...idle.keys()].slice(0, count).forEach(retire);

  function keepIdle(session: Session): void {
    if (!session.isUsable()) return;
    if (closing || sessions.size > most || (sessions.get(session) ?? 0) >= mostEmails) return session.quit();
    idle.set(session, setTimeout(retire, timings.keep, session));
    serve();
  }

  return {
    /**
     * Gives `take` a connection for one e-mail as soon as there is one, to be given back or destroyed. Call what it
     * returns to wait no longer.
     */
    acquire(take: SessionRequest['take'], { fresh = false } = {}): () => void {
      const entry = { fresh, take };
      waiting.add(entry);
      serve();
      return () => waiting.delete(entry);
    },
    /**
     * The conversation on it has come to a clean end. What the server says without being asked is read with the reply
     * before it, and ends the connection one turn later: only after that it is used again.
     */
    release(session: Session): void {
      setImmediate(() => setImmediate(keepIdle, session));
    },
    /** Ends those that are not in use. */
    retireIdle: () => retireIdle(idle.size),
    limit(wanted: number): void {
      most = Math.max(1, Math.min(wanted, connections));
      retireIdle(Math.max(0, sessions.size - most));
      serve();
    },
    close(): void {
      closing = true;
      retireIdle(idle.size);
    },
  };
}
