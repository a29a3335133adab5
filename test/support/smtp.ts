/** A real SMTP server on loopback that does as it is told, attempt by attempt, and keeps what it was given. */
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** What becomes of one attempt: of a connection's first e-mail, or of a further one. */
export type Behaviour =
  | 'accept'
  /** Accepts after half a second. */
  | 'slow'
  | 'greet 421'
  | 'greet 554'
  /** A refusal in the words of a server of this world. */
  | `${'sender' | 'recipient' | 'data'} ${number} ${string}`
  /** Says nothing, not even hello. */
  | 'mute'
  | 'sender 451'
  | 'recipient 450'
  | 'recipient 550'
  | 'recipient 530'
  | 'data 451'
  | 'data 554'
  | 'auth 535'
  | 'close at recipient'
  /** Breaks the connection when DATA comes, before a byte of the body. */
  | 'close before dot'
  /** Takes the beginning of the body, stops reading, then breaks the connection. */
  | 'close within body'
  /** Takes the whole message and breaks the connection instead of answering. */
  | 'close after dot'
  /** Takes the whole message and never answers. */
  | 'hang after dot';

interface ReceivedMessage {
  readonly from: string | null;
  readonly to: readonly (string | null)[];
  readonly bytes: Buffer;
  /** MAIL FROM had the parameter SMTPUTF8. */
  readonly utf8: boolean;
  /** Answered with 250. */
  readonly accepted: boolean;
}

export interface SmtpStandIn {
  readonly url: string;
  readonly port: number;
  /** Messages that came whole, final dot included. */
  readonly messages: readonly ReceivedMessage[];
  /** Also those that ended before an e-mail. */
  readonly attempts: () => number;
  readonly connections: () => number;
  /** From now on as if it had just been started with these. */
  behave(...behaviours: readonly Behaviour[]): void;
  readonly logins: readonly { readonly user: string; readonly pass: string }[];
  close(): Promise<void>;
}

class Refusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, words: string) {
    super(`${words} no, and the address is quoted here: <ada@example.com>`.trim());
    this.responseCode = responseCode;
  }
}

const refusalAt = (stage: string, behaviour: Behaviour): Refusal | null => {
  const [at, code, ...words] = behaviour.split(' ');
  return at === stage && code !== undefined ? new Refusal(Number(code), words.join(' ')) : null;
};

/** Until the test is over. */
export async function startSmtp(behaviours: readonly Behaviour[], options?: SMTPServerOptions): Promise<SmtpStandIn> {
  const server = await openSmtp(behaviours, options);
  onTestFinished(() => server.close());
  return server;
}

/** Each attempt follows the next behaviour; the last one is followed for ever. */
export async function openSmtp(given: readonly Behaviour[], options: SMTPServerOptions = {}): Promise<SmtpStandIn> {
  let behaviours = given;
  const messages: ReceivedMessage[] = [];
  const logins: { user: string; pass: string }[] = [];
  const bySession = new Map<string, { behaviour: Behaviour; used: boolean }>();
  const sockets = new Set<Socket>();
  let connections = 0;
  let attempts = 0;
  const nextBehaviour = (): Behaviour => behaviours[Math.min(attempts, behaviours.length - 1)] ?? 'accept';
  const begin = (session: { readonly id: string }, used: boolean): Behaviour => {
    const behaviour = nextBehaviour();
    attempts += 1;
    bySession.set(session.id, { behaviour, used });
    return behaviour;
  };
  const behaviourOf = (session: { readonly id: string }): Behaviour => bySession.get(session.id)?.behaviour ?? 'accept';
  const breakAll = (): void => sockets.forEach((socket) => socket.destroy());

  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onConnect(session, done) {
      connections += 1;
      const behaviour = begin(session, false);
      if (behaviour !== 'mute') done(refusalAt('greet', behaviour));
    },
    onAuth({ username, password }, session, done) {
      logins.push({ user: username ?? '', pass: password ?? '' });
      const refusal = refusalAt('auth', behaviourOf(session));
      done(refusal, refusal === null ? { user: username } : undefined);
    },
    onMailFrom(_address, session, done) {
      const entry = bySession.get(session.id);
      // What happens before an e-mail needs a new connection.
      if (entry?.used !== false && /^(?:greet|mute|auth)/.test(nextBehaviour())) return breakAll();
      if (entry?.used === false) entry.used = true;
      else begin(session, true);
      done(refusalAt('sender', behaviourOf(session)));
    },
    onRcptTo(_address, session, done) {
      if (behaviourOf(session) === 'close at recipient') breakAll();
      else done(refusalAt('recipient', behaviourOf(session)));
    },
    onData(stream, session, done) {
      const behaviour = behaviourOf(session);
      if (behaviour === 'close before dot') return breakAll();
      if (behaviour === 'close within body') {
        stream.once('data', () => {
          stream.pause();
          sockets.forEach((socket) => socket.pause());
          setTimeout(breakAll, 300);
        });
        return;
      }
      const { mailFrom, rcptTo, smtpUtf8: utf8 = false } = session.envelope;
      const whole = (bytes: Buffer): void => {
        const refusal = refusalAt('data', behaviour);
        const accepted = behaviour === 'accept' || behaviour === 'slow';
        const from = mailFrom === false ? '' : mailFrom.address;
        messages.push({ from, to: rcptTo.map(({ address }) => address), bytes, utf8, accepted });
        if (behaviour === 'close after dot') breakAll();
        else if (behaviour === 'slow') setTimeout(() => done(null, 'queued as 1234'), 500);
        else if (behaviour !== 'hang after dot') done(refusal, 'queued as 1234');
      };
      // A client that breaks off has sent no message.
      buffer(stream).then(whole, () => undefined);
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      breakAll();
    });
  const behave = (...next: readonly Behaviour[]): void => {
    behaviours = next;
    attempts = 0;
    bySession.clear();
    messages.length = 0;
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    messages,
    attempts: () => attempts,
    connections: () => connections,
    logins,
    behave,
    close,
  };
}
