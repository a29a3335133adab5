/** What the mailer knows of the relay: keeps the breaker, probes, says once what is wrong, and lowers the number of connections where there are too many. */
import {
  answered,
  relayAnswerOf,
  relayFaultOf,
  initialBreaker,
  isRelays,
  isUnreachable,
  mostUntried,
  type RelayAnswer,
  type BreakerTimings,
  type RelayFault,
} from './breaker.js';
import type { SendOutcome, Transport } from './transport.js';

/** How long the relay is not asked for more connections after it said that there are too many; then one more each time. Milliseconds. */
const fewerMs = 300_000;

/** Nothing in it is personal. `since` is ISO 8601. */
export type RelayReport =
  | ({ readonly type: 'relay_refuses'; readonly since: string } & RelayFault)
  | { readonly type: 'relay_accepts'; readonly since: string };

interface RelayOptions {
  readonly transport: Transport;
  /** At most. */
  readonly connections: number;
  /** E-mails at a time: while some are handed over, others are claimed or recorded. */
  readonly concurrency: number;
  readonly breakerTimings: BreakerTimings;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly report: (report: RelayReport) => void;
}

/** What one attempt tells of the relay. */
export interface RelayTrial {
  /** Whether it may still be claimed. */
  mayClaim(): boolean;
  /** The relay has taken all of it but the final dot. */
  works(): void;
  /** True: what the outcome says is the relay's state, and the e-mail must not pay for it. */
  ended(outcome: SendOutcome, recipient: string): boolean;
  /** The attempt is over, however. */
  close(): void;
}

export type Relay = ReturnType<typeof createRelay>;

export function createRelay(options: RelayOptions) {
  const { transport, clock, monotonic, random, report } = options;
  let breaker = initialBreaker;
  /** Attempts of which the relay has said nothing yet. */
  let untried = 0;
  let connections = options.connections;
  /** It has taken an e-mail, and not refused since: e-mails may be claimed before there is a connection for them. */
  let isProven = false;
  let moreAt = Infinity;
  let probing = false;
  /** Since when it refuses, and what was last reported. */
  let trouble: { readonly since: string; readonly fault: RelayFault } | undefined;

  function hear(answer: RelayAnswer): void {
    const wasOpen = breaker.status === 'open';
    breaker = answered(breaker, answer, { now: monotonic(), random: random(), timings: options.breakerTimings });
    if (answer.type === 'unreachable' && answer.fault.reason === 'too_many_connections' && !wasOpen)
      allow(Math.max(1, Math.floor(connections / 2)));
    isProven = breaker.status === 'closed' && (isProven || answer.type === 'works');
    if (answer.type === 'works' && monotonic() >= moreAt) allow(connections + 1);
    tell();
  }

  function allow(most: number): void {
    connections = most;
    moreAt = most < options.connections ? monotonic() + fewerMs : Infinity;
    transport.limit(most);
  }

  function tell(): void {
    const { status, fault } = breaker;
    if (status === 'closed' && trouble !== undefined) {
      report({ type: 'relay_accepts', since: trouble.since });
      trouble = undefined;
    }
    if (status !== 'open' || fault === null || isSame(trouble?.fault, fault)) return;
    trouble = { since: trouble?.since ?? new Date(clock()).toISOString(), fault };
    report({ type: 'relay_refuses', since: trouble.since, ...fault });
  }

  const mayClaim = (): boolean => mostUntried(breaker, monotonic()) > 0;

  return {
    /** How many e-mails may be claimed beside those that run. */
    room(running: number): number {
      const ahead = isProven ? options.concurrency / options.connections : 1;
      return Math.min(Math.floor(connections * ahead) - running, mostUntried(breaker, monotonic()) - untried);
    },
    /** Whether a connection is to be tried now, without an e-mail. */
    isProbeDue: (): boolean => isUnreachable(breaker) && !probing && monotonic() >= breaker.probeAt,
    /** Milliseconds until something may be tried again; Infinity: now, or after what runs. */
    rest: (): number =>
      breaker.status === 'open' && monotonic() < breaker.probeAt ? breaker.probeAt - monotonic() : Infinity,
    async probe(signal: AbortSignal): Promise<void> {
      probing = true;
      const outcome = await transport.probe(signal);
      probing = false;
      if (signal.aborted) return;
      hear(outcome.status === 'ready' ? { type: 'ready' } : { type: 'unreachable', fault: relayFaultOf(outcome) });
    },
    /** One attempt begins. */
    begin(): RelayTrial {
      let counts = 1;
      untried += 1;
      const heard = (): void => {
        untried -= counts;
        counts = 0;
      };
      return {
        mayClaim,
        works() {
          heard();
          hear({ type: 'works' });
        },
        ended(outcome, recipient) {
          heard();
          const answer = relayAnswerOf(outcome, recipient);
          if (answer === undefined) return false;
          hear(answer);
          return isRelays(breaker, answer);
        },
        close: heard,
      };
    },
    /** `refuses`: what the relay last said, and since when nothing is sent; undefined while e-mails go out. */
    status: () => ({
      connections,
      refuses:
        breaker.status === 'open' && trouble !== undefined ? { since: trouble.since, ...trouble.fault } : undefined,
    }),
  };
}

const isSame = (one: RelayFault | undefined, other: RelayFault): boolean =>
  one?.reason === other.reason && one.smtp_code === other.smtp_code && one.enhanced_code === other.enhanced_code;
