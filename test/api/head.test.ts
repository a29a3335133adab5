/** Answers that are put together from fixed lines and a text, against those that Node makes of all headers. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import express, { type Express, type Response } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { fixedHeaders, writeHead, writeWhole } from '../../src/api/head.js';
import { securityHeaders } from '../../src/api/security-headers.js';
import { createServer } from '../../src/api/server.js';

let server: http.Server | undefined;
afterEach(() => server?.close());

/** What comes over the wire, `Date` apart, until the server closes the connection. */
async function rawAnswer(app: Express, request: string): Promise<string> {
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end(request);
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += String(chunk);
  server.close();
  return text.replace(/\r\nDate: [^\r]+/, '');
}

const fixed = fixedHeaders(securityHeaders());
const own = ['X-Request-Id', 'abc', 'Content-Length', '2'];

function appWith(head: (response: Response) => void): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_request, response) => {
    head(response);
    response.end('{}', 'utf8');
  });
  return app;
}

const requests = [
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
];

test.each(requests)('is the same to the byte: %j', async (request) => {
  const all = [...fixed.list, ...own];
  const byNode = await rawAnswer(
    appWith((response) => void response.writeHead(503, all)),
    request,
  );
  const ours = await rawAnswer(
    appWith((response) => writeHead(response, 503, { fixed, headers: own })),
    request,
  );
  expect(byNode).toMatch(/^HTTP\/1\.1 (100|503) /);
  expect(ours).toBe(byNode);
});

test('is made by writeHead where Node has no other way', async () => {
  const hidden = appWith((response) => {
    Object.defineProperty(response, '_storeHeader', { value: undefined });
    const written: unknown[] = [];
    response.writeHead = (...args: unknown[]) => {
      written.push(args);
      return response;
    };
    writeHead(response, 200, { fixed, headers: own });
    response.socket?.end(JSON.stringify(written));
  });
  expect(await rawAnswer(hidden, requests[0] ?? '')).toContain(JSON.stringify([[200, [...fixed.list, ...own]]]));
});

test('a second head is refused as Node refuses it', async () => {
  let refused: unknown;
  const twice = appWith((response) => {
    writeHead(response, 200, { fixed, headers: own });
    try {
      writeHead(response, 200, { fixed, headers: own });
    } catch (error) {
      refused = error;
    }
  });
  await rawAnswer(twice, requests[0] ?? '');
  expect(refused).toMatchObject({ code: 'ERR_HTTP_HEADERS_SENT' });
});

test('headers that HTTP does not allow are refused when they are fixed, and when they are not', async () => {
  expect(() => fixedHeaders(['X-Bad', 'a\r\nb'])).toThrow(TypeError);
  expect(() => fixedHeaders(['X Bad', 'a'])).toThrow(TypeError);
  expect(() => fixedHeaders(['connection', 'close'])).toThrow(TypeError);
  let refused: unknown;
  const bad = appWith((response) => {
    try {
      writeHead(response, 200, { fixed, headers: ['X-Bad', 'a\r\nb'] });
    } catch (error) {
      refused = error;
      response.writeHead(500, ['Content-Length', '2']);
    }
  });
  await rawAnswer(bad, requests[0] ?? '');
  expect(refused).toMatchObject({ code: 'ERR_INVALID_CHAR' });
});

describe('a whole answer', () => {
  const bodies = ['{"name":"Ann"}', '{"name":"Zoë 😀"}', '{"name":"\u00ff"}', ''];
  const cases = requests.flatMap((request) => bodies.map((body) => ({ request, body })));
  const wholeApp = (answer: (response: Response) => void): Express => {
    const app = express();
    app.disable('x-powered-by');
    app.use((_request, response) => answer(response));
    return app;
  };

  test.each(cases)('is the same to the byte: $request $body', async ({ request, body }) => {
    const length = String(Buffer.byteLength(body));
    const byNode = wholeApp((response) => {
      response.writeHead(200, [...fixed.list, 'X-Request-Id', 'abc', 'Content-Length', length]);
      response.end(body, 'utf8');
    });
    const ours = wholeApp((response) => writeWhole(response, 200, { fixed, headers: ['X-Request-Id', 'abc'], body }));
    expect(await rawAnswer(ours, request)).toBe(await rawAnswer(byNode, request));
  });

  test('ends the answer, and the connection goes on to the next request', async () => {
    let finished = 0;
    const app = wholeApp((response) => {
      response.on('finish', () => (finished += 1));
      writeWhole(response, 200, { fixed, headers: [], body: '{}' });
    });
    const text = await rawAnswer(app, `GET / HTTP/1.1\r\nHost: x\r\n\r\n${requests[0]}`);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(finished).toBe(2);
  });

  test('a second one is refused as Node refuses it', async () => {
    let refused: unknown;
    const twice = wholeApp((response) => {
      writeWhole(response, 200, { fixed, headers: [], body: '{}' });
      try {
        writeWhole(response, 200, { fixed, headers: [], body: '{}' });
      } catch (error) {
        refused = error;
      }
    });
    await rawAnswer(twice, requests[0] ?? '');
    expect(refused).toMatchObject({ code: 'ERR_HTTP_HEADERS_SENT' });
  });
});
