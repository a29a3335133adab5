/** `/console`: the web page for people. Its files are built beside the service; all that it shows comes from the API, with the key of who looks. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { ServiceError } from '../../errors.js';
import { pagePolicy } from '../../report/page.js';
import type { EndpointRunner } from '../http/endpoint-runner.js';
import { otherMethods } from '../http/routes.js';
import { securityHeaders } from '../http/security-headers.js';

const folder = fileURLToPath(new URL('../../console/', import.meta.url));
const methods = ['GET', 'HEAD'];
/** Parts of a path below `/console`, with the empty one before the first slash: more has no page. */
const deepest = 5;

let listed: ReadonlySet<string> | undefined;
/** What there is: a path of a request is only compared with it. */
const names = (): ReadonlySet<string> => (listed ??= new Set(readdirSync(`${folder}assets`)));

/** Nothing inline and nothing from elsewhere. The style of reports is let in for the frame that shows one. */
const pageHeaders = [
  ...securityHeaders({
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", ...pagePolicy.styleSrc],
    connectSrc: ["'self'"],
    imgSrc: ["'self'"],
    frameSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  }),
  ...['Cache-Control', 'no-cache', 'X-Robots-Tag', 'noindex, nofollow'],
];
/** A file whose content changes has another name. */
const fileHeaders = [...securityHeaders(), 'Cache-Control', 'public, max-age=31536000, immutable'];
const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

interface Content {
  readonly type: string;
  readonly headers: readonly string[];
  readonly identity: Buffer;
  readonly gzip: Buffer;
}

export function mountConsole(app: Express, runner: EndpointRunner): void {
  const known = new Map<string, Content>();

  /** Read and compressed once, when it is first asked for. */
  function contentOf(name: string, load: () => Omit<Content, 'gzip'>): Content {
    let content = known.get(name);
    if (content === undefined) {
      const loaded = load();
      content = { ...loaded, gzip: gzipSync(loaded.identity) };
      known.set(name, content);
    }
    return content;
  }

  const fileOf = (name: string): Content =>
    contentOf(name, () => ({
      type: types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      headers: fileHeaders,
      identity: readFileSync(`${folder}assets/${name}`),
    }));

  /** Its files are named by relative paths, so that it works below any prefix of a proxy. */
  const pageAt = (path: string): Content => {
    const depth = path.split('/').length - 1;
    const root = path === '' ? 'console/' : '../'.repeat(depth - 1) || './';
    return contentOf(`/${root}`, () => ({
      type: 'text/html',
      headers: pageHeaders,
      identity: Buffer.from(readFileSync(`${folder}index.html`, 'utf8').replaceAll('{root}', root)),
    }));
  };

  app.use('/console', (request, response, next) => {
    if (!methods.includes(request.method)) {
      otherMethods(runner, methods)(request, response, next);
      return;
    }
    const path = request.originalUrl.replace(/^\/console/, '').replace(/[?#].*$/s, '');
    const name = /^\/assets\/(.*)$/s.exec(path)?.[1];
    const isThere = name === undefined ? path.split('/').length <= deepest : names().has(name);
    if (!isThere) runner.refuse({ request, response }, new ServiceError('not_found'));
    else send(runner, { request, response }, name === undefined ? pageAt(path) : fileOf(name));
  });
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

function send(runner: EndpointRunner, { request, response }: Exchange, content: Content): void {
  const isZipped = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  const headers = [...runner.headers({ request, response }), ...content.headers];
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
  if (isZipped) response.setHeader('Content-Encoding', 'gzip');
  response
    .vary('Accept-Encoding')
    .type(content.type)
    .send(isZipped ? content.gzip : content.identity);
}
