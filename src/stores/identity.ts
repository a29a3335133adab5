/**
 * How a service proves to the command line that it has the secret of a data folder, before it gets an API key: it answers
 * a nonce with an HMAC-SHA-256 under a key of its own from the secret. The HMAC covers the two ends of the connection, so
 * that a process elsewhere cannot get the key by passing the nonce on to the real service.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { deriveIdentityKey } from '../events/streams.js';

/** 32 random bytes in hex. */
export const nonceForm = /^[0-9a-f]{64}$/;
export const newNonce = (): string => randomBytes(32).toString('hex');

/** Where a connection ends at the service, as one of its two ends sees it. */
interface ServiceEnd {
  readonly address: string;
  readonly port: number;
  /** SHA-256 of the certificate of the service; empty without TLS. */
  readonly certificate: string;
}

/** For the service. */
export function ownEnd(socket: Socket): ServiceEnd {
  const certificate = socket instanceof TLSSocket ? socket.getCertificate() : null;
  return endOf(socket.localAddress, socket.localPort, certificate);
}

/** For the client. */
export function otherEnd(socket: Socket): ServiceEnd {
  const certificate = socket instanceof TLSSocket ? socket.getPeerCertificate() : null;
  return endOf(socket.remoteAddress, socket.remotePort, certificate);
}

const endOf = (address = '', port = 0, certificate: object | null = null): ServiceEnd => ({
  // A socket for IPv6 shows IPv4 addresses in this form.
  address: address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, ''),
  port,
  certificate: certificate !== null && 'fingerprint256' in certificate ? String(certificate.fingerprint256) : '',
});

/** Returns the proof in hex. */
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
