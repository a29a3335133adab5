/** What the endpoints of API keys answer. For the API description and for tests. */
import { z } from 'zod';
import { scopes } from '../../../events/scopes.js';
import { keyId, object, text, time } from '../../../events/values.js';

const about = {
  key_id: keyId,
  name: text('Name of the key.', 'Shop'),
  scopes: z.array(z.enum(scopes)).describe('What the key may do.'),
  expires_at: time.nullable(),
};
const secret = z
  .string()
  .regex(/^aud_[0-9A-Za-z]{38}$/)
  .describe('Shown this once.');
const until = time.describe('Until then the secret before holds, too.');

export const createdKey = object('CreatedApiKey', {
  ...about,
  secret: secret.nullable().describe('Shown this once: null in the answer to a repeat.'),
  note: z.string().optional().describe('Why there is no secret.'),
});
export const rotatedKey = object('RotatedApiKey', { key_id: keyId, secret, previous_until: until });
export const revokedKey = object('RevokedApiKey', { key_id: keyId, state: z.literal('revoked') });

export const apiKey = object('ApiKey', {
  ...about,
  state: z.enum(['active', 'expired', 'revoked']),
  created_at: time,
  rotated_at: time.nullable(),
  previous_until: until.nullable(),
  revoked_at: time.nullable(),
  last_used_at: time.nullable().describe('To the minute.'),
});
