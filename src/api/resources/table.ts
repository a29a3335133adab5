/** The table of all resources, for the description of the API. */
import type { AnyEndpoint, Resource } from '../http/endpoint.js';
import { analytics } from './analytics/endpoints.js';
import { audit } from './audit/endpoints.js';
import { catalogue } from './catalogues/endpoints.js';
import { contactResource } from './contacts/endpoints.js';
import { emailResource } from './email/endpoints.js';
import { keys } from './keys/endpoints.js';
import { privacy } from './privacy/endpoints.js';
import { projections } from './projections/endpoints.js';
import { service } from './service/endpoints.js';
import { views } from './views/endpoints.js';

/** `clock` tells milliseconds since the epoch. */
export const createResources = (clock: () => number): readonly Resource[] => [
  catalogue('group'),
  catalogue('list'),
  catalogue('tag'),
  contactResource(clock),
  emailResource,
  audit,
  analytics,
  views,
  projections,
  keys,
  privacy,
  service,
];

export const endpointsOf = (resources: readonly Resource[]): readonly AnyEndpoint[] =>
  resources.flatMap(({ endpoints }) => Object.values(endpoints));
