/** Who looked: the facts of the streams `access-<day>`. Nothing in them is personal. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';

/** What was read. The words are for ever; a later version may have more. */
export const readKinds = [
  'history',
  'email',
  'at',
  'report',
  'proof',
  'list',
  'feed',
  'export',
  'privacy_export',
  'suppressions',
  'search',
  'members',
] as const;
export type ReadKind = (typeof readKinds)[number];

/** The subject of who read the whole log. */
export const wholeLog = 'log';
/** The subject of who searched all contacts. */
export const allContacts = 'contacts';

const time = z.iso.datetime({ precision: 3 }).optional();

export const accessSchemas = {
  /** `subject`: the key of a contact's stream, also where there is no such contact, the id of a list, `contacts`, or `log`. `from` and `to`: the times that were asked for. */
  RecordRead: z.object({ subject: z.string(), what: z.string(), from: time, to: time }),
};

export type AccessEvent = EventOf<typeof accessSchemas>;
