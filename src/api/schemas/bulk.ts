/** What lines of bulk requests are answered with where they are refused. */
import { z } from 'zod';
import { object } from '../../events/values.js';

export const lineNumber = z.int().min(1).describe('Number of the line in the request, from 1.');

export const refusedLine = object('RefusedLine', {
  line: lineNumber,
  outcome: z.enum(['refused', 'unavailable']).meta({
    id: 'RefusedOutcome',
    description: '`unavailable`: send this line and those after it again.',
  }),
  error: object('ErrorOfLine', { type: z.string(), message: z.string() }),
});
