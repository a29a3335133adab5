/** The address of a client: that of the connection, or behind trusted proxies what they say by `Forwarded` (RFC 7239) or `X-Forwarded-For`. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import parseForwarded from 'forwarded-parse';

export type ClientAddress = (request: IncomingMessage) => string;

export const peerAddress: ClientAddress = ({ socket }) => socket.remoteAddress ?? '';

/** What is counted as one client: an IPv4 address, or an IPv6 network of 64 bits, because one client may have all its addresses. */
export function networkOf(address: string): string {
  const dotted = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (dotted !== undefined || isIP(address) !== 6) return dotted ?? address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...zeros, ...tail].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}

/**
 * Each proxy appends the address that the request came from. A client may send either header itself, and a proxy that writes
 * one may pass on the other: so where the two lead to different addresses, neither is believed.
 */
export function clientAddressBehind(isTrusted: (address: string, hop: number) => boolean): ClientAddress {
  /** From the nearest proxy back to the first address that is not of a trusted proxy. Stops at a hop that is no address. */
  function walk(peer: string, hops: readonly string[]): string {
    const back = [peer, ...hops.toReversed().map(addressIn)];
    return back.find((address = '', at) => back[at + 1] === undefined || !isTrusted(address, at)) ?? peer;
  }

  return (request) => {
    const peer = peerAddress(request);
    if (!isTrusted(peer, 0)) return peer;
    const { forwarded, 'x-forwarded-for': addresses } = request.headers;
    const ways = [hopsIn(forwarded), addresses === undefined ? [] : String(addresses).split(',')];
    const found = new Set(ways.filter((hops) => hops.length > 0).map((hops) => walk(peer, hops)));
    const [address = peer] = found;
    return found.size === 1 ? address : peer;
  };
}

/** What stands after `for=`. A header that cannot be read counts as one hop without an address. */
function hopsIn(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  try {
    return parseForwarded(header).flatMap((element) => element['for'] ?? []);
  } catch {
    return [''];
  }
}

/** Without brackets and port; undefined for `unknown`, hidden names and garbage. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim();
  const [, bracketed, dotted] = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? text;
  return isIP(address) === 0 ? undefined : address;
}
