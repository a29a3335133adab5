/** The address of a client behind proxies. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { clientAddressBehind, networkOf } from '../../src/api/http/client-address.js';
import { readConfig } from '../../src/stores/config.js';

const { isTrustedProxy = () => false } = readConfig({ TRUST_PROXY: 'loopback, 10.0.0.0/8, 2001:db8:aaaa::/48' });
const address = clientAddressBehind(isTrustedProxy);

/** What is found for a connection from `peer`. */
function found(peer: string, headers: Readonly<Record<string, string>>): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  Object.assign(request.headers, headers);
  return address(request);
}

const list = (value: string) => ({ 'x-forwarded-for': value });
const forwarded = (value: string) => ({ forwarded: value });

test.each<[what: string, peer: string, headers: Readonly<Record<string, string>>, address: string]>([
  ['nothing said', '127.0.0.1', {}, '127.0.0.1'],
  ['a stranger who says something', '203.0.113.5', list('198.51.100.1'), '203.0.113.5'],
  ['a stranger, in the other header', '203.0.113.5', forwarded('for=198.51.100.1'), '203.0.113.5'],
  ['one proxy', '127.0.0.1', list('198.51.100.1'), '198.51.100.1'],
  ['one proxy, peer mapped into IPv6', '::ffff:127.0.0.1', list('198.51.100.1'), '198.51.100.1'],
  ['two proxies', '127.0.0.1', list('198.51.100.1, 10.1.2.3'), '198.51.100.1'],
  ['what the client made up stands on the left', '127.0.0.1', list('8.8.8.8, 198.51.100.1, 10.1.2.3'), '198.51.100.1'],
  ['only proxies', '127.0.0.1', list('10.0.0.1,10.0.0.2'), '10.0.0.1'],
  ['a port', '127.0.0.1', list('198.51.100.1:4711'), '198.51.100.1'],
  ['IPv6', '127.0.0.1', list('2001:db8::1'), '2001:db8::1'],
  ['IPv6 with a port', '127.0.0.1', list('[2001:db8::1]:4711'), '2001:db8::1'],
  ['a proxy on IPv6', '2001:db8:aaaa::7', list('198.51.100.1'), '198.51.100.1'],
  ['garbage', '127.0.0.1', list('unknown'), '127.0.0.1'],
  ['a number', '127.0.0.1', list('1'), '127.0.0.1'],
  ['nothing between commas', '127.0.0.1', list('198.51.100.1, ,'), '127.0.0.1'],
  ['garbage before an address', '127.0.0.1', list("<script>, 'x', 198.51.100.1"), '198.51.100.1'],
  ['garbage behind a proxy', '127.0.0.1', list('_hidden, 10.1.2.3'), '10.1.2.3'],
  ['RFC 7239', '127.0.0.1', forwarded('for=198.51.100.1;proto=https;by=10.0.0.1'), '198.51.100.1'],
  ['RFC 7239, two proxies', '127.0.0.1', forwarded('For=198.51.100.1, for="10.1.2.3:80";host=x'), '198.51.100.1'],
  ['RFC 7239, IPv6', '127.0.0.1', forwarded('for="[2001:db8::1]:4711"'), '2001:db8::1'],
  ['RFC 7239, unknown', '127.0.0.1', forwarded('for=unknown'), '127.0.0.1'],
  ['RFC 7239, a hidden name', '127.0.0.1', forwarded('for=8.8.8.8, for=_hidden'), '127.0.0.1'],
  ['RFC 7239, an open quote', '127.0.0.1', forwarded('for="8.8.8.8, for=198.51.100.1'), '127.0.0.1'],
  ['RFC 7239, without whom', '127.0.0.1', { ...forwarded('proto=https'), ...list('198.51.100.1') }, '198.51.100.1'],
  ['both say the same', '127.0.0.1', { ...forwarded('for=1.2.3.4, for=10.9.9.9'), ...list('1.2.3.4') }, '1.2.3.4'],
  ['both differ', '127.0.0.1', { ...forwarded('for=8.8.8.8'), ...list('198.51.100.1') }, '127.0.0.1'],
  ['one cannot be read', '127.0.0.1', { ...forwarded('for="'), ...list('8.8.8.8') }, '127.0.0.1'],
])('%s', (_, peer, headers, expected) => {
  expect(found(peer, headers)).toBe(expected);
});

test.each([
  ['198.51.100.1', '198.51.100.1'],
  ['::ffff:198.51.100.1', '198.51.100.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s is counted as %s', (one, network) => {
  expect(networkOf(one)).toBe(network);
});
