/** The table of all endpoints: no other place names a route. */
import { analyticsEndpoints } from './analytics/endpoints.js';
import { auditEndpoints } from './audit/endpoints.js';
import { catalogueEndpoints } from './catalogues/endpoints.js';
import { contactEndpoints } from './contacts/endpoints.js';
import { docsEndpoints } from './service/docs-endpoints.js';
import { emailEndpoints } from './email/endpoints.js';
import type { AnyEndpoint } from '../http/endpoint.js';
import { healthEndpoints } from './service/endpoints.js';
import { keyEndpoints } from './keys/endpoints.js';
import { privacyEndpoints } from './privacy/endpoints.js';
import { projectionsEndpoints } from './projections/endpoints.js';
import { viewEndpoints } from './views/endpoints.js';

/** By resource. `clock` tells milliseconds since the epoch. */
export function createEndpoints(clock: () => number) {
  return {
    groups: catalogueEndpoints('group'),
    lists: catalogueEndpoints('list'),
    tags: catalogueEndpoints('tag'),
    contacts: contactEndpoints(clock),
    email: emailEndpoints,
    audit: auditEndpoints,
    analytics: analyticsEndpoints,
    projections: projectionsEndpoints,
    views: viewEndpoints,
    keys: keyEndpoints,
    privacy: privacyEndpoints,
    health: healthEndpoints,
    docs: docsEndpoints,
  };
}

export type Endpoints = ReturnType<typeof createEndpoints>;

export const allOf = (endpoints: Endpoints): readonly AnyEndpoint[] =>
  Object.values(endpoints).flatMap((resource) => Object.values<AnyEndpoint>(resource));
