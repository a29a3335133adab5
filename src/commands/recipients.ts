/** Whether a recipient is to get an e-mail: by the log, when it is asked for and again whenever it is about to go out. */
import type { ContactEvent } from '../events/contact.js';
import { contactStream, listsStream, suppressionStream } from '../events/streams.js';
import type { CatalogueHandler } from './catalogue-requests.js';
import type { CommandHandler } from './command-handler.js';
import type { ContactState } from './contact-state.js';
import type { ContactCommand, ListReference } from './contact.js';
import { refusalOf, type SuppressionState } from './suppressions.js';
import type { SuppressionHandler } from './suppression-requests.js';

interface RecipientOptions {
  readonly lists: Pick<CatalogueHandler, 'fresh'>;
  readonly contacts: Pick<CommandHandler<ContactState, ContactCommand, ContactEvent>, 'fresh'>;
  readonly suppressions: Pick<SuppressionHandler, 'fresh' | 'known'>;
}

interface MailTo {
  /** Of the person's stream, as a contact or not. */
  readonly key: string;
  /** The e-mail is for the subscribers of this list. */
  readonly listId?: string | undefined;
}

export type RecipientVerdict =
  | { readonly status: 'wanted'; readonly list?: ListReference }
  | { readonly status: 'no_list' | 'not_in_list' }
  | {
      /** `suppressed`: the address refuses such mail. `unsubscribed`: the contact is Unsubscribed in the list, and no more is known. */
      readonly status: 'suppressed' | 'unsubscribed';
      readonly reason: string;
      readonly since: string;
    };

/** @throws ServiceError `unavailable` */
export type CheckRecipient = (mail: MailTo) => Promise<RecipientVerdict>;

/** Each state is the latest, on servers from the leader: what was answered before the call counts. */
export function createRecipientCheck({ lists, contacts, suppressions }: RecipientOptions): CheckRecipient {
  return async ({ key, listId }) => {
    const stream = suppressionStream(key);
    const known = suppressions.known(stream);
    if (listId === undefined) {
      const { state } = known ?? (await suppressions.fresh(stream));
      return refusedBy(state, listId) ?? { status: 'wanted' };
    }
    const [{ state: catalogue }, { state: contact }, { state: address }] = await Promise.all([
      lists.fresh(listsStream),
      contacts.fresh(contactStream(key)),
      known ?? suppressions.fresh(stream),
    ]);
    const name = catalogue.nameById.get(listId);
    if (name === undefined) return { status: 'no_list' };
    const subscription = contact.subscriptions.get(listId);
    if (subscription === undefined) return { status: 'not_in_list' };
    const refused = refusedBy(address, listId);
    if (refused !== undefined) return refused;
    const { status, since } = subscription;
    if (status !== 'Subscribed') return { status: 'unsubscribed', reason: 'unsubscribed', since };
    return { status: 'wanted', list: { list_id: listId, list_name: name } };
  };
}

function refusedBy(state: SuppressionState, listId: string | undefined): RecipientVerdict | undefined {
  const refused = refusalOf(state, listId);
  return refused && { status: 'suppressed', ...refused };
}
