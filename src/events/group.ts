/** What can happen to a group: the facts of the catalogue stream `groups`. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

export const groupSchemas = {
  GroupCreated: z.object({ group_id: z.string(), group_name: z.string() }),
  GroupRenamed: z.object({ group_id: z.string(), group_name: z.string(), previous_name: z.string() }),
  GroupDeleted: z.object({ group_id: z.string(), group_name: z.string() }),
};

export type GroupEvent = EventOf<typeof groupSchemas>;
