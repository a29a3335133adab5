/** API keys: create, list, rotate, revoke. */
import { z } from 'zod';
import { stateOf, type Key } from '../../commands/keys.js';
import { isScope, scopes } from '../../events/keys.js';
import * as value from '../../events/values.js';
import { keyId, object, time } from '../../events/values.js';
import { hashKey } from '../http/auth.js';
import { anyKey, type Resource } from '../http/endpoint.js';
import { answerOfPage, pageOfEntries, pageRequest } from '../http/paging.js';
import { writtenHeaders } from '../http/request-headers.js';
import { moment, name } from '../schemas/fields.js';
import { idInPath, pageSchema, paging } from '../schemas/parameters.js';
import { describedBy, refuseWith, textField } from '../schemas/rules.js';
import { read, write, type Parts } from './parts.js';

const scope = z.enum(scopes).meta({ id: 'Scope', description: 'What an API key may do.' });

const scopeList = z
  .array(z.unknown().register(describedBy, { enumeration: scope }))
  .refine((items) => items.every(isScope), { abort: true, params: { code: 'unknown_scope', names: scopes.join(', ') } })
  .transform((items) => [...new Set(items.filter(isScope))])
  .meta({
    description: 'What the key may do. Only scopes that the key of the request has itself.',
    minItems: 1,
    examples: [['contacts:read', 'contacts:write']],
  });

const dayInSeconds = 86_400;
const longestOverlap = 30 * dayInSeconds;
const isOverlap = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= longestOverlap;

const overlap = z
  .unknown()
  .refine(isOverlap, refuseWith('invalid_overlap'))
  .transform(Number)
  .meta({
    description: 'How long the secret before holds, too, in seconds. 0: it ends at once.',
    type: 'integer',
    minimum: 0,
    maximum: longestOverlap,
    default: dayInSeconds,
  })
  .default(dayInSeconds);

const reason = textField({ maxCharacters: 255 }, { description: 'Why. Nothing personal.', examples: ['leaked'] })
  .nullish()
  .transform((given) => (given === null || given === '' ? undefined : given));

/** The decider checks that the time is in the future. */
const futureMoment = moment({
  description: 'ISO 8601 with its zone, in the future.',
  format: 'date-time',
  // Generators of clients take one or the other.
  pattern: undefined,
  examples: ['2030-01-01T00:00:00Z'],
})
  .nullish()
  .transform((time) => time ?? undefined);

const about = {
  key_id: keyId,
  name: value.text('Name of the key.', 'Shop'),
  scopes: z.array(z.enum(scopes)).describe('What the key may do.'),
  expires_at: time.nullable(),
};
const secret = z
  .string()
  .regex(/^aud_[0-9A-Za-z]{38}$/)
  .describe('Shown this once.');
const until = time.describe('Until then the secret before holds, too.');

const createdKey = object('CreatedApiKey', {
  ...about,
  secret: secret.nullable().describe('Shown this once: null in the answer to a repeat.'),
  note: z.string().optional().describe('Why there is no secret.'),
});
const rotatedKey = object('RotatedApiKey', { key_id: keyId, secret, previous_until: until });
const revokedKey = object('RevokedApiKey', { key_id: keyId, state: z.literal('revoked') });

const apiKey = object('ApiKey', {
  ...about,
  state: z.enum(['active', 'expired', 'revoked']),
  created_at: time,
  rotated_at: time.nullable(),
  previous_until: until.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().describe('To the minute.'),
});

const ownKey = apiKey
  .extend({
    key_id: keyId
      .nullable()
      .describe('Null: a key of the configuration. Its name is the actor of what is done with it.'),
    created_at: time.nullable().describe('Null: a key of the configuration.'),
    reads_recorded: z
      .boolean()
      .describe('Whether the service records reads under the name of the key. See `ACCESS_LOG`.'),
  })
  .meta({ id: 'OwnApiKey', description: 'The API key of the request.' });

const endpoints = {
  create: write('createApiKey', '/v1/keys', {
    scope: 'keys',
    summary: 'Create an API key',
    description: 'The secret is in this answer and in no other. The key ends no later than the one that asks.',
    takesIdempotencyKey: true,
    body: z.object({ name: name('Shop'), scopes: scopeList, expires_at: futureMoment }),
    message: 'Key created successfully!',
    answer: { data: createdKey, position: true },
    errors: ['reserved_name', 'not_in_the_future', 'duplicate_key_name'],
    handle: async ({ input, scopes: granter, context, idempotencyKey }, { keys, clock }) => {
      const secret = keys.newSecret();
      const details = {
        key_id: keys.newId(),
        ...input,
        hash: hashOf(secret),
        granter,
        by: context.actor,
        now: timeAfter(clock, 0),
      };
      const { key, position } = await keys.change({ type: 'Create', ...details }, context, idempotencyKey);
      const { key_id, name, scopes, expires_at } = key;
      const replayed = key_id !== details.key_id;
      const shown = replayed ? { secret: null, note: secretShown } : { secret };
      return { data: { key_id, name, scopes, expires_at, ...shown }, headers: writtenHeaders({ position, replayed }) };
    },
  }),
  page: read('listApiKeys', '/v1/keys', {
    scope: 'keys',
    summary: 'List the API keys, revoked ones too',
    query: z.object(paging),
    answer: pageSchema(apiKey),
    handle: async ({ query }, parts) => {
      const { keys } = parts;
      const scope = ['keys'];
      const request = pageRequest(query, scope);
      const page = pageOfEntries(await keys.all(), request);
      const items = await Promise.all(page.items.map((key) => show(key, parts)));
      return answerOfPage({ ...page, items }, { scope });
    },
  }),
  self: read('getOwnApiKey', '/v1/keys/self', {
    scope: anyKey,
    summary: 'The API key of this request',
    description: 'What this key may do, and until when. Any key may ask.',
    answer: { data: ownKey },
    handle: async ({ context: { actor } }, parts) => {
      const { keys, recordRead } = parts;
      // A key of the configuration does not depend on the log.
      const key = keyId.safeParse(actor).success ? (await keys.all()).get(actor) : undefined;
      const shown = key === undefined ? configuredKey(actor) : await show(key, parts);
      return { data: { ...shown, reads_recorded: recordRead !== undefined } };
    },
  }),
  rotate: write('rotateApiKey', '/v1/keys/{key_id}/rotate', {
    scope: 'keys',
    summary: 'Give an API key a new secret',
    description:
      'The secret is in this answer and in no other. The one before holds for a while, any earlier one ends.',
    body: z.object({ overlap_seconds: overlap }),
    message: 'Key rotated successfully!',
    answer: { data: rotatedKey, position: true },
    errors: ['key_not_rotatable'],
    handle: async ({ input, scopes: granter, parameter, context }, { keys, clock }) => {
      const secret = keys.newSecret();
      const key_id = parameter('key_id');
      const details = { key_id, hash: hashOf(secret), granter, by: context.actor, now: timeAfter(clock, 0) };
      const command = { type: 'Rotate', ...details, previous_until: timeAfter(clock, input.overlap_seconds) } as const;
      const { key, position } = await keys.change(command, context);
      return { data: { key_id, secret, previous_until: key.previous?.until }, headers: ['X-Position', position] };
    },
  }),
  revoke: write('revokeApiKey', '/v1/keys/{key_id}/revoke', {
    scope: 'keys',
    summary: 'Refuse an API key from now on, for ever',
    body: z.object({ reason }),
    message: 'Key revoked successfully!',
    answer: { data: revokedKey, position: true },
    handle: async ({ input, parameter, context }, { keys }) => {
      const key_id = parameter('key_id');
      const { position } = await keys.change({ type: 'Revoke', key_id, ...input }, context);
      return { data: { key_id, state: 'revoked' }, headers: ['X-Position', position] };
    },
  }),
};

export const keysResource: Resource<Parts> = {
  name: 'ApiKeys',
  description: 'A secret is shown once. Nobody gives scopes that they do not have.',
  parameters: { key_id: idInPath('key', 'key') },
  endpoints,
};

const secretShown = 'The secret was in the first answer only. Where that was lost, rotate the key.';

const timeAfter = (clock: () => number, seconds: number): string => new Date(clock() + seconds * 1_000).toISOString();
const hashOf = (secret: string): string => hashKey(secret).toString('hex');

const show = async (key: Key, { keys, clock }: Pick<Parts, 'keys' | 'clock'>) => ({
  key_id: key.key_id,
  name: key.name,
  scopes: key.scopes.filter(isScope),
  state: stateOf(key, timeAfter(clock, 0)),
  expires_at: key.expires_at,
  previous_until: key.previous?.until ?? null,
  created_at: key.created_at,
  rotated_at: key.rotated_at,
  revoked_at: key.revoked_at,
  last_used_at: await keys.lastUse(key.key_id),
});

/** Returns what is known about a key of the configuration. Nothing ends such a key while the process runs. */
const configuredKey = (name: string) => ({
  key_id: null,
  name,
  scopes,
  state: 'active',
  expires_at: null,
  previous_until: null,
  created_at: null,
  rotated_at: null,
  revoked_at: null,
  last_used_at: null,
});
