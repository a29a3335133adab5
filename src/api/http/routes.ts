/** Mounts endpoints. Methods that a path does not have are answered 405 with `Allow`. */
import type { Express, RequestHandler } from 'express';
import type { z } from 'zod';
import { ServiceError } from '../../errors.js';
import { isPreflight } from './cors.js';
import type { EndpointRunner, Handle } from './endpoint-runner.js';
import type { Endpoint } from './endpoint.js';

interface OpenRoute {
  readonly app: Express;
  readonly runner: EndpointRunner;
  readonly path: string;
}

/** Mounts a GET that needs no API key. */
export function mountOpen({ app, runner, path }: OpenRoute, handler: RequestHandler): void {
  app.route(path).get(handler).all(otherMethods(runner, methodsOf.get.allow));
}

export interface Routes {
  on<Body extends z.ZodType, Query extends z.ZodType, Path extends string>(
    endpoint: Endpoint<Body, Query, Path>,
    handle: Handle<Body, Query, Path>,
  ): void;
}

const methodsOf = {
  get: { handled: ['get'], allow: ['GET', 'HEAD'] },
  post: { handled: ['post'], allow: ['POST'] },
  postOrDelete: { handled: ['post', 'delete'], allow: ['POST', 'DELETE'] },
} as const;

export function createRoutes(app: Express, runner: EndpointRunner): Routes {
  /** Methods by path, of all its endpoints. */
  const allowed = new Map<string, string[]>();
  return {
    on(endpoint, handle) {
      const route = app.route(endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'));
      const { handled, allow } = methodsOf[endpoint.method];
      const handler = runner.run(endpoint, handle);
      for (const method of handled) route[method](handler);
      const methods = allowed.get(endpoint.path) ?? [];
      methods.push(...allow);
      allowed.set(endpoint.path, methods);
      route.all(otherMethods(runner, methods));
    },
  };
}

/** Why the log is not trusted. Undefined: this process cannot tell. */
export type Altered = (() => string | undefined) | undefined;

/** Answers 503 once the log was altered by somebody else. */
export const ofIntactLog = (routes: Routes, altered: Altered): Routes => ({
  on(endpoint, handle) {
    routes.on(endpoint, async (call) => {
      if (altered?.() !== undefined) throw new ServiceError('unavailable', {}, { retryAfter: 10 });
      return await handle(call);
    });
  },
});

/** 405 for methods that the path does not have, 200 for preflights of allowed origins. */
export const otherMethods =
  (runner: EndpointRunner, allowed: readonly string[]): RequestHandler =>
  (request, response, next) => {
    const allow = allowed.join(', ');
    if (allowed.includes(request.method)) next();
    else if (isPreflight(request, response, allow)) runner.answer({ request, response }, {});
    else runner.refuse({ request, response }, new ServiceError('method_not_allowed'), { headers: ['Allow', allow] });
  };
