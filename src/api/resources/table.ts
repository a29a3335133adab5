/** All resources: the description of the API and the routes of the service are both made from this list. */
import type { AnyEndpoint, Resource } from '../http/endpoint.js';
import type { Routes } from '../http/routes.js';
import { analytics } from './analytics/endpoints.js';
import { analyticsRoutes, type AnalyticsParts } from './analytics/handlers.js';
import { audit } from './audit/endpoints.js';
import { auditRoutes, type AuditParts } from './audit/handlers.js';
import { catalogue, type CatalogueKind } from './catalogues/endpoints.js';
import { catalogueRoutes, type CatalogueParts } from './catalogues/handlers.js';
import { contactEndpoints, contactResource } from './contacts/endpoints.js';
import { contactRoutes, type ContactParts } from './contacts/handlers.js';
import { emailResource } from './email/endpoints.js';
import { emailRoutes, type EmailParts } from './email/handlers.js';
import { keys } from './keys/endpoints.js';
import { keysRoutes, type KeysParts } from './keys/handlers.js';
import { privacy } from './privacy/endpoints.js';
import { privacyRoutes, type PrivacyParts } from './privacy/handlers.js';
import { projections } from './projections/endpoints.js';
import { projectionsRoutes, type ProjectionsParts } from './projections/handlers.js';
import { suppressionResource } from './suppressions/endpoints.js';
import { suppressionRoutes, type SuppressionParts } from './suppressions/handlers.js';
import { service } from './service/endpoints.js';
import { serviceRoutes, type ServiceParts } from './service/handlers.js';
import { views } from './views/endpoints.js';
import { viewsRoutes, type ViewsParts } from './views/handlers.js';

/** What the handlers need. */
export type Parts = AnalyticsParts &
  AuditParts &
  CatalogueParts &
  ContactParts &
  EmailParts &
  KeysParts &
  PrivacyParts &
  ProjectionsParts &
  ServiceParts &
  SuppressionParts &
  ViewsParts;

interface MountedResource extends Resource {
  mount(routes: Routes, parts: Parts): void;
}

const catalogueOf = (kind: CatalogueKind): MountedResource => ({
  ...catalogue(kind),
  mount: (routes, parts) => catalogueRoutes(routes, { ...parts, kind }),
});

/** `clock` tells milliseconds since the epoch. */
export function createResources(clock: () => number): readonly MountedResource[] {
  const endpoints = contactEndpoints(clock);
  return [
    // First, because a request is compared with one path after the other, and most are for these.
    { ...contactResource(endpoints), mount: (routes, parts) => contactRoutes(routes, { ...parts, endpoints }) },
    catalogueOf('group'),
    catalogueOf('list'),
    catalogueOf('tag'),
    { ...emailResource, mount: emailRoutes },
    { ...suppressionResource, mount: suppressionRoutes },
    { ...audit, mount: auditRoutes },
    { ...analytics, mount: analyticsRoutes },
    { ...views, mount: viewsRoutes },
    { ...projections, mount: projectionsRoutes },
    { ...keys, mount: keysRoutes },
    { ...privacy, mount: privacyRoutes },
    { ...service, mount: serviceRoutes },
  ];
}

export const endpointsOf = (resources: readonly Resource[]): readonly AnyEndpoint[] =>
  resources.flatMap(({ endpoints }) => Object.values(endpoints));
