/**
 * How a service proves to the command line that it has the secret of a data folder, before it gets an API key. The service
 * answers a nonce with an HMAC-SHA-256 under a key that is derived from the secret. The HMAC also covers the address, port
 * and certificate of the service, so that another process cannot get the key by passing the nonce on to the real service.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { deriveIdentityKey } from '../events/streams.js';

/** The form of a nonce: 32 random bytes in hexadecimal digits. */
export const nonceForm = /^[0-9a-f]{64}$/;
export const newNonce = (): string => randomBytes(32).toString('hex');

/** The end of a connection at the service. */
interface ServiceEnd {
  readonly address: string;
  readonly port: number;
  /** SHA-256 of the certificate of the service; empty without TLS. */
  readonly certificate: string;
}

/** Returns the end of a connection at the service, as the service sees it. */
export function ownEnd(socket: Socket): ServiceEnd {
  const certificate = socket instanceof TLSSocket ? socket.getCertificate() : null;
  return endOf(socket.localAddress, socket.localPort, certificate);
}

/** Returns the end of a connection at the service, as the client sees it. */
export function otherEnd(socket: Socket): ServiceEnd {
  const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : null;
  return endOf(socket.remoteAddress, socket.remotePort, certificate);
}

const endOf = (address = '', port = 0, certificate: object | null = null): ServiceEnd => ({
  // IPv6 sockets show IPv4 addresses with the prefix ::ffff:.
  address: address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, ''),
  port,
  certificate: certificate !== null && 'fingerprint256' in certificate ? String(certificate.fingerprint256) : '',
});

/** Returns a function that makes the proof for a nonce and a connection, in hexadecimal digits. */
export const createProver = (secret: string) => {
  const key = deriveIdentityKey(secret);
  return (nonce: string, { address, port, certificate }: ServiceEnd): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([nonce, address, port, certificate]))
      .digest('hex');
};

/** Returns whether a service with this secret made the proof for this nonce and connection. */
export function isProof(proof: string, secret: string, asked: { readonly nonce: string; readonly end: ServiceEnd }) {
  const expected = Buffer.from(createProver(secret)(asked.nonce, asked.end));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
