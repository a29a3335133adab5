/** What clients can ask for: which streams a request touches, in which order, and what it answers. */
import { ServiceError } from '../errors.js';
import { contactStream, groupsStream, listsStream, tagsStream } from '../events/streams.js';
import {
  consentValues,
  profileFields,
  type Consent,
  type ContactEvent,
  type SubscriptionStatus,
} from '../events/contact.js';
import { nameKey } from '../events/catalogues.js';
import type { CommandContext } from './batch.js';
import { idOfName, type CatalogueState } from './catalogue.js';
import {
  createCatalogueRequests,
  replayableContext,
  type CatalogueHandler,
  type WriteResult,
} from './catalogue-requests.js';
import { noTags, type ContactState, type ProfileChange } from './contact-state.js';
import { tooManyTags, type ContactCommand, type ListReference, type TagReference } from './contact.js';
import { createEmailRequests, type EmailRequestsOptions } from './email-requests.js';
import { createSuppressionRequests, type SuppressionRequestsOptions } from './suppression-requests.js';
import type { CommandHandler, CommandResult } from './command-handler.js';

interface AudienceOptions extends EmailRequestsOptions, Pick<SuppressionRequestsOptions, 'suppressions'> {
  readonly groups: CatalogueHandler;
  readonly lists: CatalogueHandler;
  readonly tags: CatalogueHandler;
  readonly contacts: CommandHandler<ContactState, ContactCommand, ContactEvent>;
  readonly newId: (prefix: 'grp' | 'lst' | 'tag' | 'con' | 'eml') => string;
}

export interface SaveContact {
  readonly listId: string;
  readonly email: string;
  readonly status: SubscriptionStatus;
  readonly profile: ProfileChange;
  readonly tagNames: readonly string[];
  readonly consent?: Consent | undefined;
  readonly resubscribe?: boolean | undefined;
  /** Of an upsert: a guess, which saves a read where it is right, and costs an append where it is not. */
  readonly isLikelyNew?: boolean | undefined;
}

export interface SavedContact extends WriteResult {
  readonly contactId: string;
}

interface UpsertedContact extends SavedContact {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** In this list, after the request. */
  readonly status: SubscriptionStatus;
}

type ChangeStatus = Pick<SaveContact, 'listId' | 'email' | 'status' | 'consent'>;
type TagContact = Pick<SaveContact, 'listId' | 'email' | 'tagNames'>;

export type Audience = ReturnType<typeof createAudience>;

interface Tagging {
  readonly stream: string;
  readonly listId: string;
  readonly tagNames: readonly string[];
}

interface Attached {
  readonly tags: readonly TagReference[];
  readonly isLiving?: (tagId: string) => boolean;
}

const nothing: Attached = { tags: [] };

/** Each of them throws a ServiceError: the refusals of the contract, or `unavailable`. */
export function createAudience(options: AudienceOptions) {
  const { lists, tags, contacts, keys, newId } = options;

  async function demandList(listId: string): Promise<void> {
    await listReference(listId);
  }

  /** Another process may have given a name to another tag: its id is read from fresh state only. */
  const livingTags = (): CatalogueState | Promise<CatalogueState> =>
    tags.known(tagsStream)?.state ?? tags.fresh(tagsStream).then(({ state }) => state);

  /**
   * A list that this process knows is taken to exist: if another process has deleted it, later writes to it are void by
   * the order of the log. That it does not exist is said from fresh state only. A known list is returned without a
   * promise, because waiting a turn costs as much as the rest.
   */
  function listReference(listId: string): ListReference | Promise<ListReference> {
    const known = lists.known(listsStream, ({ nameById }) => nameById.get(listId) !== undefined);
    return known === undefined
      ? lists.fresh(listsStream).then(({ state }) => listIn(state, listId))
      : listIn(known.state, listId);
  }

  async function attachment({ tagNames, ...place }: Tagging, context: CommandContext): Promise<Attached> {
    const known = await livingTags();
    const found = tagsByName(known, tagNames);
    if (!found.includes(undefined)) return { tags: withoutMissing(found), isLiving: livingIn(known) };
    const wanted = found.map((tag, at) => tag ?? newTag(tagNames[at] ?? ''));
    await checkRoom({ tags: withoutMissing(wanted), isLiving: livingIn(known) }, place);
    const entries = tagNames.map((name) => ({ id: newId('tag'), name }));
    const { state } = await tags.execute({ stream: tagsStream, command: { type: 'Ensure', entries }, context });
    return { tags: withoutMissing(tagsByName(state, tagNames)), isLiving: livingIn(state) };
  }

  /** A tag is created only for a request that nothing else can refuse. */
  async function checkRoom(attached: Attached, { stream, listId }: Omit<Tagging, 'tagNames'>): Promise<void> {
    const refusal = ({ subscriptions }: ContactState) =>
      tooManyTags(subscriptions.get(listId)?.tags ?? noTags, attached.tags, attached);
    const { state } = contacts.known(stream, (known) => refusal(known) === undefined) ?? (await contacts.fresh(stream));
    const refused = refusal(state);
    if (refused !== undefined) throw new ServiceError(refused.refused, refused.parameters);
  }

  const streamOf = (email: string): string => contactStream(keys.contactKey(email));

  async function checkMember(listId: string, stream: string): Promise<void> {
    const isMember = ({ subscriptions }: ContactState): boolean => subscriptions.has(listId);
    const { state } = contacts.known(stream, isMember) ?? (await contacts.fresh(stream));
    if (state.contactId === null) throw new ServiceError('unknown_contact');
    if (!state.subscriptions.has(listId)) throw new ServiceError('not_in_list');
  }

  return {
    groups: createCatalogueRequests({ handler: options.groups, stream: groupsStream, keys, newId: () => newId('grp') }),
    lists: createCatalogueRequests({ handler: lists, stream: listsStream, keys, newId: () => newId('lst') }),
    tags: createCatalogueRequests({ handler: tags, stream: tagsStream, keys, newId: () => newId('tag') }),
    email: createEmailRequests(options),
    suppressions: createSuppressionRequests({ ...options, demandList }),
    demandList,

    async createContact(contact: SaveContact, context: CommandContext, idempotencyKey?: string) {
      const { listId, email, status, profile, consent } = contact;
      const list = await listReference(listId);
      const stream = streamOf(email);
      const contactId = newId('con');
      const handled = await contacts.execute({
        stream,
        command: { type: 'Create', contactId, list, email, status, profile, consent },
        context: replayableContext(context, { keys, idempotencyKey, input: () => inputOf(contact) }),
        assumeNew: contacts.known(stream) === undefined,
      });
      return { ...saved(handled), replayed: handled.state.contactId !== contactId };
    },

    /** With `resubscribe: false` an unsubscribed contact stays unsubscribed in the list; all else is saved. */
    async upsertContact(contact: SaveContact, context: CommandContext): Promise<UpsertedContact> {
      const { listId, tagNames, isLikelyNew, ...wanted } = contact;
      const { email, status } = wanted;
      const list = await listReference(listId);
      const stream = streamOf(email);
      const attached = tagNames.length === 0 ? nothing : await attachment({ stream, listId, tagNames }, context);
      const contactId = newId('con');
      const command = { type: 'Upsert', contactId, list, ...attached, ...wanted } as const;
      const handled = await contacts.execute({ stream, command, context, assumeNew: isLikelyNew });
      const { state, events } = handled;
      const changed = events.length === 0 ? 'unchanged' : 'updated';
      return {
        ...saved(handled),
        outcome: state.contactId === contactId ? 'created' : changed,
        status: state.subscriptions.get(listId)?.status ?? status,
      };
    },

    async updateStatus({ listId, email, status, consent }: ChangeStatus, context: CommandContext) {
      const list = await listReference(listId);
      const command = { type: 'UpdateStatus', list, status, consent } as const;
      return saved(await contacts.execute({ stream: streamOf(email), command, context }));
    },

    async addTags({ listId, email, tagNames }: TagContact, context: CommandContext) {
      const list = await listReference(listId);
      const stream = streamOf(email);
      await checkMember(listId, stream);
      const attached = await attachment({ stream, listId, tagNames }, context);
      const command = { type: 'AddTags', list, ...attached } as const;
      const { position } = await contacts.execute({ stream, command, context });
      return { tags: attached.tags, position };
    },

    async removeTags({ listId, email, tagNames }: TagContact, context: CommandContext) {
      const list = await listReference(listId);
      const detach = withoutMissing(tagsByName(await livingTags(), tagNames));
      const command = { type: 'RemoveTags', list, tags: detach } as const;
      const { position } = await contacts.execute({ stream: streamOf(email), command, context });
      return { tags: detach, position };
    },
  };
}

/** What a create of a contact asks for, always in the same order. */
function inputOf({ listId, email, status, profile, consent }: SaveContact): readonly unknown[] {
  const agreed = consent && consentValues(consent);
  return ['contact', listId, email, status, profileFields.map((field) => profile[field]), agreed];
}

function listIn({ nameById }: CatalogueState, listId: string): ListReference {
  const name = nameById.get(listId);
  if (name === undefined) throw new ServiceError('unknown_list');
  return { list_id: listId, list_name: name };
}

function tagsByName(state: CatalogueState, names: readonly string[]): readonly (TagReference | undefined)[] {
  return names.map((name) => {
    const id = idOfName(state, name);
    const stored = id === undefined ? undefined : state.nameById.get(id);
    return id === undefined || stored === undefined ? undefined : { tag_id: id, tag_name: stored };
  });
}

const livingIn =
  ({ nameById }: CatalogueState) =>
  (tagId: string): boolean =>
    nameById.has(tagId);

/** In the place of the tag that a name will stand for. */
const newTag = (name: string): TagReference => ({ tag_id: `new/${nameKey(name)}`, tag_name: name });

function withoutMissing(found: readonly (TagReference | undefined)[]): readonly TagReference[] {
  const tags = new Map<string, TagReference>();
  for (const tag of found) if (tag !== undefined) tags.set(tag.tag_id, tag);
  return [...tags.values()];
}

function saved({ state, position }: CommandResult<ContactState, unknown>): SavedContact {
  if (state.contactId === null) throw new Error('a saved contact has no id');
  return { contactId: state.contactId, position };
}
