/** How far the views of a running service are. */
import { z } from 'zod';
import { CommandFailedError } from '../../transfer/failures.js';
import type { ServiceClient } from '../service-client.js';

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
export async function statusFrom(service: ServiceClient): Promise<readonly ViewStatus[]> {
  const { status, data, message } = await service.ask({ method: 'GET', path: '/v1/projections' });
  const views = z.array(viewSchema).safeParse(data);
  if (status === 200 && views.success) return views.data;
  throw new CommandFailedError(message === '' ? `The service answered ${status}.` : message, { type: 'refused' });
}
