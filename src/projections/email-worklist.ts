/** The queries of the service itself on the view `emails`: for the mailer, retention and erasures. None of them waits for writes. */
import type { ReadModelReader } from '../readmodels/read-models.js';
import { emails, waitingStates, type DeliveryState, type EmailDocument } from './emails.js';
import { everyPage } from './every-page.js';

/** Yields pages of the emails to a recipient, in the order of their requests. @throws ReadModelsUnavailableError */
export const emailPagesTo = (reader: Pick<ReadModelReader, 'find'>, recipient_key: string) =>
  everyPage<EmailDocument>(reader, emails, { where: { recipient_key }, sort: 'requested_position' });

/** Yields pages of the streams of emails to a recipient, in the order of their requests, with their first and last position. */
export async function* emailsTo(reader: Pick<ReadModelReader, 'find'>, recipientKey: string) {
  for await (const documents of emailPagesTo(reader, recipientKey))
    yield documents.map(({ document, position }) => ({
      stream: document.stream,
      first: document.requested_position,
      last: position,
    }));
}

/** All functions throw ReadModelsUnavailableError. */
export function createEmailWorklist(reader: Pick<ReadModelReader, 'find'>) {
  return {
    emailsTo: (recipientKey: string) => emailsTo(reader, recipientKey),
    /** Yields pages of the emails that were sent, failed or canceled before this time and whose content is not erased, the oldest end first. */
    emailsEndedBefore: async function* (time: string) {
      for await (const page of everyPage<EmailDocument>(reader, emails, { sort: 'kept_since', from: '' })) {
        const ended = page.filter(({ document: { kept_since } }) => kept_since !== null && kept_since < time);
        yield ended.map(({ document: { email_id, stream } }) => ({ email_id, stream }));
        if (ended.length < page.length) return;
      }
    },
    /** Returns open emails that have waited since before this time, the longest wait first. An email that is being sent does not wait. */
    overdueEmails: async (before: string, limit: number) => {
      const query = { where: { open: true }, sort: 'open_since', limit };
      const { documents } = await reader.find<EmailDocument>(emails, query);
      const open = documents.map(({ document }) => document);
      return open.filter(({ open_since, state }) => state !== 'sending' && (open_since ?? before) < before);
    },
    /** Returns the number of open emails in each state. Counts at most `most` of each. */
    countWaitingEmails: async (most: number) => {
      const counts: Partial<Record<DeliveryState, number>> = {};
      for (const state of waitingStates)
        counts[state] = (await reader.find(emails, { where: { state }, limit: most })).documents.length;
      return counts;
    },
    sendingEmails: async (limit: number) => {
      const { documents } = await reader.find<EmailDocument>(emails, { where: { state: 'sending' }, limit });
      return documents.map(({ document }) => document);
    },
    /** Yields pages of the open emails whose next attempt is later than this time. */
    emailsDueAfter: async function* (time: string) {
      const query = { where: { open: true }, sort: 'next_attempt_at', from: time };
      for await (const page of everyPage<EmailDocument>(reader, emails, query))
        yield page.map(({ document }) => document);
    },
    dueEmails: async (now: string, limit: number) => {
      const { documents } = await reader.find<EmailDocument>(emails, {
        where: { open: true },
        sort: 'next_attempt_at',
        limit,
      });
      const due = documents.map(({ document }) => document);
      return due.filter(({ next_attempt_at }) => next_attempt_at !== null && next_attempt_at <= now);
    },
  };
}
