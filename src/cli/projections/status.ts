/** How far the views of a running service are. */
import { viewState, type ViewState } from '../../rebuild/answers.js';
import type { ServiceClient } from '../service-client.js';
import { itemsFrom } from '../through-service.js';

/** Without a service the lag is not known. */
export type ViewStatus = Omit<ViewState, 'lag_ms'> & { readonly lag_ms: number | null };

/** @throws CommandFailedError */
export const statusFrom = (service: ServiceClient): Promise<readonly ViewStatus[]> =>
  itemsFrom(service, '/v1/projections', { item: viewState });
