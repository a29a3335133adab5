/** What the endpoints of API keys do: create, list, rotate, revoke. */
import type { RecordRead } from '../../../commands/access.js';
import { stateOf, type Key } from '../../../commands/keys.js';
import { isScope, scopes as allScopes } from '../../../events/keys.js';
import { keyId } from '../../../events/values.js';
import { hashKey } from '../../http/auth.js';
import { answerOfPage, pageRequest } from '../../http/reads.js';
import { writtenHeaders } from '../../http/request-headers.js';
import type { Routes } from '../../http/routes.js';
import type { KeysOfApi } from '../../keys/known-keys.js';
import { keyEndpoints } from './endpoints.js';

export interface KeysParts {
  readonly keys: KeysOfApi;
  /** Undefined where reads are not recorded. */
  readonly recordRead?: RecordRead | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

const secretShown = 'The secret was in the first answer only. Where that was lost, rotate the key.';

export function keysRoutes(routes: Routes, { keys, recordRead, clock }: KeysParts): void {
  const timeAfter = (seconds: number): string => new Date(clock() + seconds * 1_000).toISOString();
  const hashOf = (secret: string): string => hashKey(secret).toString('hex');
  const show = async (key: Key) => ({
    key_id: key.key_id,
    name: key.name,
    scopes: key.scopes.filter(isScope),
    state: stateOf(key, timeAfter(0)),
    expires_at: key.expires_at,
    previous_until: key.previous?.until ?? null,
    created_at: key.created_at,
    rotated_at: key.rotated_at,
    revoked_at: key.revoked_at,
    last_used_at: await keys.lastUse(key.key_id),
  });

  routes.on(keyEndpoints.create, async ({ input, scopes: granter, context, idempotencyKey }) => {
    const secret = keys.newSecret();
    const details = {
      key_id: keys.newId(),
      ...input,
      hash: hashOf(secret),
      granter,
      by: context.actor,
      now: timeAfter(0),
    };
    const { key, position } = await keys.change({ type: 'Create', ...details }, context, idempotencyKey);
    const { key_id, name, scopes, expires_at } = key;
    const replayed = key_id !== details.key_id;
    const shown = replayed ? { secret: null, note: secretShown } : { secret };
    return { data: { key_id, name, scopes, expires_at, ...shown }, headers: writtenHeaders({ position, replayed }) };
  });

  routes.on(keyEndpoints.rotate, async ({ input, scopes: granter, parameter, context }) => {
    const secret = keys.newSecret();
    const key_id = parameter('key_id');
    const details = { key_id, hash: hashOf(secret), granter, by: context.actor, now: timeAfter(0) };
    const command = { type: 'Rotate', ...details, previous_until: timeAfter(input.overlap_seconds) } as const;
    const { key, position } = await keys.change(command, context);
    return { data: { key_id, secret, previous_until: key.previous?.until }, headers: ['X-Position', position] };
  });

  routes.on(keyEndpoints.revoke, async ({ input, parameter, context }) => {
    const key_id = parameter('key_id');
    const { position } = await keys.change({ type: 'Revoke', key_id, ...input }, context);
    return { data: { key_id, state: 'revoked' }, headers: ['X-Position', position] };
  });

  routes.on(keyEndpoints.page, async ({ query }) => {
    const scope = ['keys'];
    const { limit, cursor = '' } = pageRequest(query, scope);
    const sorted = [...(await keys.all()).values()].sort((one, other) => (one.key_id < other.key_id ? -1 : 1));
    const found = sorted.filter(({ key_id }) => key_id > cursor);
    const items = found.slice(0, limit);
    const next_cursor = found.length > limit ? items.at(-1)?.key_id : undefined;
    const shown = { items: await Promise.all(items.map(show)), ...(next_cursor === undefined ? {} : { next_cursor }) };
    return answerOfPage(shown, { scope });
  });

  routes.on(keyEndpoints.self, async ({ context: { actor } }) => {
    // A key of the configuration does not depend on the log.
    const key = keyId.safeParse(actor).success ? (await keys.all()).get(actor) : undefined;
    const shown = key === undefined ? configuredKey(actor) : await show(key);
    return { data: { ...shown, reads_recorded: recordRead !== undefined } };
  });
}

/** No more is known of it, and nothing ends it while the process runs. */
const configuredKey = (name: string) => ({
  key_id: null,
  name,
  scopes: allScopes,
  state: 'active',
  expires_at: null,
  previous_until: null,
  created_at: null,
  rotated_at: null,
  revoked_at: null,
  last_used_at: null,
});
