/** The live views. Adding one means adding its file and its line here. */
import { contacts } from './contacts.js';
import { emails } from './emails.js';
import { groups } from './groups.js';
import { lists } from './lists.js';
import { memberships } from './memberships.js';
import type { Projection } from './projection.js';
import { tags } from './tags.js';

export const liveProjections: readonly Projection[] = [groups, lists, tags, contacts, memberships, emails];
