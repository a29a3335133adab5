/** `/console`: the web page for people. Its files are built beside the service; all that it shows comes from the API, with the key of who looks. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import { ServiceError } from '../../errors.js';
import { pagePolicy } from '../../report/page.js';
import { createFile, sendFile, type ServedFile } from '../http/files.js';
import type { Pipeline } from '../http/pipeline.js';
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

export function mountConsole(app: Express, pipeline: Pipeline): void {
  const known = new Map<string, ServedFile>();

  /** Reads and compresses a file once, when it is first requested. */
  function fileOf(name: string, load: () => Parameters<typeof createFile>[0]): ServedFile {
    let file = known.get(name);
    if (file === undefined) {
      file = createFile(load());
      known.set(name, file);
    }
    return file;
  }

  const assetOf = (name: string): ServedFile =>
    fileOf(name, () => ({
      type: types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      headers: fileHeaders,
      content: readFileSync(`${folder}assets/${name}`),
    }));

  /** The page names its files by relative paths, so that it works below any prefix of a proxy. */
  const pageAt = (path: string): ServedFile => {
    const depth = path.split('/').length - 1;
    const root = path === '' ? 'console/' : '../'.repeat(depth - 1) || './';
    return fileOf(`/${root}`, () => ({
      type: 'text/html',
      headers: pageHeaders,
      content: readFileSync(`${folder}index.html`, 'utf8').replaceAll('{root}', root),
    }));
  };

  app.use('/console', (request, response, next) => {
    if (!methods.includes(request.method)) {
      otherMethods(pipeline, methods)(request, response, next);
      return;
    }
    const path = request.originalUrl.replace(/^\/console/, '').replace(/[?#].*$/s, '');
    const name = /^\/assets\/(.*)$/s.exec(path)?.[1];
    const isThere = name === undefined ? path.split('/').length <= deepest : names().has(name);
    if (!isThere) pipeline.refuse({ request, response }, new ServiceError('not_found'));
    else sendFile(response, name === undefined ? pageAt(path) : assetOf(name), pipeline.headers({ request, response }));
  });
}
