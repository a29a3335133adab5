/** What can happen to a tag: the facts of the catalogue stream `tags`. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

export const tagSchemas = {
  TagCreated: z.object({ tag_id: z.string(), tag_name: z.string() }),
  TagRenamed: z.object({ tag_id: z.string(), tag_name: z.string(), previous_name: z.string() }),
  TagDeleted: z.object({ tag_id: z.string(), tag_name: z.string() }),
};

export type TagEvent = EventOf<typeof tagSchemas>;
