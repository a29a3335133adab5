/** All resources. The routes of the service and the description of the API are made from this list. */
import type { Endpoint, Resource } from '../http/endpoint.js';
import { analyticsResource } from './analytics.js';
import { auditResource } from './audit.js';
import { catalogueResource } from './catalogues.js';
import { contactResource } from './contacts.js';
import { emailResource } from './email.js';
import { keysResource } from './keys.js';
import type { Parts } from './parts.js';
import { privacyResource } from './privacy.js';
import { projectionsResource } from './projections.js';
import { serviceResource } from './service.js';
import { suppressionResource } from './suppressions.js';
import { viewsResource } from './views.js';

/** @param clock returns milliseconds since 1970 */
export const createResources = (clock: () => number): readonly Resource<Parts>[] => [
  // Contacts come first, because a request is compared with one path after the other, and most requests are for contacts.
  contactResource(clock),
  catalogueResource('group'),
  catalogueResource('list'),
  catalogueResource('tag'),
  emailResource,
  suppressionResource,
  auditResource,
  analyticsResource,
  viewsResource,
  projectionsResource,
  keysResource,
  privacyResource,
  serviceResource,
];

export const endpointsOf = (resources: readonly Resource<Parts>[]): readonly Endpoint<Parts>[] =>
  resources.flatMap(({ endpoints }) => Object.values(endpoints));
