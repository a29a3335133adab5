/**
 * The hook through which a service reports what it does. Metrics, traces and the request log listen:
 *
 *     const begun = observe.begin?.append(carried);      // a span begins, if traces are made
 *     const result = await append();
 *     observe.append(result, begun);                     // metrics count it, and the span ends
 *
 * Only commands and errors can hold personal data, so listeners must not show their content.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** The kinds of observations, with what listeners get of each. Something that takes time is reported when it ends. */
interface Observations {
  readonly request: RequestLine;
  readonly command: CommandEnd;
  /** Another process has changed a stream, so its commands are decided again. */
  readonly conflict: void;
  readonly append: Appended | AppendFailure;
  /** A transaction of the embedded log, with its fsync. */
  readonly commit: LogCommit;
  readonly roundTrip: RoundTrip;
  /** A piece of work of a subscriber. */
  readonly work: { readonly error?: unknown };
  /** A report of the mailer. */
  readonly email: EmailReport;
  /** An email was handed over to the mail server, or refused by it. */
  readonly handOver: HandOver;
  /** The position up to which the views show the log now. */
  readonly shown: string;
}

/** The log line of a request: nothing of its content, and only the pattern of its path. */
export interface RequestLine {
  readonly request_id: string;
  /** Undefined if no traces are made. */
  readonly trace_id: string | undefined;
  /** Undefined if no traces are made. */
  readonly correlation_id: string | undefined;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Id of the API key. Undefined without a valid key. */
  readonly actor: string | undefined;
  /** The cause of a server fault. Undefined for all other answers. */
  readonly error: unknown;
}

/** The end of a command. `failed`: a fault kept the command from being decided. */
type CommandEnd =
  | { readonly status: 'accepted'; readonly events: readonly unknown[] }
  | { readonly status: 'refused' | 'failed'; readonly error: unknown };

interface Appended {
  readonly position: string;
  readonly events: readonly { readonly event: { readonly type: string; readonly data: object } }[];
}

interface AppendFailure {
  readonly error: unknown;
}

export interface LogCommit {
  readonly appends: number;
  /** Undefined if the transaction failed. */
  readonly milliseconds: number | undefined;
}

/** A round trip of the main thread to a server, whether it succeeded or failed. */
export interface RoundTrip {
  readonly store: 'eventstoredb' | 'mongodb';
  readonly operation: 'append' | 'read' | 'write';
  readonly milliseconds: number;
}

type EmailReport =
  | { readonly type: 'started'; readonly attempt: number }
  | ({
      readonly type: 'recorded';
      readonly attempt: number;
      readonly outcome: string;
      readonly reason: string;
    } & ReplyCodes)
  | { readonly type: 'held_overdue'; readonly emails: number; readonly reason: string }
  | { readonly type: 'superseded' | 'record_failed' | 'abandoned' | 'lapsed' | 'fault' }
  | { readonly type: 'relay_accepts' | 'relay_refuses' };

interface HandOver {
  readonly milliseconds: number;
  readonly outcome: { readonly status: string; readonly reason?: string } & ReplyCodes;
}

interface ReplyCodes {
  readonly smtp_code?: number | undefined;
  readonly enhanced_code?: string | undefined;
}

type Kind = keyof Observations;

/** Something that has begun and is followed to its end. */
export interface Begun<Ending extends Kind> {
  end(about: Observations[Ending]): void;
}

/** A request or a piece of work. What begins in it is part of it. */
interface BegunActivity<Ending extends Kind> extends Begun<Ending> {
  run<Result>(work: () => Result): Result;
}

export interface BegunRequest extends BegunActivity<'request'> {
  readonly traceId: string;
}

/** A command as it was requested. */
export interface ObservedCommand {
  readonly stream: string;
  readonly command: unknown;
  readonly context: { readonly correlationId: string };
}

/** A command whose events are part of an append, and the number of these events. */
export interface CarriedCommand {
  readonly request: ObservedCommand;
  readonly events: number;
}

interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly isEncrypted: boolean;
}

/** The functions that are called when something begins. A function returns undefined if nothing follows it to its end. */
export interface Follow {
  request(head: RequestHead): BegunRequest;
  /** @param subscriber its name */
  work(subscriber: string): BegunActivity<'work'>;
  command(command: ObservedCommand): Begun<'command'> | undefined;
  append(carried: readonly CarriedCommand[]): Begun<'append'> | undefined;
  handOver(): Begun<'handOver'> | undefined;
}

/** Tells all listeners what happened, and then ends what had begun. */
type Teller<Told extends Kind> = (about: Observations[Told], begun?: Begun<Told>) => void;

export interface Observe extends Readonly<{ [Told in Kind]: Teller<Told> }> {
  /** Undefined if no traces are made, so that nothing is prepared for them. */
  readonly begin: Follow | undefined;
}

export type Listener = { readonly [Heard in Kind]?: (about: Observations[Heard]) => void };

/** @param listeners are told in this order */
export function createObserve(listeners: readonly Listener[], begin?: Follow): Observe {
  const tell = <Told extends Kind>(kind: Told): Teller<Told> => {
    const heard = listeners.flatMap((listener) => listener[kind] ?? []);
    return (about, begun) => {
      for (const listen of heard) listen(about);
      begun?.end(about);
    };
  };
  return {
    begin,
    request: tell('request'),
    command: tell('command'),
    conflict: tell('conflict'),
    append: tell('append'),
    commit: tell('commit'),
    roundTrip: tell('roundTrip'),
    work: tell('work'),
    email: tell('email'),
    handOver: tell('handOver'),
    shown: tell('shown'),
  };
}

/** Runs a round trip to a server, and reports how long it took. */
export async function measured<Answer>(
  observe: Observe | undefined,
  trip: Omit<RoundTrip, 'milliseconds'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (observe === undefined) return await ask();
  const start = performance.now();
  try {
    return await ask();
  } finally {
    observe.roundTrip({ ...trip, milliseconds: performance.now() - start });
  }
}
