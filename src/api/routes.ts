/** The routes of the API: each path has one endpoint, and answers another method with 405 and `Allow`. */
import type { Express } from 'express';
import { ServiceError } from '../errors.js';
import type { Endpoint, EndpointRunner } from './endpoint-runner.js';
import { parseNothing } from './input.js';

export interface Routes {
  get(path: string, endpoint: Omit<Endpoint<undefined>, 'parse'>): void;
  post<Input>(path: string, endpoint: Endpoint<Input>): void;
  postOrDelete<Input>(path: string, endpoint: Endpoint<Input>): void;
}

export function createRoutes(app: Express, runner: EndpointRunner): Routes {
  function mount<Input>(
    methods: readonly ('get' | 'post' | 'delete')[],
    path: string,
    endpoint: Endpoint<Input>,
  ): void {
    const route = app.route(path);
    const handler = runner.run(path.replaceAll(/:(\w+)/g, '{$1}'), endpoint);
    for (const method of methods) route[method](handler);
    const allow = methods.map((method) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase())).join(', ');
    route.all((request, response) => {
      runner.refuse({ request, response }, new ServiceError('method_not_allowed'), { headers: ['Allow', allow] });
    });
  }

  return {
    get: (path, endpoint) => mount(['get'], path, { ...endpoint, parse: parseNothing }),
    post: (path, endpoint) => mount(['post'], path, endpoint),
    postOrDelete: (path, endpoint) => mount(['post', 'delete'], path, endpoint),
  };
}
