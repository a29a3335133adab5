/**
 * TLS to a server that is named by its IP address. gRPC's library gives the address as the server's name, which RFC 6066 does
 * not allow and Node 26 refuses, so that no connection comes about (@grpc/grpc-js 1.14.7; older Nodes warned, DEP0123).
 */
import { isIP } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';

const connect = tls.connect as (options: ConnectionOptions, ...rest: unknown[]) => tls.TLSSocket;

/** Calls that name an IP address, which would fail, name nobody. The certificate must be for the address, as before. */
export function allowTlsByAddress(): void {
  tls.connect = ((options: ConnectionOptions, ...rest: unknown[]) => {
    const { servername = '' } = options;
    return connect(isIP(servername) === 0 ? options : { ...options, host: servername, servername: '' }, ...rest);
  }) as typeof tls.connect;
}
