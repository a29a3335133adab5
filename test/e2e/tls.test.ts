/** HTTPS by TLS_CERT and TLS_KEY: real handshakes with certificates that the tests make. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { audience } from '../support/audience.js';
import { makeCertificate } from '../support/certificates.js';
import { onServers } from '../support/stores.js';
import { eventually, freshFolder, runToExit, startService, type Service } from '../support/service.js';

const host = 'ledger.example.com';
const first = makeCertificate({ name: host });
function newFolder(): string {
  const made = freshFolder();
  folders.push(made);
  return made;
}

const folders: string[] = [];
const folder = newFolder();
const file = (name: string): string => path.join(folder, name);
const env = { TLS_CERT: file('cert.pem'), TLS_KEY: file('key.pem') };

let service: Service;
beforeAll(async () => {
  writeFileSync(env.TLS_CERT, first.cert);
  writeFileSync(env.TLS_KEY, first.key);
  writeFileSync(file('other.pem'), makeCertificate({ name: host }).cert);
  service = await startService({ env, tls: { ca: first.cert, servername: host } });
});
afterAll(async () => {
  await service.close();
  for (const made of folders) rmSync(made, { recursive: true });
});

function handshake(options: tls.ConnectionOptions): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.url());
    const socket = tls.connect({ host: '127.0.0.1', port: Number(port), servername: host, ...options }, () =>
      resolve(socket),
    );
    socket.on('error', reject);
    onTestFinished(() => void socket.destroy());
  });
}

test('the address that is printed and written down is one of HTTPS, and requests over it are answered', async () => {
  expect(service.url()).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  await eventually(async () => service.output().includes(`listens on ${service.url()}, `) || undefined);
  const id = await service.make('/v1/groups/create', { group_name: 'Over TLS' }, 'group_id');
  const read = await service.get(`/v1/groups/${id}`);
  expect(read.field('group_name')).toBe('Over TLS');
  for (const { headers } of [read, await service.get('/nowhere'), await service.get('/docs')])
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
});

test('TLS 1.2 and 1.3 are spoken, 1.1 and plain HTTP are not', async () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = await handshake({ ca: first.cert, minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
  }
  const old = { ca: first.cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await expect(handshake(old)).rejects.toThrow(/protocol version|EPROTO|ECONNRESET/i);
  expect(await service.raw('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe('');
});

test('the command line trusts the certificate of the service on its data folder, though its name is another', async ({
  skip,
}) => {
  skip(onServers, 'an option --data-dir stands for embedded stores');
  const words = ['--data-dir', service.dataDir, 'projections', 'status', '--json'];
  const answered = await audience(words, { env: { AUDIENCE_KEY: service.key } });
  expect(answered).toMatchObject({ code: 0, err: `Through the service at ${service.url()}.\n` });
});

test('and no other one: what else listens there gets no key', async () => {
  const stranger = makeCertificate({ name: host });
  let received = '';
  const server = tls.createServer(stranger, (socket) => socket.on('data', (chunk) => (received += String(chunk))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  const copy = newFolder();
  writeFileSync(path.join(copy, 'address'), address);
  writeFileSync(path.join(copy, 'certificate.pem'), first.cert);
  const asked = await audience(['--data-dir', copy, '--url', address, 'projections', 'status']);
  expect(asked.code).not.toBe(0);
  expect(asked.err).toContain(`No service answers at ${address}`);
  expect(received).toBe('');
});

test('a start with a key of another certificate is refused before anything is written', async () => {
  const dataDir = newFolder();
  const { code, output } = await runToExit(dataDir, { ...env, TLS_CERT: file('other.pem') });
  expect(code).toBe(1);
  expect(output).toContain('audience-ledger cannot start: TLS_KEY is not the private key of the first certificate');
  expect(output).not.toContain('PRIVATE KEY-----');
  expect(readdirSync(dataDir)).toEqual([]);
});
