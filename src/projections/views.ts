/** The live views. Adding one means adding its file and its line here. */
import { contactSearch } from './contact-search.js';
import { contacts } from './contacts.js';
import { emailOutcomes } from './email-outcomes.js';
import { emails } from './emails.js';
import { groups, lists, tags } from './catalogues.js';
import { listGrowth } from './list-growth.js';
import { memberships } from './memberships.js';
import type { Projection } from './projection.js';
import { suppressions } from './suppressions.js';
import { tagUse } from './tag-use.js';

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
  suppressions,
  contactSearch,
];

/** An erasure leaves no remains of what was deleted from these, or replaced. */
export const personalProjections = liveProjections.filter(({ personal }) => personal);
