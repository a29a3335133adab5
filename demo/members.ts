/** What the shop's programs and people ask for about a person: into a list, out of it, tags, profile. */
import type { SaveContact } from '../src/commands/audience.js';
import type { CommandContext } from '../src/commands/batch.js';
import type { Consent } from '../src/events/contact.js';
import { networkAddress, type Person } from './people.js';
import { listNames, type ListKey, type TagName } from './shop.js';
import type { World } from './world.js';

interface Joining extends Partial<Pick<SaveContact, 'status' | 'profile' | 'consent' | 'resubscribe'>> {
  readonly list: ListKey;
  readonly tags?: readonly TagName[];
  readonly by: CommandContext;
}

export type Members = ReturnType<typeof createMembers>;

export function createMembers(world: World) {
  const { commands, now } = world;
  const { audience } = commands;
  const random = world.random('networks');
  /** Of lists that there are now. */
  const listIds = new Map<ListKey, string>();
  const tagIds = new Map<string, string>();
  const groupIds = new Map<string, string>();
  /** Who has refused mail by a link. */
  const refusers = new Set<Person>();

  const listId = (list: ListKey): string => listIds.get(list) ?? '';
  const isIn = ({ lists }: Person, list: ListKey): boolean => lists.get(list) === 'Subscribed' && listIds.has(list);

  return {
    listIds,
    tagIds,
    groupIds,
    refusers,
    listId,
    isIn,

    /** As on a form of the website. */
    consent: (list: ListKey, source: string): Consent => ({
      source,
      statement: `Yes, write to me about: ${listNames[list]}. I can end this at any time.`,
      ip: networkAddress(random),
      legal_basis: 'consent',
      occurred_at: new Date(now() - random.whole(300, 2_000)).toISOString(),
    }),

    /** For the first time, by a form: sent again it is recognised. */
    async signUp(person: Person, { list, by, ...joining }: Joining): Promise<void> {
      const { status = 'Subscribed', profile = {}, consent } = joining;
      const contact = { listId: listId(list), email: person.email, status, profile, tagNames: [], consent };
      await audience.createContact(contact, by, by.requestId);
      person.lists.set(list, status);
    },

    /** Nothing where the list is gone. */
    async join(person: Person, { list, tags: tagNames = [], by, ...joining }: Joining): Promise<void> {
      if (!listIds.has(list)) return;
      const { status = 'Subscribed', profile = {}, consent, resubscribe } = joining;
      const contact = { listId: listId(list), email: person.email, status, profile, tagNames, consent, resubscribe };
      const saved = await audience.upsertContact({ ...contact, isLikelyNew: person.lists.size === 0 }, by);
      person.lists.set(list, saved.status);
    },

    async leave(person: Person, list: ListKey, by: CommandContext): Promise<void> {
      if (!isIn(person, list)) return;
      await audience.updateStatus({ listId: listId(list), email: person.email, status: 'Unsubscribed' }, by);
      person.lists.set(list, 'Unsubscribed');
    },

    async agree(person: Person, list: ListKey, asked: { readonly consent: Consent; readonly by: CommandContext }) {
      const status = 'Subscribed';
      const { consent, by } = asked;
      await audience.updateStatus({ listId: listId(list), email: person.email, status, consent }, by);
      person.lists.set(list, status);
    },

    async tag(person: Person, tagNames: readonly TagName[], by: CommandContext): Promise<void> {
      const list = listOf(person);
      if (list !== undefined) await audience.addTags({ listId: listId(list), email: person.email, tagNames }, by);
    },

    async untag(person: Person, tagNames: readonly TagName[], by: CommandContext): Promise<void> {
      const list = listOf(person);
      if (list !== undefined) await audience.removeTags({ listId: listId(list), email: person.email, tagNames }, by);
    },

    async change(person: Person, profile: SaveContact['profile'], by: CommandContext): Promise<void> {
      const list = listOf(person);
      const status = list === undefined ? undefined : person.lists.get(list);
      if (list === undefined || status === undefined) return;
      const contact = { listId: listId(list), email: person.email, status, profile, tagNames: [] };
      await audience.upsertContact({ ...contact, resubscribe: false }, by);
    },
  };

  /** The first one that there still is: where the shop's programs put what they know. */
  function listOf({ lists }: Person): ListKey | undefined {
    return [...lists.keys()].find((list) => listIds.has(list));
  }
}
