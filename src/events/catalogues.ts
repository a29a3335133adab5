/** What can happen to groups, lists and tags: the facts of the three catalogue streams, and when two names are the same name. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

export const groupSchemas = {
  GroupCreated: z.object({ group_id: z.string(), group_name: z.string() }),
  GroupRenamed: z.object({ group_id: z.string(), group_name: z.string(), previous_name: z.string() }),
  GroupDeleted: z.object({ group_id: z.string(), group_name: z.string() }),
};

export type GroupEvent = EventOf<typeof groupSchemas>;

export const listSchemas = {
  ListCreated: z.object({ list_id: z.string(), list_name: z.string() }),
  ListRenamed: z.object({ list_id: z.string(), list_name: z.string(), previous_name: z.string() }),
  ListDeleted: z.object({ list_id: z.string(), list_name: z.string() }),
};

export type ListEvent = EventOf<typeof listSchemas>;

export const tagSchemas = {
  TagCreated: z.object({ tag_id: z.string(), tag_name: z.string() }),
  TagRenamed: z.object({ tag_id: z.string(), tag_name: z.string(), previous_name: z.string() }),
  TagDeleted: z.object({ tag_id: z.string(), tag_name: z.string() }),
};

export type TagEvent = EventOf<typeof tagSchemas>;

/** The key under which a name is unique within its kind: NFC → trim → collapse inner white space → full lower-casing. The order is for ever. */
export function nameKey(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}
