/** What the endpoints of privacy do: erase a person, and say how far that is. */
import type { Erasure } from '../../../commands/erasures.js';
import { ServiceError } from '../../../errors.js';
import type { Erasures } from '../../../privacy/erasures.js';
import type { Endpoints } from '../table.js';
import { pageOf, pageRequest } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';

interface PrivacyRoutes {
  readonly endpoints: Endpoints['privacy'];
  readonly erasures: Pick<Erasures, 'request' | 'all'>;
}

export function privacyRoutes(routes: Routes, { endpoints, erasures }: PrivacyRoutes): void {
  routes.on(endpoints.erase, async ({ input, context }) => {
    const { erasure, position } = await erasures.request(input, context);
    const location = ['Location', `/v1/privacy/erasures/${erasure.erasure_id}`];
    return { data: shown(erasure), headers: [...location, 'X-Position', position] };
  });

  routes.on(endpoints.get, async ({ parameter }) => {
    const erasure = (await erasures.all()).get(parameter('erasure_id'));
    if (erasure === undefined) throw new ServiceError('not_found');
    return { data: shown(erasure) };
  });

  routes.on(endpoints.page, async ({ query }) => {
    const scope = ['erasures'];
    const { limit, cursor = '' } = pageRequest(query, scope);
    const all = await erasures.all();
    const later = [...all.keys()].filter((id) => id > cursor).sort();
    const ids = later.slice(0, limit);
    const items = ids.flatMap((id) => all.get(id) ?? []);
    const next_cursor = later.length > limit ? ids.at(-1) : undefined;
    return pageOf({ items, ...(next_cursor === undefined ? {} : { next_cursor }) }, { show: shown, scope });
  });
}

function shown({ erasure_id, requested_at, reason, completed }: Erasure): object {
  return {
    erasure_id,
    status: completed === null ? 'requested' : 'completed',
    requested_at,
    completed_at: completed?.at ?? null,
    reason,
    contacts: completed?.contacts ?? null,
    emails: completed?.emails ?? null,
  };
}
