/** One e-mail as its recipient is told of it: what was requested, what went out, and all that became of it. */
import { describeEmail } from '../audit/event-descriptions.js';
import { readableEmail, type PersonsEmail } from '../audit/emails.js';
import { unreadableEvent } from '../audit/unreadable.js';
import { emailContent } from '../commands/email-content.js';
import type { EmailEvent } from '../events/email.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { ExportedEmail } from './export-answer.js';

export function exportedEmail({ emailId, message, events }: PersonsEmail): ExportedEmail {
  const common = { email_id: emailId, erased: message === null, steps: events.map(stepOf) };
  if (!message) return { ...common, requested: null };
  const { from_email: from, to_email: to, subject, mail_template: body, variables } = message;
  if (variables === undefined) return { ...common, requested: { from, to, subject, body } };
  const { subject: sentSubject, html } = emailContent(message);
  const sent_as = { subject: sentSubject, body: html };
  return { ...common, requested: { from, to, subject, body, variables }, sent_as };
}

function stepOf(stored: StoredEvent): ExportedEmail['steps'][number] {
  const recorded = readableEmail(stored);
  if (recorded === undefined) {
    const { at = null, type, summary, actor: by = null, request_id = null } = unreadableEvent(stored, null);
    return { at, type, summary, by, request_id };
  }
  const { event, metadata } = recorded;
  const response = responseIn(event);
  return {
    at: metadata.at,
    type: event.type,
    summary: describeEmail(event),
    by: metadata.actor,
    request_id: metadata.request_id,
    ...(response === undefined ? {} : { response }),
  };
}

const responseIn = ({ data }: EmailEvent): string | undefined =>
  'message' in data && data.message && 'response' in data.message ? data.message.response : undefined;
