/** `fetch` for a service on this machine, whose certificate is known but names another host than this address. */
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Trusts exactly this certificate (PEM), under any name. Redirects are not followed. */
export function pinnedFetch(certificate: string): Fetch {
  const { raw } = new X509Certificate(certificate);
  const trust = {
    ca: certificate,
    // It need not be self-signed: it is trusted without its issuer.
    allowPartialTrustChain: true,
    checkServerIdentity: (_: string, shown: { readonly raw: Buffer }) =>
      shown.raw.equals(raw) ? undefined : new Error('another certificate than that of the service'),
  };
  return async (url, init) => {
    const { method, headers, body, signal } = new Request(url, init);
    const sent = body === null ? undefined : Buffer.from(await new Response(body).arrayBuffer());
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, headers: Object.fromEntries(headers), signal, ...trust };
      https.request(url, options).on('response', resolve).on('error', reject).end(sent);
    });
    const answered = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(incoming, { status: incoming.statusCode ?? 0, headers: answered });
  };
}
