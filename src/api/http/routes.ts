/** Mounts endpoints on their paths. Methods that a path does not have are answered 405 with `Allow`. */
import type { Express, RequestHandler } from 'express';
import { ServiceError } from '../../errors.js';
import { isPreflight } from './cors.js';
import type { Endpoint } from './endpoint.js';
import type { Pipeline } from './pipeline.js';

interface Mounting<Needs> {
  readonly app: Express;
  readonly pipeline: Pipeline;
  readonly parts: Needs;
}

const methodsOf = {
  get: { handled: ['get'], allow: ['GET', 'HEAD'] },
  post: { handled: ['post'], allow: ['POST'] },
  postOrDelete: { handled: ['post', 'delete'], allow: ['POST', 'DELETE'] },
} as const;

export function mountEndpoints<Needs>(
  endpoints: readonly Endpoint<Needs>[],
  { app, pipeline, parts }: Mounting<Needs>,
): void {
  /** Methods by path, of all its endpoints. */
  const allowed = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    const route = app.route(endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const { handled, allow } = methodsOf[endpoint.method];
    const handler = pipeline.handlerOf(endpoint, parts);
    for (const method of handled) route[method](handler);
    const methods = allowed.get(endpoint.path) ?? [];
    methods.push(...allow);
    allowed.set(endpoint.path, methods);
    route.all(otherMethods(pipeline, methods));
  }
}

/** Answers 405 to methods that the path does not have, and 200 to preflights of allowed origins. */
export const otherMethods =
  (pipeline: Pipeline, allowed: readonly string[]): RequestHandler =>
  (request, response, next) => {
    const allow = allowed.join(', ');
    if (allowed.includes(request.method)) next();
    else if (isPreflight(request, response, allow)) pipeline.answer({ request, response }, {});
    else pipeline.refuse({ request, response }, new ServiceError('method_not_allowed'), { headers: ['Allow', allow] });
  };
