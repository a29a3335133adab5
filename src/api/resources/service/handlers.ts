/** What the endpoints of the service do: health, the OpenAPI document, and a page on which people read it and try it out. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import express, { type Express, type RequestHandler, type Response } from 'express';
import { ServiceError } from '../../../errors.js';
import { ownEnd, type createProver } from '../../../stores/identity.js';
import type { EndpointRunner } from '../../http/endpoint-runner.js';
import { metricsFormOf, type ReadMetrics } from '../../http/metrics-server.js';
import { createParser } from '../../http/parse.js';
import { mountOpen, type Routes } from '../../http/routes.js';
import { securityHeaders } from '../../http/security-headers.js';
import { clockEndpoints, docsEndpoints, healthEndpoints, metricsEndpoint } from './endpoints.js';

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, object>>;
}

interface HealthParts {
  readonly app: Express;
  readonly runner: EndpointRunner;
  readonly readiness: () => Promise<Readiness>;
  readonly prove: Prove;
}

/** Returns the proof that the service has its secret. */
export type Prove = ReturnType<typeof createProver>;

export interface ServiceParts extends HealthParts {
  /** Called once, at the first request. */
  readonly document: () => object;
  readonly readMetrics: ReadMetrics;
  /** Trusts the clock from now on. Resolves with the time, in milliseconds since 1970. */
  readonly confirmClock: () => Promise<number>;
}

/** Adds the routes of the service. Most of them have answers of their own form, so they are mounted beside the other routes. */
export function serviceRoutes(routes: Routes, parts: ServiceParts): void {
  routes.on(metricsEndpoint, async ({ request }) => {
    const { contentType, text } = await parts.readMetrics(metricsFormOf(request.headers.accept));
    return { contentType, pieces: Readable.from([text]) };
  });
  routes.on(clockEndpoints.confirm, async () => {
    const time = await parts.confirmClock().catch((cause: unknown) => {
      throw new ServiceError('unavailable', {}, { cause, retryAfter: 1 });
    });
    return { data: { trusted: true, confirmed_at: new Date(time).toISOString() } };
  });
  docsRoutes(parts);
  healthRoutes(parts);
}

/** Adds the routes of liveness and readiness. */
export function liveRoutes({ app, runner, readiness }: Pick<HealthParts, 'app' | 'runner' | 'readiness'>): void {
  mountOpen({ app, runner, path: healthEndpoints.live.path }, (request, response) => {
    runner.answer({ request, response }, { alive: true });
  });
  mountOpen({ app, runner, path: healthEndpoints.ready.path }, (request, response, next) => {
    readiness().then(({ ready, parts }) => {
      if (ready) runner.answer({ request, response }, parts);
      else
        runner.refuse({ request, response }, new ServiceError('unavailable', {}, { retryAfter: 1 }), {
          data: parts,
          isHealth: true,
        });
    }, next);
  });
}

export function healthRoutes(parts: HealthParts): void {
  const { app, runner, prove } = parts;
  const challenge = createParser(healthEndpoints.identity.query);
  liveRoutes(parts);
  mountOpen({ app, runner, path: healthEndpoints.identity.path }, (request, response) => {
    try {
      const { nonce } = challenge.parse(request.query, false);
      runner.answer({ request, response }, { proof: prove(nonce, ownEnd(request.socket)) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      runner.refuse({ request, response }, error, { isHealth: true });
    }
  });
}

const script =
  "SwaggerUIBundle({ url: 'openapi.json', domNode: document.querySelector('main'), deepLinking: true, validatorUrl: null });";
const html = `<!doctype html>
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

/** Swagger UI: the build copies it from its package. */
const assets = fileURLToPath(new URL('../../../swagger-ui/', import.meta.url));

function docsRoutes({ app, runner, document }: ServiceParts): void {
  function setHeaders(response: Response, more: readonly string[]): void {
    const all = [...runner.headers({ request: response.req, response }), ...more];
    for (let at = 0; at < all.length; at += 2) response.setHeader(all[at] ?? '', all[at + 1] ?? '');
  }

  const serve = (type: string, headers: readonly string[], bodyOf: () => string): RequestHandler => {
    let forms: Forms | undefined;
    return (request, response) => {
      forms ??= formsOf(bodyOf());
      const isZipped = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
      const { body, etag } = isZipped ? forms.zipped : forms.plain;
      // Clients ask again each time, and get the body only when it has changed.
      setHeaders(response, [...headers, 'Cache-Control', 'no-cache', 'ETag', etag]);
      if (isZipped) response.setHeader('Content-Encoding', 'gzip');
      response.vary('Accept-Encoding').type(type).send(body);
    };
  };

  const { openApi, page } = docsEndpoints;
  mountOpen(
    { app, runner, path: openApi.path },
    serve('application/json', securityHeaders(), () => JSON.stringify(document())),
  );
  const servePage = serve('html', pageHeaders, () => html);
  mountOpen({ app, runner, path: page.path }, (request, response, next) => {
    // The page loads its parts by relative paths, so that it works below any prefix of a proxy.
    setHeaders(response, securityHeaders());
    if (request.path.endsWith('/')) response.redirect(301, `..${page.path}`);
    else servePage(request, response, next);
  });
  const assetHeaders = [...securityHeaders(), 'Cache-Control', 'public, max-age=3600'];
  app.use(
    page.path,
    express.static(assets, {
      index: false,
      redirect: false,
      setHeaders: (response: Response) => setHeaders(response, assetHeaders),
    }),
  );
}

type Forms = ReturnType<typeof formsOf>;

/** The body as it is and compressed, each with its own ETag. */
function formsOf(text: string) {
  const tag = digest(text, 'base64url');
  return {
    plain: { body: Buffer.from(text), etag: `"${tag}"` },
    zipped: { body: gzipSync(text), etag: `"${tag}-gzip"` },
  };
}
