/** The refusals of mail that held at a time, from their history. */
import type { components } from '../../../client/client.js';

type Step = components['schemas']['SuppressionStep'];
type Active = Pick<components['schemas']['ActiveSuppression'], 'scope' | 'since'> & { readonly reason: string };

/** As the service folds them: a reason of a scope stands once, a release lifts its scope, and one that forgets lifts all. */
export function activeAt(history: readonly Step[], time: string): readonly Active[] {
  let active: readonly Active[] = [];
  for (const { type, scope, reason, at } of history) {
    if (at > time || scope === null || reason === null) continue;
    if (type === 'AddressReleased')
      active = reason === 'forgotten' ? [] : active.filter((entry) => entry.scope !== scope);
    else if (type === 'AddressSuppressed' && !active.some((entry) => entry.scope === scope && entry.reason === reason))
      active = [...active, { scope, reason, since: at }];
  }
  return active;
}
