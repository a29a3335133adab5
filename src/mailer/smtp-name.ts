/** What this host calls itself to a mail server, in EHLO. Many servers refuse a name without a dot, and that of loopback. */

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** `mail.example.com`, not `localhost.localdomain`. */
export function isFullName(name: string): boolean {
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
