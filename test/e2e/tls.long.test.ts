/** HTTPS over time: renewed certificates, and connections on which no handshake comes. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../support/certificates.js';
import { eventually, freshFolder, startService } from '../support/service.js';

const host = 'ledger.example.com';

test('a renewed certificate is served without a restart; a stop waits no longer than five seconds for handshakes', async () => {
  const first = makeCertificate({ name: host });
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { TLS_CERT: path.join(folder, 'cert.pem'), TLS_KEY: path.join(folder, 'key.pem') };
  writeFileSync(env.TLS_CERT, first.cert);
  writeFileSync(env.TLS_KEY, first.key);
  const service = await startService({ env, tls: { ca: first.cert, servername: host } });
  onTestFinished(() => service.close());
  const port = Number(new URL(service.url()).port);
  const handshake = (ca: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = tls.connect({ host: '127.0.0.1', port, servername: host, ca });
      socket.on('secureConnect', () => resolve(true)).on('error', () => resolve(false));
      socket.on('secureConnect', () => socket.destroy());
    });
  expect(await handshake(first.cert)).toBe(true);

  const renewed = makeCertificate({ name: host });
  writeFileSync(env.TLS_CERT, renewed.cert);
  await eventually(async () => service.output().includes('TLS_KEY is not the private key') || undefined);
  expect(await handshake(first.cert)).toBe(true);
  writeFileSync(env.TLS_KEY, renewed.key);
  await eventually(async () => (await handshake(renewed.cert)) || undefined);
  expect(await handshake(first.cert)).toBe(false);
  expect(readFileSync(path.join(service.dataDir, 'certificate.pem'), 'utf8')).toBe(renewed.cert);
  await eventually(async () => service.output().includes('"msg":"the certificate was renewed"') || undefined);
  expect(service.output()).not.toContain('PRIVATE KEY-----');

  const idle = net.connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => idle.on('error', () => undefined).once('close', () => resolve()));
  await new Promise<void>((resolve) => idle.once('connect', () => resolve()));
  const started = performance.now();
  const { code } = await service.kill('SIGTERM');
  expect(code).toBe(0);
  await closed;
  expect(performance.now() - started).toBeLessThan(9_000);
});
