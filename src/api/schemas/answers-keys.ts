/** What the endpoints of API keys answer. For the API description and for tests. */
import { z } from 'zod';
import { scopes } from '../../events/scopes.js';
import { keyId, text, time } from './values.js';

const named = {
  key_id: keyId,
  name: text('Name of the key.', 'Shop'),
  scopes: z.array(z.enum(scopes)).describe('What the key may do.'),
  expires_at: time.nullable(),
};
const secret = z
  .string()
  .regex(/^aud_[0-9A-Za-z]{38}$/)
  .describe('Shown this once.');

export const createdKey = z.strictObject({ ...named, secret }).meta({ id: 'CreatedApiKey' });
export const rotatedKey = z
  .strictObject({ key_id: keyId, secret, previous_until: time.describe('Until then the secret before holds, too.') })
  .meta({ id: 'RotatedApiKey' });
export const revokedKey = z.strictObject({ key_id: keyId, state: z.literal('revoked') }).meta({ id: 'RevokedApiKey' });

export const apiKey = z
  .strictObject({
    ...named,
    state: z.enum(['active', 'expired', 'revoked']),
    created_at: time,
    rotated_at: time.nullable(),
    previous_until: time.nullable(),
    revoked_at: time.nullable(),
    last_used_at: time.nullable().describe('To the minute.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret.' });
