/** How the command line finds the running service, and what it makes of its answers. */
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CommandFailedError, UsageError } from '../../src/failures.js';
import type { CommandLine } from '../../src/cli/shared/command-line.js';
import { findService, type ServicePlace } from '../../src/cli/shared/service-client.js';
import { changeEach } from '../../src/cli/shared/through-service.js';

async function listening(listener: RequestListener): Promise<string> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers as ours, and remembers which paths came with which key. */
async function service(answer: RequestListener = () => undefined) {
  const seen: (readonly [path: string, key: string | undefined])[] = [];
  const url = await listening((request, response) => {
    seen.push([request.url ?? '', request.headers.authorization]);
    if (request.url === '/health/live') response.end('{"data":{"alive":true}}');
    else answer(request, response);
  });
  return { url, seen };
}

const place = (changes: Partial<ServicePlace>): ServicePlace => ({
  named: undefined,
  written: undefined,
  certificate: undefined,
  key: 'the-key',
  isRunning: () => true,
  onNotice: () => undefined,
  signal: new AbortController().signal,
  ...changes,
});

async function found(changes: Partial<ServicePlace>) {
  const client = await findService(place(changes));
  if (client === undefined) throw new Error('no service was found');
  return client;
}

/** Where no service listens any more. */
async function goneAddress(): Promise<string> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe('finding it', () => {
  test('by the address that it wrote down, and the key is not sent before', async () => {
    const { url, seen } = await service();
    expect((await findService(place({ written: url })))?.url).toBe(url);
    expect(seen).toEqual([['/health/live', undefined]]);
  });

  test('the named one goes first', async () => {
    const { url } = await service();
    expect((await findService(place({ written: await goneAddress(), named: `${url}/` })))?.url).toBe(url);
  });

  test('and says through which one', async () => {
    const { url } = await service();
    const notices: string[] = [];
    await findService(place({ written: url, onNotice: (notice) => notices.push(notice) }));
    expect(notices).toEqual([`Through the service at ${url}.`]);
  });

  test('one whose address came with a copy of its folder is none, unless it is named', async () => {
    const { url, seen } = await service();
    const notices: string[] = [];
    const copy = { isRunning: () => false, onNotice: (notice: string) => void notices.push(notice) };
    expect(await findService(place({ ...copy, written: url }))).toBeUndefined();
    expect(notices).toEqual([expect.stringContaining(`The service at ${url} does not run on this data folder`)]);
    expect(seen).toEqual([['/health/live', undefined]]);
    expect((await findService(place({ ...copy, named: url })))?.url).toBe(url);
  });

  test('an address of earlier, and one where something else listens, are none', async () => {
    expect(await findService(place({ written: await goneAddress() }))).toBeUndefined();
    const other = await listening((_, response) => response.end('<html>Hello</html>'));
    expect(await findService(place({ written: other }))).toBeUndefined();
    expect(await findService(place({ written: 'no address' }))).toBeUndefined();
    expect(await findService(place({}))).toBeUndefined();
  });

  test('the certificate beside its address is used on the port of HTTPS, too, which the address of a URL leaves out', async () => {
    const written = 'https://127.0.0.1:443';
    const found = findService(place({ written, certificate: 'not a certificate' }));
    await expect(found).rejects.toThrow(/PEM/i);
    // Elsewhere it is not.
    await expect(
      findService(place({ written, certificate: 'not a certificate', named: await goneAddress() })),
    ).rejects.toThrow('No service answers');
  });

  test('a named one that does not answer, or cannot, is an error', async () => {
    const gone = await goneAddress();
    const refused = findService(place({ named: gone.replace('//', '//user:password@') }));
    await expect(refused).rejects.toEqual(
      new CommandFailedError(`No service answers at ${gone} (ECONNREFUSED).`, { type: 'no_service' }),
    );
    await expect(findService(place({ named: 'ftp://user:password@host' }))).rejects.toEqual(
      new UsageError('--url (or AUDIENCE_URL) must be an address that begins with http:// or https://'),
    );
  });
});

describe('asking it', () => {
  test('sends key and body, and gives back the envelope, refusals too', async () => {
    const { url, seen } = await service((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.statusCode = request.method === 'POST' ? 409 : 200;
        const data = chunks.length === 0 ? [1] : JSON.parse(Buffer.concat(chunks).toString('utf8'));
        response.end(JSON.stringify({ statusCode: response.statusCode, message: 'One runs already.', data }));
      });
    });
    const client = await found({ written: url });
    expect(await client.ask({ method: 'GET', path: '/v1/projections' })).toMatchObject({ status: 200, data: [1] });
    const refusal = await client.ask({ method: 'POST', path: '/v1/projections/all/rebuild', body: { dry_run: true } });
    expect(refusal).toEqual({ status: 409, retryAfter: 0, data: { dry_run: true }, message: 'One runs already.' });
    expect(seen.slice(1)).toEqual([
      ['/v1/projections', 'Bearer the-key'],
      ['/v1/projections/all/rebuild', 'Bearer the-key'],
    ]);
  });

  test('says what is wrong with the key without showing it', async () => {
    const { url } = await service((_, response) => {
      response.statusCode = 401;
      response.end('{"message":"no","data":null}');
    });
    const error: unknown = await (
      await found({ written: url })
    )
      .ask({ method: 'GET', path: '/v1/projections' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CommandFailedError);
    expect(String(error)).toContain('The service refuses the API key: set AUDIENCE_KEY');
    expect(String(error)).not.toContain('the-key');
    const without = (await found({ written: url, key: undefined })).ask({ method: 'GET', path: '/v1/projections' });
    await expect(without).rejects.toThrow('No API key is known here');
  });

  test('says that it is gone, or not ours', async () => {
    const { url } = await service((_, response) => {
      response.end('<html>');
    });
    const client = await found({ written: url });
    await expect(client.ask({ method: 'GET', path: '/' })).rejects.toThrow('What answers is not this service');
    const { url: cut } = await service((request) => request.socket.destroy());
    const broken = (await found({ written: cut })).ask({ method: 'GET', path: '/' });
    await expect(broken).rejects.toThrow(`The service at ${cut} does not answer`);
  });
});

test('changes one by one wait for the rate limit and then go on', async () => {
  const asked: (string | undefined)[] = [];
  const { url } = await service((request, response) => {
    asked.push(request.url);
    response.statusCode = asked.length === 2 ? 429 : 200;
    response.setHeader('retry-after', '0').end('{"message":"done","data":{}}');
  });
  let out = '';
  const stdout = { write: async (text: string) => void (out += text) };
  const line = { json: false, stdout, signal: new AbortController().signal } as unknown as CommandLine;
  const change = { service: await found({ written: url }), pathOf: (id: string) => `/v1/${id}`, unknown: '' };
  await changeEach(['a', 'b', 'c'], change, line);
  expect(asked).toEqual(['/v1/a', '/v1/b', '/v1/b', '/v1/c']);
  expect(out).toBe('a: done\nb: done\nc: done\n');
});
