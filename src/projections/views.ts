/** The live views. Adding one means adding its file and its line here. */
import { contacts } from './contacts.js';
import { emailOutcomes } from './email-outcomes.js';
import { emails } from './emails.js';
import { groups } from './groups.js';
import { listGrowth } from './list-growth.js';
import { lists } from './lists.js';
import { memberships } from './memberships.js';
import type { Projection } from './projection.js';
import { tagUse } from './tag-use.js';
import { tags } from './tags.js';

export const liveProjections: readonly Projection[] = [
  groups,
  lists,
  tags,
  contacts,
  memberships,
  emails,
  listGrowth,
  tagUse,
  emailOutcomes,
];
