/** What auditors are answered about a list: as it was at a time, and what differs between two, line by line. */
import { z } from 'zod';
import * as value from '../events/values.js';
import { cause, count, object, subscriptionStatus, tag, time } from '../events/values.js';
import type { FrozenOutput } from '../events/values.js';
import { basisWithoutSeal, evidenceSchema, sealOfAnswer, unreadableFields } from './answers.js';

const noStatus = subscriptionStatus.nullable();
const stateOfList = z.enum(['living', 'deleted', 'not_created']);
const listLine = object('ListLine', {
  line: z.literal('list'),
  list_id: value.listId,
  list_name: value.listName.nullable().describe('Null before the list was created.'),
  time,
  ...basisWithoutSeal,
  state: stateOfList,
  because: evidenceSchema.nullable().describe('Its creation, last rename or deletion.'),
});
export type ListLine = FrozenOutput<typeof listLine>;
const lifeOfMember = {
  created_at: time.nullable().describe('When the contact was created. Null if this event cannot be read.'),
  erased_at: time
    .nullable()
    .describe('When the contact was erased, even if this was after the requested time. Null if it was not erased.'),
};
const memberLine = object('MemberLine', {
  line: z.literal('member'),
  contact_id: value.contactId,
  email: value.email
    .nullable()
    .describe('Null where the person is erased, or the creation of the contact cannot be read.'),
  status: subscriptionStatus,
  tags: z.array(tag),
  because: cause,
  ...lifeOfMember,
});
export type MemberAt = Omit<FrozenOutput<typeof memberLine>, 'line'>;

const unreadableLine = object('UnreadableLine', { line: z.literal('unreadable'), ...unreadableFields });

/** A line of the NDJSON of a list at a time. */
export const listAtLine = z
  .discriminatedUnion('line', [
    listLine,
    memberLine,
    unreadableLine,
    object('EndLine', {
      line: z.literal('end'),
      members: count,
      seal: sealOfAnswer,
      unreadable: count.min(1).optional().describe('Events that could not be read.'),
    }),
  ])
  .meta({ id: 'ListAtLine', description: 'The list, its members, what could not be read, and the end.' });

const diffLine = object('ListDiffLine', {
  line: z.literal('list'),
  list_id: value.listId,
  list_name: value.listName.nullable().describe('At `to`; null before the list was created.'),
  from: time,
  to: time,
  ...basisWithoutSeal,
  state_before: stateOfList.describe('At `from`. Only a living list has members.'),
  state: stateOfList.describe('At `to`.'),
});
export type ListDiffLine = FrozenOutput<typeof diffLine>;
const changeLine = object('MemberChangeLine', {
  line: z.literal('change'),
  contact_id: value.contactId,
  email: value.email.nullable().describe('As in a list at a time.'),
  change: z.enum(['joined', 'left', 'changed']),
  status_before: noStatus.describe('At `from`; null: not in the list.'),
  status: noStatus.describe('At `to`; null: not in the list.'),
  tags_before: z.array(tag),
  tags: z.array(tag),
  because: cause
    .nullable()
    .describe('What made the status so; of who left, what ended the contact. Null: the list was deleted.'),
  ...lifeOfMember,
});
export type MemberChange = Omit<FrozenOutput<typeof changeLine>, 'line'>;

/** A line of the NDJSON of the difference of a list between two times. */
export const listDiffLine = z
  .discriminatedUnion('line', [
    diffLine,
    changeLine,
    unreadableLine,
    object('ListDiffEnd', {
      line: z.literal('end'),
      joined: count,
      left: count,
      changed: count,
      seal: sealOfAnswer,
      unreadable: count.min(1).optional().describe('Events that could not be read.'),
    }),
  ])
  .meta({ id: 'ListDiffLines', description: 'The list, who differs, what could not be read, and the end.' });
