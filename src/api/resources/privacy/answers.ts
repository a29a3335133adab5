/** What the endpoints of privacy answer. For the API description and for tests. */
import { z } from 'zod';
import { count, erasureId, object, text, time } from '../../../events/values.js';

export const erasure = object(
  'Erasure',
  {
    erasure_id: erasureId,
    status: z.enum(['requested', 'completed']),
    requested_at: time,
    completed_at: time.nullable(),
    reason: text('The code that was given.', 'requested').nullable(),
    contacts: count.nullable().describe('Contacts that were erased, 0 or 1. Null until it is completed.'),
    emails: count.nullable().describe('E-mails that were erased. Null until it is completed.'),
  },
  'It names nobody.',
);
