/** What a person decides about mail, by the links in e-mails or a complaint. Each part is appended so that one who refuses is not mailed, however far it came: a repeat writes what is missing. */
import type { ByPerson, Consent, ContactEvent } from '../events/contact.js';
import { contactStream, listsStream, suppressionStream } from '../events/streams.js';
import { ServiceError } from '../errors.js';
import { everyMail } from '../events/suppressions.js';
import type { CommandContext } from './batch.js';
import type { CatalogueHandler } from './catalogue-requests.js';
import type { CommandHandler } from './command-handler.js';
import type { ContactState, SubscriptionState } from './contact-state.js';
import type { ContactCommand, ListReference } from './contact.js';
import type { SuppressionCommand, SuppressionState } from './suppressions.js';
import type { SuppressionHandler } from './suppression-requests.js';

interface RefusalsOptions {
  readonly suppressions: SuppressionHandler;
  readonly contacts: CommandHandler<ContactState, ContactCommand, ContactEvent>;
  readonly lists: Pick<CatalogueHandler, 'fresh'>;
  /** As the contact was created with. Undefined: there is no contact, or it is erased. */
  readonly addressOf: (contactKey: string) => Promise<string | undefined>;
  /** Resolves when each event of the stream that belongs into the register has its line. */
  readonly keepStream: (stream: string) => Promise<void>;
}

interface Refuse {
  readonly contactKey: string;
  /** The list whose e-mail it is about; or `all`: a person wants no mail at all, or the e-mail had no list. */
  readonly scope: string;
  readonly reason: 'unsubscribe' | 'complaint';
  readonly by: ByPerson;
  /** Of the link. */
  readonly tokenHash?: string | undefined;
  /** Where the caller knows the address. Default: that of the contact. */
  readonly email?: string | undefined;
  /** Where addresses of the network are kept. */
  readonly ip?: string | undefined;
}

interface Resubscribe {
  readonly contactKey: string;
  /** The contact that made the choice. A later contact with the same address is not changed. */
  readonly contactId: string;
  readonly listId: string;
  readonly by: ByPerson;
  readonly tokenHash: string;
  readonly consent: Consent;
}

type Suppress = Extract<SuppressionCommand, { type: 'Suppress' }>;

/** The contact behind a link in an email. */
export interface KnownRecipient {
  readonly contactId: string;
  /** By list. Deleted lists are not among them. */
  readonly subscriptions: readonly (ListReference & Pick<SubscriptionState, 'status'>)[];
  readonly suppression: SuppressionState;
  /** Undefined: the list is deleted. */
  readonly nameOf: (listId: string) => string | undefined;
}

export type Refusals = ReturnType<typeof createRefusalRequests>;

/** Each of them throws a ServiceError, `unavailable`. */
export function createRefusalRequests({ suppressions, contacts, lists, addressOf, keepStream }: RefusalsOptions) {
  const listNames = async (): Promise<(listId: string) => string | undefined> => {
    const { state } = await lists.fresh(listsStream);
    return (listId) => state.nameById.get(listId);
  };

  return {
    addressOf,

    /** Undefined: no such contact, or it is erased. */
    async recipient(contactKey: string): Promise<KnownRecipient | undefined> {
      const { state } = await contacts.fresh(contactStream(contactKey));
      const { contactId } = state;
      if (contactId === null) return undefined;
      const nameOf = await listNames();
      const subscriptions = [...state.subscriptions].flatMap(([list_id, { status }]) => {
        const list_name = nameOf(list_id);
        return list_name === undefined ? [] : [{ list_id, list_name, status }];
      });
      const { state: suppression } = await suppressions.fresh(suppressionStream(contactKey));
      return { contactId, subscriptions, suppression, nameOf };
    },

    /** Stops mail first and changes the status in the lists then, so that a process that is killed in between leaves no mail to send. */
    async refuse(asked: Refuse, context: CommandContext): Promise<void> {
      const { contactKey, by } = asked;
      const first = await suppressions.execute({
        stream: suppressionStream(contactKey),
        command: {
          type: 'Suppress',
          entries: entriesOf(asked),
          ...(asked.tokenHash === undefined || by.kind === 'complaint'
            ? {}
            : { by: { kind: by.kind, token_hash: asked.tokenHash } }),
          person: await personOf(asked),
        },
        context,
      });
      await refuseInLists(asked, { ...context, causationId: first.eventIds[0] ?? context.causationId });
    },

    /** The status first: until the refusal is lifted, no mail goes out. @throws ServiceError also `unknown_contact`, `not_in_list` */
    async resubscribe(
      { contactKey, contactId, listId, by, tokenHash, consent }: Resubscribe,
      context: CommandContext,
    ): Promise<void> {
      const list_name = (await listNames())(listId);
      if (list_name === undefined) return;
      const list = { list_id: listId, list_name };
      // Also if the API has set the status in the meantime, because the consent is the person's.
      const command = { type: 'UpdateStatus', contactId, list, status: 'Subscribed', consent, by } as const;
      await contacts.execute({ stream: contactStream(contactKey), command, context });
      await release({ contactKey, scope: listId, tokenHash }, context);
    },

    release,

    /** Resolves when all that the person has decided has its line in the register, also if another process was killed before it wrote the line. */
    async keep(contactKey: string): Promise<void> {
      try {
        for (const stream of [suppressionStream(contactKey), contactStream(contactKey)]) await keepStream(stream);
      } catch (error) {
        throw new ServiceError('unavailable', {}, { cause: error, retryAfter: 1 });
      }
    },
  };

  async function refuseInLists({ contactKey, scope, reason, by }: Refuse, context: CommandContext): Promise<void> {
    // A complaint about an e-mail that belonged to no list changes no status.
    if (reason === 'complaint' && scope === everyMail) return;
    const command = { type: 'Refuse', scope, nameOf: await listNames(), by } as const;
    let left = true;
    while (left) {
      const { events } = await contacts.execute({ stream: contactStream(contactKey), command, context });
      left = events.length > 0;
    }
  }

  /** Lifts what was refused in exactly this scope, by the person. */
  async function release(
    { contactKey, scope, tokenHash }: Pick<Resubscribe, 'contactKey' | 'tokenHash'> & { readonly scope: string },
    context: CommandContext,
  ): Promise<void> {
    const by = { kind: 'page', token_hash: tokenHash } as const;
    const command = { type: 'Release', scope, reason: 'person', by } as const;
    await suppressions.execute({ stream: suppressionStream(contactKey), command, context });
  }

  async function personOf({ contactKey, email, ip }: Refuse): Promise<Suppress['person']> {
    const address = email ?? (await addressOf(contactKey));
    return address === undefined ? undefined : { email: address, ...(ip === undefined ? {} : { ip }) };
  }
}

function entriesOf({ scope, reason, by: { email_id } }: Refuse): Suppress['entries'] {
  const unsubscribed = { scope, reason: 'unsubscribe', email_id } as const;
  if (reason === 'unsubscribe') return [unsubscribed];
  const complained = { scope: everyMail, reason, email_id } as const;
  return scope === everyMail ? [complained] : [complained, unsubscribed];
}
