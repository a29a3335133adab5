/** Where an endpoint can answer JSON and a page: which of them a request wants. */
import type { Request } from 'express';

/** A client that takes anything gets JSON. Caches are told that the header decides. */
export function wantsPage(request: Request): boolean {
  request.res?.vary('Accept');
  return request.accepts(['application/json', 'text/html']) === 'text/html';
}
