/** What goes out as subject and body of an e-mail: as it was sent, or rendered where it came with variables. */
import { ServiceError } from '../errors.js';
import type { EmailMessage } from './email-commands.js';
import { escapeHtml, render, type Rendering } from './mustache.js';

interface EmailContent {
  readonly subject: string;
  readonly html: string;
}

/** In bytes, of the rendered texts too. */
export const maxSubject = 900;
export const maxTemplate = 512 * 1024;
/** Bytes of the JSON of template and variables in the event: the append must fit into EventStoreDB. */
export const maxEncoded = 700 * 1024;

const subjectRendering: Rendering = { field: 'subject', maxBytes: maxSubject, escape: (text) => text };
const htmlRendering: Rendering = { field: 'mail_template', maxBytes: maxTemplate, escape: escapeHtml };

/** As it went out. What was accepted once can be rendered for ever. */
export const subjectOf = ({ subject, variables }: Pick<EmailMessage, 'subject' | 'variables'>): string =>
  variables === undefined ? subject : render(subject, variables, subjectRendering);

/** @throws ServiceError where variables and texts do not fit each other. What was accepted once does for ever. */
export function emailContent({ subject, mail_template, variables }: EmailMessage): EmailContent {
  if (variables === undefined) return { subject, html: mail_template };
  if (Buffer.byteLength(JSON.stringify(mail_template) + JSON.stringify(variables)) > maxEncoded)
    throw new ServiceError('too_many_bytes', { field: 'mail_template and variables together', limit: maxEncoded });
  const content = {
    subject: subjectOf({ subject, variables }),
    html: render(mail_template, variables, htmlRendering),
  };
  if (content.subject.trim() === '') throw new ServiceError('required', { field: 'subject' });
  // Values may have what a header must not.
  if (/[\t\r\n]/.test(content.subject)) throw new ServiceError('invalid_characters', { field: 'subject' });
  if (content.html.trim() === '') throw new ServiceError('required', { field: 'mail_template' });
  return content;
}
