/** Reports for tests: DSNs as Postfix 3.7 and Exim 4.96 made them of this service's e-mails, and a complaint in the form of RFC 5965. */
import { readFileSync } from 'node:fs';

export const someReports = [
  'postfix-gone',
  'postfix-unknown-here',
  'postfix-policy',
  'postfix-full',
  'postfix-without-code',
  'postfix-utf8',
  'exim-gone',
  'exim-unknown-here',
  'exim-policy',
  'abuse',
] as const;
export type SomeReport = (typeof someReports)[number];

const folder = new URL('reports/', import.meta.url);

/** As it was received. */
export const someReport = (name: SomeReport): string => readFileSync(new URL(`${name}.eml`, folder), 'utf8');

/** As if it were about this e-mail. Without its return path the report names none. */
export const reportOf = (name: SomeReport, emailId: string, returnPath = 'news@example.com'): string =>
  someReport(name)
    .replaceAll(/bounce\+eml_\w{26}\.[a-z2-7]{16}@mail\.example\.com/gi, returnPath)
    .replaceAll(/eml_\w{26}/g, emailId);
