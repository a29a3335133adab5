/** What the endpoints of API keys do: create, list, rotate, revoke. */
import type { z } from 'zod';
import type { CommandContext } from '../commands/batch.js';
import type { Key, KeyCommand } from '../commands/keys.js';
import { ServiceError } from '../errors.js';
import type { Endpoints } from './endpoints/endpoints.js';
import { pageOf, pageRequest } from './reads.js';
import type { Routes } from './routes.js';
import type { apiKey } from './schemas/answers-keys.js';

export type ShownKey = z.output<typeof apiKey>;

export interface KeysOfApi {
  readonly newId: () => string;
  /** In clear, and its SHA-256 in hex: only that is kept. */
  readonly newSecret: () => { readonly secret: string; readonly hash: string };
  /** When it resolves the change is durable and holds in this process. @throws ServiceError a refusal, or `unavailable` */
  change(command: KeyCommand, context: CommandContext): Promise<{ readonly key: Key; readonly position: string }>;
  /** By id, as of now. @throws StoreUnavailableError */
  list(page: { readonly after: string; readonly limit: number }): Promise<readonly ShownKey[]>;
}

interface KeysRoutes {
  readonly endpoints: Endpoints['keys'];
  readonly keys: KeysOfApi;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

export function keysRoutes(routes: Routes, { endpoints, keys, clock }: KeysRoutes): void {
  const timeAfter = (seconds: number): string => new Date(clock() + seconds * 1_000).toISOString();

  routes.on(endpoints.create, async ({ input, scopes: granter, context }) => {
    const { secret, hash } = keys.newSecret();
    const command = { type: 'Create', key_id: keys.newId(), ...input, hash, granter, now: timeAfter(0) } as const;
    const { key, position } = await keys.change(command, context);
    const { key_id, name, scopes, expires_at } = key;
    return { data: { key_id, name, scopes, expires_at, secret }, headers: ['X-Position', position] };
  });

  routes.on(endpoints.rotate, async ({ input, scopes: granter, parameter, context }) => {
    const { secret, hash } = keys.newSecret();
    const previous_until = timeAfter(input.overlap_seconds);
    const asked = { key_id: parameter('key_id'), hash, previous_until, granter, now: timeAfter(0) };
    const { key, position } = await keys.change({ type: 'Rotate', ...asked }, context);
    return { data: { key_id: key.key_id, secret, previous_until }, headers: ['X-Position', position] };
  });

  routes.on(endpoints.revoke, async ({ input, parameter, context }) => {
    const command = { type: 'Revoke', key_id: parameter('key_id'), ...input } as const;
    const { key, position } = await keys.change(command, context);
    return { data: { key_id: key.key_id, state: 'revoked' }, headers: ['X-Position', position] };
  });

  routes.on(endpoints.page, async ({ query }) => {
    const scope = ['keys'];
    const { limit, cursor = '' } = pageRequest(query, scope);
    if (!/^(?:key_[0-9A-Z]{26})?$/.test(cursor)) throw new ServiceError('invalid_cursor');
    const found = await keys.list({ after: cursor, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    const page = { items, ...(last === undefined ? {} : { next_cursor: last.key_id }) };
    return pageOf(page, { show: (key) => key, isIncomplete: false, scope });
  });
}
