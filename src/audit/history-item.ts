/** One event of a history as the auditor reads it: plain words, evidence, statuses, names then and now, and the data in full. */
import type { DomainEvent } from '../events/codec.js';
import type { ContactEvent, SubscriptionStatus } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import { consentOf, evidenceOf, summaryOf, type Consent, type Evidence } from './evidence.js';
import { jsonOrText } from './feed.js';
import { deletionOf, versionBefore, type Catalogues, type Moment, type NamedKind } from './names.js';
import type { CatalogueChange, Place, Step } from './replay.js';
import { statusOf, unreadableWords, voidWords } from './words.js';

/** A list or tag by its name then and now. */
export interface NameThenAndNow {
  readonly name_then: string;
  /** Of a deleted one: the last. */
  readonly name_now: string;
  /** When it was deleted; null while it lives. */
  readonly deleted_at: string | null;
}

export interface NamedTag extends NameThenAndNow {
  readonly tag_id: string;
  /** It was deleted before the event was written. */
  readonly without_effect?: true;
}

export type HistoryItem = Partial<Evidence> &
  Pick<Evidence, 'event_id' | 'type' | 'summary' | 'stream' | 'revision' | 'position'> & {
    /** Null when no event of the stream says whose it is. */
    readonly contact_id: string | null;
    readonly list?: { readonly list_id: string } & NameThenAndNow;
    readonly previous_status?: SubscriptionStatus | null;
    readonly status?: SubscriptionStatus | null;
    readonly tags?: readonly NamedTag[];
    /** Lists in which the contact bore the tag. */
    readonly list_ids?: readonly string[];
    readonly consent?: Consent;
    /** It was written after the deletion of its list. */
    readonly without_effect?: true;
    /** As stored; text where it is no JSON. */
    readonly data: unknown;
  };

/** @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function itemOf(step: Step, moment: Moment, catalogues: Catalogues): Promise<HistoryItem> {
  switch (step.type) {
    case 'contact':
      return contactItem(step, moment);
    case 'catalogue': {
      const { kind, version } = step.change;
      return catalogueItem(step, await catalogues.eventOf(kind, version), moment);
    }
    case 'unreadable':
      return unreadableItem(step);
    default:
      return step satisfies never;
  }
}

function contactItem({ recorded, isVoid, voidTags }: Extract<Step, { type: 'contact' }>, moment: Moment): HistoryItem {
  const { event, position } = recorded;
  const { data } = event;
  const summary = summaryOf(recorded, moment);
  const consent = consentOf(recorded);
  return {
    ...evidenceOf(recorded, isVoid ? voidWords(summary) : summary),
    contact_id: data.contact_id,
    ...namesIn(event, voidTags, { position, moment }),
    ...statusesOf(recorded),
    ...(consent === undefined ? {} : { consent }),
    ...(isVoid ? { without_effect: true } : {}),
    data,
  };
}

function namesIn({ data }: ContactEvent, voidTags: readonly string[], then: Then): Pick<HistoryItem, 'list' | 'tags'> {
  if (!('list_id' in data)) return {};
  if (!('tags' in data)) return { list: listThen(data.list_id, data.list_name, then) };
  const tags = data.tags.map(({ tag_id, tag_name }): NamedTag => {
    const tag = { tag_id, ...named(['tag', tag_id], tag_name, then) };
    return voidTags.includes(tag_id) ? { ...tag, without_effect: true } : tag;
  });
  return { list: listThen(data.list_id, undefined, then), tags };
}

function statusesOf({ event }: Recorded<DomainEvent>): Pick<HistoryItem, 'previous_status' | 'status'> {
  switch (event.type) {
    case 'ContactSubscribed':
    case 'ContactUnsubscribed':
      return { previous_status: event.data.previous_status, status: statusOf(event) };
    case 'ConsentRecorded':
      return { previous_status: event.data.status, status: event.data.status };
    default:
      return {};
  }
}

function catalogueItem(
  { change, before }: { readonly change: CatalogueChange; readonly before: Place },
  recorded: Recorded<DomainEvent>,
  moment: Moment,
): HistoryItem {
  const { kind, id, version, previousName } = change;
  const then = { position: version.position, moment };
  const common = { ...evidenceOf(recorded, summaryOf(recorded, moment)), contact_id: before.contactId };
  const { data } = recorded.event;
  if (kind === 'tag') {
    const list_ids = [...before.memberships].flatMap(([listId, { tags }]) => (tags.has(id) ? [listId] : []));
    return { ...common, tags: [{ tag_id: id, ...named(['tag', id], previousName, then) }], list_ids, data };
  }
  const status = before.memberships.get(id)?.status ?? null;
  const ended = version.isDeletion ? { previous_status: status, status: null } : {};
  return { ...common, list: listThen(id, previousName, then), ...ended, data };
}

function unreadableItem({ stored, at, before }: Extract<Step, { type: 'unreadable' }>): HistoryItem {
  const { id, type, stream, revision, position } = stored;
  return {
    event_id: id,
    type,
    ...(at === null ? {} : { at }),
    summary: unreadableWords,
    stream,
    revision: Number(revision),
    position,
    contact_id: before.contactId,
    data: jsonOrText(stored.data),
  };
}

interface Then {
  readonly position: string;
  readonly moment: Moment;
}

const listThen = (list_id: string, nameThen: string | undefined, then: Then) => ({
  list_id,
  ...named(['list', list_id], nameThen, then),
});

/** The name then is the event's own where it has one. */
function named(
  [kind, id]: readonly [NamedKind, string],
  nameThen: string | undefined,
  { position, moment }: Then,
): NameThenAndNow {
  const versions = moment.versions(kind, id) ?? [];
  const name_now = versions.at(-1)?.name ?? nameThen ?? id;
  return {
    name_then: nameThen ?? versionBefore(versions, position)?.name ?? name_now,
    name_now,
    deleted_at: deletionOf(versions)?.at ?? null,
  };
}
