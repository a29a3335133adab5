/** `PUBLIC_URL`: where the recipients of e-mails reach this service, for the links that it puts into e-mails. */
import { isLoopback } from '../mailer/smtp-url.js';

/** With it and a token the longest link is shorter than `longestLink` of src/commands/mustache.ts. */
const maxLength = 500;

/** Without a slash at its end. @throws TypeError */
export function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || text.length > maxLength || !isPlain(url) || url.hostname.endsWith('.'))
    throw new TypeError('must be an address such as https://mail.example.com or https://example.com/mail');
  if (url.protocol !== 'https:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw new TypeError('must begin with https://: http:// is for this machine only, to try it out');
  return url.origin + url.pathname.replace(/\/$/, '');
}

/** Nothing that the text of an e-mail or one of its headers would have to write in another way. */
const isPlain = ({ protocol, username, password, search, hash, pathname }: URL): boolean =>
  /^https?:$/.test(protocol) && username + password + search + hash === '' && /^(?:\/[\w.~-]+)*\/?$/.test(pathname);
