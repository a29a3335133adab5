/** What became of each e-mail: by the log, and by what the mail server has. */
import path from 'node:path';
import { codec } from '../../src/events/codec.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { eventually, type Service } from '../support/service.js';
import type { SmtpStandIn } from '../support/smtp.js';

export interface MailStory {
  readonly events: readonly { readonly type: string; readonly at: number; readonly reason: string }[];
  readonly doubts: readonly { readonly at: number; readonly reason: string }[];
  /** Messages that the mail server has, whole. */
  readonly copies: number;
}

interface Mailing {
  /** Requests this many e-mails, each to an address of its own. */
  request(count: number): Promise<void>;
  /** Resolves with the story of each e-mail once all are sent. */
  untilSent(within: number): Promise<readonly MailStory[]>;
}

export function newMailing(api: Service, log: EventReader, smtp: SmtpStandIn): Mailing {
  /** Addresses by the e-mails' ids. */
  const emails = new Map<string, string>();

  async function requestOne(to_email: string): Promise<void> {
    const mail = { from_email: 'ledger@example.com', to_email, subject: 'Hello', mail_template: '<p>Hello</p>' };
    const { headers } = await api.post('/v1/email/send', mail);
    emails.set(path.basename(String(headers.location)), to_email);
  }

  async function stories(): Promise<readonly MailStory[]> {
    const events = new Map<string, { type: string; at: number; reason: string }[]>();
    for await (const batch of log.readAll())
      for (const stored of batch) {
        const { event, metadata } = codec.decode(stored);
        if (!('email_id' in event.data) || event.data.email_id === undefined) continue;
        const reason = 'reason' in event.data ? String(event.data.reason) : '';
        const known = events.get(event.data.email_id) ?? [];
        events.set(event.data.email_id, [...known, { type: event.type, at: Date.parse(metadata.at), reason }]);
      }
    return [...emails].map(([id, to]) => {
      const own = events.get(id) ?? [];
      const copies = smtp.messages.filter((message) => message.to[0] === to).length;
      return { events: own, doubts: own.filter(({ type }) => type === 'EmailInDoubt'), copies };
    });
  }

  return {
    async request(count) {
      const from = emails.size;
      await Promise.all(Array.from({ length: count }, (_, index) => requestOne(`ada${from + index}@example.com`)));
    },
    untilSent: (within) =>
      eventually(
        async () => {
          const found = await stories();
          return found.every(({ events }) => events.at(-1)?.type === 'EmailSent') ? found : undefined;
        },
        { within, what: 'every e-mail sent' },
      ),
  };
}

/** When its last attempt began. */
export const lastClaim = ({ events }: MailStory): number =>
  events.findLast(({ type }) => type === 'EmailDispatchStarted')?.at ?? Infinity;
