/** The description of the API: the OpenAPI document, and a page on which people read it and try it out. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import express, { type Express, type RequestHandler } from 'express';
import { docsEndpoints } from '../endpoints/docs.js';
import type { EndpointRunner } from '../endpoint-runner.js';
import { mountOpen } from '../routes.js';
import { securityHeaders } from '../security-headers.js';

const script =
  "SwaggerUIBundle({ url: 'openapi.json', domNode: document.querySelector('main'), deepLinking: true, validatorUrl: null });";
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>audience-ledger: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<main></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script>${script}</script>
</html>
`;

const digest = (text: string, encoding: 'base64' | 'base64url'): string =>
  createHash('sha256').update(text).digest(encoding);

const pageHeaders = securityHeaders({
  scriptSrc: ["'self'", `'sha256-${digest(script, 'base64')}'`],
  styleSrc: ["'self'"],
  imgSrc: ['data:'],
  connectSrc: ["'self'"],
});

/** Swagger UI, as the build copies it out of its package. */
const assets = fileURLToPath(new URL('../../swagger-ui/', import.meta.url));

/** `document` is asked once, at the first request. */
export function docsRoutes(app: Express, runner: EndpointRunner, document: () => object): void {
  const serve = (type: string, headers: readonly string[], bodyOf: () => string): RequestHandler => {
    let body: string | undefined;
    return (request, response) => {
      body ??= bodyOf();
      const all = [...headers, ...runner.headers({ request, response })];
      for (let at = 0; at < all.length; at += 2) response.setHeader(all[at] ?? '', all[at + 1] ?? '');
      // Asked for again each time, and sent only when it has changed.
      response.setHeader('Cache-Control', 'no-cache').setHeader('ETag', `"${digest(body, 'base64url')}"`);
      response.type(type).send(body);
    };
  };
  const openApi = serve('application/json', securityHeaders(), () => JSON.stringify(document()));
  mountOpen({ app, runner, path: docsEndpoints.openApi.path }, openApi);
  mountOpen(
    { app, runner, path: docsEndpoints.page.path },
    serve('html', pageHeaders, () => page),
  );
  app.use('/docs', express.static(assets, { index: false, redirect: false, maxAge: 3_600_000 }));
}
