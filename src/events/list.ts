/** What can happen to a list: the facts of the catalogue stream `lists`. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

export const listSchemas = {
  ListCreated: z.object({ list_id: z.string(), list_name: z.string() }),
  ListRenamed: z.object({ list_id: z.string(), list_name: z.string(), previous_name: z.string() }),
  ListDeleted: z.object({ list_id: z.string(), list_name: z.string() }),
};

export type ListEvent = EventOf<typeof listSchemas>;
