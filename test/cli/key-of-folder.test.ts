/** Which service gets the API key of a data folder: only the service of that folder. */
import { chmodSync, chownSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { audience } from '../support/audience.js';
import { makeCertificate } from '../support/certificates.js';
import { freshFolder, startService, type Overrides, type Service } from '../support/service.js';

const long = { timeout: 60_000 };
let service: Service;
let folder: string;
let written: string;
/** Authorization headers that reached a stranger. */
let leaked: string[];

const file = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  service = await startService({ env: { API_KEYS: undefined } });
  folder = service.dataDir;
  written = readFileSync(file('address'), 'utf8');
}, 60_000);
afterAll(() => service.close());
beforeEach(() => {
  leaked = [];
});

const listKeys = (env: Overrides = {}, ...words: readonly string[]) =>
  audience(['--data-dir', folder, 'keys', 'list', '--json', ...words], { env });

/** Starts a stranger at another address that passes every request on to the service, and the answer back. */
async function relay(host = '127.0.0.1', port = 0): Promise<string> {
  const server = http.createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) leaked.push(authorization);
    const onward = http.request(service.url() + String(request.url), { method: request.method ?? 'GET' }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

function writeAddress(text: string): void {
  writeFileSync(file('address'), text);
  onTestFinished(() => writeFileSync(file('address'), written));
}

const withheld = (reason: string | RegExp) => ({
  code: 1,
  err: expect.stringMatching(reason) as unknown,
});

test('the service of the folder gets the key', long, async () => {
  const { code, err } = await listKeys();
  expect({ code, err }).toEqual({ code: 0, err: `Through the service at ${service.url()}.\n` });
});

test('the service of the folder gets the key also under another name', long, async () => {
  const url = service.url().replace('127.0.0.1', 'localhost');
  expect(await listKeys({ AUDIENCE_URL: service.url() })).toMatchObject({ code: 0 });
  expect(await listKeys({}, '--url', url)).toMatchObject({ code: 0 });
});

describe('a stranger', () => {
  test(
    'a stranger at the written address who passes the challenge on to the service does not get the key',
    long,
    async () => {
      writeAddress(await relay());
      expect(await listKeys()).toMatchObject(withheld('does not prove that it has the secret of this data folder'));
      expect(leaked).toEqual([]);
    },
  );

  test(
    'a stranger on the port of the service at another address of this machine does not get the key',
    long,
    async (context) => {
      const { port } = new URL(service.url());
      const url = await relay('127.0.0.2', Number(port)).catch(() => undefined);
      writeAddress(url ?? context.skip('this machine has only one loopback address'));
      expect(await listKeys()).toMatchObject(withheld('does not prove'));
      expect(leaked).toEqual([]);
    },
  );

  test('a stranger whom AUDIENCE_URL or --url names does not get the key', long, async () => {
    const url = await relay();
    expect(await listKeys({ AUDIENCE_URL: url })).toMatchObject(withheld('does not prove'));
    expect(await listKeys({}, '--url', url)).toMatchObject(withheld('AUDIENCE_KEY'));
    expect(leaked).toEqual([]);
  });

  test('a stranger who answers with a made-up proof does not get the key', long, async () => {
    const answers = ['{"data":{"alive":true,"proof":""}}', `{"data":{"alive":true,"proof":"${'0'.repeat(64)}"}}`];
    for (const answer of [...answers, '{"data":{"alive":true}}', 'no JSON']) {
      const server = http.createServer((request, response) => {
        if (request.headers.authorization !== undefined) leaked.push(request.headers.authorization);
        response.end(request.url === '/health/live' ? '{"data":{"alive":true}}' : answer);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      writeAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      expect(await listKeys()).toMatchObject(withheld('does not prove'));
    }
    expect(leaked).toEqual([]);
  });

  test('a service that answers without an end gets no key and does not keep the command waiting', long, async () => {
    const server = http.createServer((request, response) => {
      if (request.headers.authorization !== undefined) leaked.push(request.headers.authorization);
      if (request.url === '/health/live') return void response.end('{"data":{"alive":true}}');
      response.write('{"data":{"proof":"');
      const piece = 'a'.repeat(1_000_000);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    writeAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const startedAt = performance.now();
    expect(await listKeys()).toMatchObject(withheld('does not prove'));
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(leaked).toEqual([]);
  });

  test('any service gets a key that the environment gives', long, async () => {
    const { code } = await listKeys({ AUDIENCE_URL: await relay(), AUDIENCE_KEY: 'given-to-any-service' });
    expect(code).toBe(1);
    expect(new Set(leaked)).toEqual(new Set(['Bearer given-to-any-service']));
  });
});

test.for([0o777, 0o1777, 0o702])('the key of a folder with mode %o is sent to no service', long, async (mode) => {
  chmodSync(folder, mode);
  onTestFinished(() => chmodSync(folder, 0o700));
  expect(await listKeys()).toMatchObject(withheld(`every user of this machine can write to .*chmod o-w ${folder}`));
  expect(await listKeys({ AUDIENCE_URL: service.url() })).toMatchObject({ code: 1 });
  const key = readFileSync(file('api-key.txt'), 'utf8').trim();
  expect(await listKeys({ AUDIENCE_KEY: key })).toMatchObject({ code: 0 });
});

test('the key of a folder that only its group can write to is sent', long, async () => {
  chmodSync(folder, 0o770);
  onTestFinished(() => chmodSync(folder, 0o700));
  expect(await listKeys()).toMatchObject({ code: 0 });
});

test('the key is not sent to an address that another user wrote, but to one that root wrote', long, async (context) => {
  if (process.geteuid?.() !== 0) context.skip('only root can give files away');
  onTestFinished(() => {
    chownSync(folder, 0, 0);
    chownSync(file('address'), 0, 0);
  });
  chownSync(file('address'), 65_534, 65_534);
  expect(await listKeys()).toMatchObject(withheld(/address belongs to (nobody \()?uid 65534.* but the folder to root/));
  chownSync(folder, 65_534, 65_534);
  expect(await listKeys()).toMatchObject({ code: 0 });
  chownSync(file('address'), 0, 0);
  expect(await listKeys()).toMatchObject({ code: 0 });
  chownSync(file('address'), 1, 1);
  expect(await listKeys()).toMatchObject({ code: 1 });
});

test('a link in place of the address is not followed', long, async () => {
  const elsewhere = freshFolder();
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  writeFileSync(path.join(elsewhere, 'address'), await relay());
  renameSync(file('address'), file('address.kept'));
  symlinkSync(path.join(elsewhere, 'address'), file('address'));
  onTestFinished(() => renameSync(file('address.kept'), file('address')));
  expect(await listKeys()).toMatchObject({ code: 1, err: expect.stringContaining('No service runs') as unknown });
  expect(leaked).toEqual([]);
});

test('the key is not sent while the secret is unknown, and is sent with SECRET', long, async () => {
  const secret = readFileSync(file('secret'), 'utf8').trim();
  renameSync(file('secret'), file('secret.kept'));
  onTestFinished(() => renameSync(file('secret.kept'), file('secret')));
  expect(await listKeys()).toMatchObject(withheld('the secret of the service is not known here.* Set SECRET, or'));
  expect(await listKeys({ SECRET: 'another secret of more than 32 bytes' })).toMatchObject(withheld('does not prove'));
  expect(await listKeys({ SECRET: secret })).toMatchObject({ code: 0 });
});

test('with HTTPS the proof covers the certificate beside the address', long, async () => {
  const certificates = freshFolder();
  onTestFinished(() => rmSync(certificates, { recursive: true, force: true }));
  const { cert, key } = makeCertificate({ name: 'ledger.example.com' });
  const env = { TLS_CERT: path.join(certificates, 'cert.pem'), TLS_KEY: path.join(certificates, 'key.pem') };
  writeFileSync(env.TLS_CERT, cert);
  writeFileSync(env.TLS_KEY, key);
  const secure = await startService({
    env: { ...env, API_KEYS: undefined },
    tls: { ca: cert, servername: 'ledger.example.com' },
  });
  onTestFinished(() => secure.close());
  expect(await audience(['--data-dir', secure.dataDir, 'keys', 'list'])).toMatchObject({ code: 0 });
});

test('with a log on servers the proof alone decides, by the secret of the environment', long, async () => {
  const SECRET = readFileSync(file('secret'), 'utf8').trim();
  const env = { DATA_DIR: folder, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', SECRET };
  const keys = (changes: Overrides = {}) => audience(['keys', 'list', '--json'], { env: { ...env, ...changes } });
  chmodSync(folder, 0o777);
  onTestFinished(() => chmodSync(folder, 0o700));
  expect(await keys()).toMatchObject({ code: 0 });
  // A stranger could have put the secret into the folder.
  expect(await keys({ SECRET: undefined })).toMatchObject(withheld('the secret of the service is not known here'));
  writeAddress(await relay());
  expect(await keys()).toMatchObject(withheld('does not prove'));
  expect(leaked).toEqual([]);
});

describe('GET /health/identity', () => {
  const ask = (query: string) => service.request('GET', `/health/identity${query}`, { headers: {} });
  const nonce = 'ab'.repeat(32);

  test('answers the same nonce with the same proof, and another nonce with another proof', long, async () => {
    const [one, again, other] = [
      await ask(`?nonce=${nonce}`),
      await ask(`?nonce=${nonce}`),
      await ask(`?nonce=${'cd'.repeat(32)}`),
    ];
    expect(one.field('proof')).toMatch(/^[0-9a-f]{64}$/);
    expect(again.field('proof')).toBe(one.field('proof'));
    expect(other.field('proof')).not.toBe(one.field('proof'));
  });

  test.for([
    ...['', '?nonce=', '?nonce=1234', `?nonce=${nonce.toUpperCase()}`, `?nonce=${nonce}0`],
    ...[`?nonce=${nonce}&nonce=${nonce}`, `?nonce[a]=${nonce}`],
  ])('refuses %s', long, async (query) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: { type: 'validation_error' } });
  });

  test('refuses other methods', long, async () => {
    expect(await service.request('POST', `/health/identity?nonce=${nonce}`)).toMatchObject({ status: 405 });
  });
});
