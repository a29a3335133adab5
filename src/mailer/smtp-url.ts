/** Reads `SMTP_URL` into what a connection needs. */

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`). */
  readonly secure: boolean;
  /** Without TLS, or with a certificate that does not hold, nothing is sent. Otherwise STARTTLS is used where it is offered. */
  readonly requireTLS: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

/**
 * `smtp://` or `smtps://`, user and password percent-encoded. Ports: 587 and 465 where none is given. TLS is demanded on
 * port 587, and elsewhere with `?requireTLS=true`. @throws TypeError that never repeats the URL, which holds a password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = serverUrl(text);
  if ([...url.searchParams.keys()].some((name) => name !== 'requireTLS'))
    throw new TypeError('SMTP_URL may have no option but requireTLS=true');
  const secure = url.protocol === 'smtps:';
  const port = Number(url.port || (secure ? 465 : 587));
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    secure,
    requireTLS: port === 587 || url.searchParams.get('requireTLS') === 'true',
    auth: url.username === '' ? null : credentials(url),
  };
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '') return url;
  throw new TypeError('SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465');
}

function credentials({ username, password }: URL): { user: string; pass: string } {
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    throw new TypeError('user and password in SMTP_URL must be percent-encoded');
  }
}
