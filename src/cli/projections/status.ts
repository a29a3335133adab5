/** How far the views of a running service are. */
import { z } from 'zod';
import type { ServiceClient } from '../service-client.js';
import { itemsFrom } from '../through-service.js';

const viewSchema = z.object({
  name: z.string(),
  version: z.number(),
  state: z.enum(['live', 'missing']),
  storage_version: z.number().nullable(),
  position: z.string(),
  lag_ms: z.number().nullable(),
  parked: z.array(z.object({ stream: z.string(), position: z.string(), reason: z.string() })),
  rebuild_id: z.string().nullable(),
});
export type ViewStatus = z.output<typeof viewSchema>;

/** @throws CommandFailedError */
export const statusFrom = (service: ServiceClient): Promise<readonly ViewStatus[]> =>
  itemsFrom(service, '/v1/projections', { item: viewSchema });
