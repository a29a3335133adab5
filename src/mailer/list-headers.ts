/** The headers of mail to a subscriber of a list: with them mail programs show a button to unsubscribe (RFC 2369, 8058) and tell lists apart (RFC 2919). */
import type { UnsubscribeLink } from '../events/unsubscribe-token.js';
import { isDnsName } from './dkim.js';
import { encoded, looksEncoded } from './encoded-word.js';

/** The list, and its name when the e-mail was asked for: `''` where that is not known. */
export interface ListOfMail {
  readonly id: string;
  readonly name: string;
}

/** The link in an e-mail: always the same for the same e-mail. */
export type UnsubscribeUrl = (link: UnsubscribeLink) => string;

interface Header {
  readonly key: string;
  readonly value: { readonly prepared: true; readonly value: string };
}

/** As they stand in the message. None of their lines is longer than the 998 characters that SMTP takes. */
export function listHeaders({ id, name }: ListOfMail, link: string): Header[] {
  const { hostname } = new URL(link);
  // What is no name of the DNS, as an IPv6 address, is none of a list either.
  const listId = `<${id}.${isDnsName(hostname) ? hostname : 'localhost'}>`;
  return [
    header('List-Id', name === '' ? listId : `${phrase(name)}\r\n ${listId}`),
    header('List-Unsubscribe', `<${link}>`),
    header('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'),
  ];
}

const header = (key: string, value: string): Header => ({ key, value: { prepared: true, value } });

/** In quotes where it is short and of ASCII, else as encoded words (RFC 2047). */
const phrase = (name: string): string =>
  /^[\x20-\x7e]{1,60}$/.test(name) && !looksEncoded(name)
    ? `"${name.replace(/["\\]/g, '\\$&')}"`
    : encoded(name).replaceAll(' ', '\r\n ');
