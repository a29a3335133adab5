/** What the mailer asks of a way to hand over e-mails, and what can come of it. */
import type { AttemptReason } from './reasons.js';

/** A composed message; composing the same e-mail again yields the same bytes. */
export interface Mail {
  readonly email_id: string;
  /** Bare, validated addresses: one sender, one recipient. One that is not ASCII needs SMTPUTF8. */
  readonly envelope: { readonly from: string; readonly to: string };
  readonly bytes: Buffer;
  /** Reports come back to the service: servers that know how are asked for those of failures, with the id and without the content. */
  readonly isReported?: boolean;
}

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The server's reply quotes the address, so it is personal: it goes under `message` of the event and nowhere else. */
export interface Reply {
  readonly smtp_code?: number | undefined;
  readonly enhanced_code?: string | undefined;
  readonly response?: string | undefined;
}

/** How far the conversation had come: before the reply to MAIL was asked for, at MAIL or RCPT, from DATA on. `recipient`: the reply is that to RCPT. */
export type Stage = 'connection' | 'envelope' | 'recipient' | 'data';

export type SendOutcome =
  | ({ readonly status: 'sent'; readonly reason: AttemptReason } & Reply)
  /** Not accepted, for certain; worth another attempt. */
  | ({
      readonly status: 'deferred';
      readonly reason: AttemptReason;
      readonly stage: Stage;
      /** What is wrong with TLS, where that is the reason: a code of OpenSSL or Node. */
      readonly tls_code?: string | undefined;
    } & Reply)
  /** Not accepted, for certain, and never will be. */
  | ({ readonly status: 'failed'; readonly reason: AttemptReason; readonly stage: Stage } & Reply)
  /** `beforeHandOver` said no: nothing was handed over. */
  | { readonly status: 'withdrawn' }
  /** Handed over whole, but no answer came: accepted or not. */
  | { readonly status: 'in_doubt'; readonly reason: AttemptReason };

/** When the attempt must stop of itself, because others may judge it later. Times are milliseconds from the call. */
export interface SendLimits {
  /** Whether the e-mail may still go out, asked right before the final dot. A rejection ends the attempt as deferred, `stopped`. */
  readonly beforeHandOver?: () => Promise<boolean>;
  /** Asked in the turn in which the final dot is sent, after `beforeHandOver`; false: it must not be sent any more. */
  readonly mayHandOver: () => boolean;
  /** After this time the final dot is not sent any more, and the attempt ends as deferred. */
  readonly handOverWithin: number;
  /** After this time nothing of the attempt may still be under way. */
  readonly closeWithin: number;
  readonly signal: AbortSignal;
}

/** What the server says before there is an e-mail. */
export type ProbeOutcome =
  | { readonly status: 'ready' }
  | ({ readonly status: 'refused'; readonly reason: AttemptReason; readonly tls_code?: string | undefined } & Reply);

export interface Transport {
  /** Never rejects. Makes one attempt; never repeats anything by itself. */
  send(mail: Mail, limits: SendLimits): Promise<SendOutcome>;
  /** Never rejects. Connects and logs in, and sends nothing of an e-mail; the connection is kept for the next one. */
  probe(signal: AbortSignal): Promise<ProbeOutcome>;
  /** Connections at most, from now on: never more than configured, never fewer than one. */
  limit(connections: number): void;
  /** Ends the connections that are not in use now, and the others once their e-mail is done. */
  close(): void;
}
