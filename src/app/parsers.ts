/**
 * Every parser that reads text from outside, with the largest input that it gets. No parser may stall the service: each
 * takes less than 50 ms on the main thread for the worst input of that size, or runs elsewhere. `test/app/parsers.test.ts`
 * feeds hostile input to each of them, and `npm run generate:docs` writes docs/reference/limits.md from this list.
 */
import { maxHeaderSize } from 'node:http';
import { defaultBodyLimit } from '../api/http/body.js';
import { maxBytes as formBytes } from '../api/pages/form.js';
import { emailEndpoints } from '../api/resources/email.js';
import { maxBytes as addressBytes } from '../api/schemas/fields.js';
import { maxTemplate } from '../commands/mustache.js';
import { longestRow } from '../copy/csv-reader.js';
import { longestLine } from '../copy/file.js';
import { longestValue } from '../bounces/fields.js';
import { maxResponseSize } from '../mailer/smtp-session.js';

/** A `command` runs in a process of its own, beside the service. */
type Where = 'main thread' | 'worker thread' | 'command';

interface Parser {
  readonly parser: string;
  /** Bytes of the largest input. */
  readonly bound: number;
  readonly where: Where;
  /** The files that parse. */
  readonly files: readonly string[];
}

const { bodyLimit: emailBody = defaultBodyLimit } = emailEndpoints.send;
const { bodyLimit: reportBody = defaultBodyLimit } = emailEndpoints.report;
const onMain = (parser: string, bound: number, ...files: readonly string[]) =>
  ({ parser, bound, where: 'main thread', files }) as const;

export const parsers = {
  emailBody: onMain('JSON body of `POST /v1/email/send`', emailBody, 'src/api/http/body.ts', 'src/api/http/parse.ts'),
  body: onMain('JSON body of other requests, and a line of a bulk request', defaultBodyLimit, 'src/api/http/body.ts'),
  template: onMain('Mustache template', maxTemplate, 'src/commands/mustache.ts'),
  html: onMain('HTML to text', maxTemplate, 'src/mailer/plain-text.ts'),
  address: onMain('email address', addressBytes, 'src/events/address.ts'),
  sender: onMain('sender as `Name <address>`', addressBytes, 'src/commands/address.ts'),
  searchText: onMain('names and addresses for the search', addressBytes, 'src/projections/compared-text.ts'),
  form: onMain('form of a page of recipients', formBytes, 'src/api/pages/form.ts'),
  path: onMain('path of a request', maxHeaderSize, 'src/api/http/routes.ts'),
  query: onMain('query of a request: parameters, times, names, cursors', maxHeaderSize, 'src/audit/times.ts'),
  filter: onMain('value in a query that filters documents', maxHeaderSize, 'src/api/resources/views.ts'),
  negotiation: onMain('`Accept`, `Accept-Encoding`, `Range`, `If-None-Match`', maxHeaderSize, 'src/api/app.ts'),
  preferences: onMain('`Prefer`, `Authorization`, `Idempotency-Key`', maxHeaderSize, 'src/api/http/request-headers.ts'),
  forwarded: onMain('`Forwarded`, `X-Forwarded-For`', maxHeaderSize, 'src/api/http/client-address.ts'),
  traceContext: onMain('`traceparent`, `tracestate`', maxHeaderSize, 'src/traces/requests.ts'),
  unsubscribeToken: onMain('token of a link to unsubscribe', maxHeaderSize, 'src/events/unsubscribe-token.ts'),
  returnPath: onMain('return path in `X-Envelope-To`', maxHeaderSize, 'src/events/return-path.ts'),
  reply: onMain(
    'reply of a mail server',
    maxResponseSize,
    'src/mailer/smtp-outcome.ts',
    'src/mailer/breaker.ts',
    'src/events/refusal-kind.ts',
  ),
  emailHeader: onMain('`X-Audience-Email` in a report', longestValue, 'src/events/email-proof.ts'),
  report: {
    parser: 'report about an email: MIME, delivery status, feedback report',
    bound: reportBody,
    where: 'worker thread',
    files: [
      'src/bounces/read-report.ts',
      'src/bounces/fields.ts',
      'src/bounces/delivery-status.ts',
      'src/bounces/feedback-report.ts',
    ],
  },
  csv: {
    parser: 'row of a CSV file that is imported',
    bound: longestRow,
    where: 'command',
    files: ['src/copy/csv-reader.ts', 'src/copy/contact-columns.ts', 'src/copy/local-time.ts'],
  },
  exportLine: {
    parser: 'line of an export of events that is imported',
    bound: longestLine,
    where: 'command',
    files: ['src/copy/line.ts'],
  },
} as const satisfies Readonly<Record<string, Parser>>;
