/** The table of all endpoints: no other place names a route. */
import { analyticsEndpoints } from './analytics.js';
import { auditEndpoints } from './audit.js';
import { catalogueEndpoints } from './catalogues.js';
import { contactEndpoints } from './contacts.js';
import { docsEndpoints } from './docs.js';
import { emailEndpoints } from './email.js';
import type { AnyEndpoint } from './endpoint.js';
import { healthEndpoints } from './health.js';
import { keyEndpoints } from './keys.js';
import { privacyEndpoints } from './privacy.js';
import { projectionsEndpoints } from './projections.js';
import { viewEndpoints } from './views.js';

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
