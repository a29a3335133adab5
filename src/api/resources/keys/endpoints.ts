/** The endpoints of API keys. */
import { z } from 'zod';
import { isScope, scopes } from '../../../events/scopes.js';
import { pageOf } from '../contacts/answers.js';
import { apiKey, createdKey, revokedKey, rotatedKey } from './answers.js';
import { name, futureMoment } from '../../schemas/fields.js';
import { paging } from '../../schemas/query.js';
import { refusal, text } from '../../schemas/rules.js';
import { ownRead, ownWrite } from '../../http/endpoint.js';

const scopeList = z
  .array(z.unknown())
  .refine((items) => items.every(isScope), { abort: true, params: { code: 'unknown_scope', names: scopes.join(', ') } })
  .transform((items) => [...new Set(items.filter(isScope))])
  .meta({
    description: 'What the key may do. Only scopes that the key of the request has itself.',
    type: 'array',
    items: { type: 'string', enum: [...scopes] },
    minItems: 1,
    examples: [['contacts:read', 'contacts:write']],
  });

const dayInSeconds = 86_400;
const longestOverlap = 30 * dayInSeconds;
const isOverlap = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= longestOverlap;

const overlap = z
  .unknown()
  .refine(isOverlap, refusal('invalid_overlap'))
  .transform(Number)
  .meta({
    description: 'How long the secret before holds, too, in seconds. 0: it ends at once.',
    type: 'integer',
    minimum: 0,
    maximum: longestOverlap,
    default: dayInSeconds,
  })
  .default(dayInSeconds);

const reason = text({ maxCharacters: 255 }, { description: 'Why. Nothing personal.', examples: ['leaked'] })
  .nullish()
  .transform((given) => (given === null || given === '' ? undefined : given));

export const keyEndpoints = {
  create: ownWrite('createApiKey', '/v1/keys', {
    scope: 'keys',
    summary: 'Create an API key',
    description: 'The secret is in this answer and in no other. The key ends no later than the one that asks.',
    replays: true,
    body: z.object({ name: name('Shop'), scopes: scopeList, expires_at: futureMoment }),
    message: 'Key created successfully!',
    answer: { data: createdKey },
    errors: ['reserved_name', 'not_in_the_future', 'duplicate_key_name'],
  }),
  page: ownRead('listApiKeys', '/v1/keys', {
    scope: 'keys',
    summary: 'List the API keys, revoked ones too',
    query: z.object(paging),
    answer: pageOf(apiKey),
  }),
  rotate: ownWrite('rotateApiKey', '/v1/keys/{key_id}/rotate', {
    scope: 'keys',
    summary: 'Give an API key a new secret',
    description:
      'The secret is in this answer and in no other. The one before holds for a while, any earlier one ends.',
    body: z.object({ overlap_seconds: overlap }),
    message: 'Key rotated successfully!',
    answer: { data: rotatedKey },
    errors: ['key_not_rotatable'],
  }),
  revoke: ownWrite('revokeApiKey', '/v1/keys/{key_id}/revoke', {
    scope: 'keys',
    summary: 'Refuse an API key from now on, for ever',
    body: z.object({ reason }),
    message: 'Key revoked successfully!',
    answer: { data: revokedKey },
  }),
};
