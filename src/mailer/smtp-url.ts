/** The settings of a connection: `SMTP_URL`, and the name that this host gives itself in EHLO. Many servers refuse a name without a dot, and that of loopback. */

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

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);

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

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** `mail.example.com`, not `localhost.localdomain`. */
function isFullName(name: string): boolean {
  const labels = name.split('.');
  const isAddress = /^\d+$/.test(labels.at(-1) ?? '');
  return (
    name.length <= 253 &&
    labels.length > 1 &&
    !isAddress &&
    !/^localhost\./i.test(name) &&
    labels.every((text) => label.test(text))
  );
}

/** A full name, or an address literal (RFC 5321 4.1.3): `[192.0.2.1]`, `[IPv6:2001:db8::1]`. */
export const isSmtpName = (name: string): boolean =>
  isFullName(name) || /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[\da-f:.]+)\]$/i.test(name);

/** `set`, else that of the host where it is a full one. */
export const ownSmtpName = (set: string | undefined, host: string): string | undefined =>
  set ?? (isFullName(host) ? host : undefined);
