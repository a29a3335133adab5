/** Reads `SMTP_URL` into what a connection needs. */

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps://`). */
  readonly secure: boolean;
  /** Without TLS, or with a certificate that does not hold, nothing is sent. Otherwise STARTTLS is used where it is offered. */
  readonly requireTLS: boolean;
  /** `?requireTLS=false`: what is sent, a password too, may be read on its way. */
  readonly mayBeClear: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
}

/**
 * `smtp://` or `smtps://`, user and password percent-encoded. Ports: 587 and 465 where none is given. TLS is demanded on
 * port 587, and for a user who is not on this machine; `?requireTLS=true` demands it elsewhere, `?requireTLS=false`
 * nowhere. @throws TypeError that never repeats user and password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = serverUrl(text);
  const secure = url.protocol === 'smtps:';
  const port = Number(url.port || (secure ? 465 : 587));
  if (port === 465 && !secure) throw needsSmtps(url);
  const auth = url.username === '' ? null : credentials(url);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const wanted = wantsTls(url);
  return {
    host,
    port,
    secure,
    requireTLS: wanted ?? (port === 587 || (auth !== null && !isLoopback(host))),
    mayBeClear: !secure && wanted === false,
    auth,
  };
}

function needsSmtps({ username, host }: URL): TypeError {
  const user = username === '' ? '' : 'user:password@';
  return new TypeError(`SMTP_URL must begin with smtps:// where the port is 465: smtps://${user}${host}`);
}

function wantsTls({ searchParams }: URL): boolean | undefined {
  const options = [...searchParams].map(([name, value]) => `${name}=${value}`);
  if (options.length > 1 || !['requireTLS=true', 'requireTLS=false'].includes(options[0] ?? 'requireTLS=true'))
    throw new TypeError('SMTP_URL may have no option but requireTLS=true or requireTLS=false');
  return options[0] === undefined ? undefined : options[0] === 'requireTLS=true';
}

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '') return url;
  throw new TypeError('SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465');
}

function credentials({ username, password }: URL): { user: string; pass: string } {
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    throw new TypeError('SMTP_URL must have user and password percent-encoded');
  }
}
