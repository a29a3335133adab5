/** One event of a history as the auditor reads it: plain words, evidence, statuses, names then and now, and the data in full. */
import type { DomainEvent } from '../events/codec.js';
import type { ContactEvent } from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { EmailEvent } from '../events/email.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { HistoryItem, NameThenAndNow } from './answers.js';
import { readableEmail } from './decoding.js';
import type { EmailHints } from './emails.js';
import { jsonOrText } from './redaction.js';
import { deletionOf, versionBefore, type Catalogues, type CataloguesAsOf, type NamedKind } from './names.js';
import type { NameChange, HistoryStep } from './history-steps.js';
import type { TimelineState } from './timeline.js';
import { redacted, type HiddenMembers } from './redaction.js';
import { unreadableEvent } from './unreadable.js';
import { consentOf, describeEmail, citedEvent, statusesOf, summaryOf, withoutEffect } from './event-descriptions.js';

interface ItemSources {
  readonly catalogues: Catalogues;
  readonly emails: Pick<EmailHints, 'subjectOf'>;
  readonly hidden: HiddenMembers;
}

/** A promise only where an event of a catalogue must be read for it. @throws StoreUnavailableError @throws UnreadableHistoryError */
export function itemOf(
  step: HistoryStep,
  moment: CataloguesAsOf,
  sources: ItemSources,
): HistoryItem | Promise<HistoryItem> {
  switch (step.type) {
    case 'contact':
      return contactItem(step, moment);
    case 'catalogue': {
      const { kind, version } = step.change;
      return sources.catalogues.eventOf(kind, version).then((recorded) => catalogueItem(step, recorded, moment));
    }
    case 'email':
      return emailItem(step, sources);
    case 'unreadable':
      return unreadableItem(step.stored, step.before.contactId, jsonOrText(step.stored.data));
    default:
      return step satisfies never;
  }
}

/** One plain literal: an object that grows by spreading costs more than all the rest of an item. */
function contactItem(
  { recorded, isVoid, voidTags }: Extract<HistoryStep, { type: 'contact' }>,
  moment: CataloguesAsOf,
): HistoryItem {
  const { event, position } = recorded;
  const summary = summaryOf(recorded, moment);
  const evidence = citedEvent(recorded, isVoid ? withoutEffect(summary) : summary);
  const then = { position, moment };
  const statuses = statusesOf(event);
  return {
    kind: 'event',
    event_id: evidence.event_id,
    type: evidence.type,
    at: evidence.at,
    summary: evidence.summary,
    actor: evidence.actor,
    request_id: evidence.request_id,
    correlation_id: evidence.correlation_id,
    causation_id: evidence.causation_id,
    stream: evidence.stream,
    revision: evidence.revision,
    position,
    contact_id: event.data.contact_id,
    list: listIn(event, then),
    previous_status: statuses?.before,
    status: statuses?.after,
    tags: tagsIn(event, voidTags, then),
    consent: consentOf(event),
    without_effect: isVoid || undefined,
    data: event.data,
  };
}

function listIn({ data }: ContactEvent, then: Then): HistoryItem['list'] {
  if (!('list_id' in data)) return undefined;
  return listThen(data.list_id, 'list_name' in data ? data.list_name : undefined, then);
}

function tagsIn({ data }: ContactEvent, voidTags: readonly string[], then: Then): HistoryItem['tags'] {
  if (!('tags' in data)) return undefined;
  return data.tags.map(({ tag_id, tag_name }) => ({
    tag_id,
    ...named(['tag', tag_id], tag_name, then),
    without_effect: voidTags.includes(tag_id) || undefined,
  }));
}

function catalogueItem(
  { change, before }: { readonly change: NameChange; readonly before: TimelineState },
  recorded: RecordedEvent<DomainEvent>,
  moment: CataloguesAsOf,
): HistoryItem {
  const { kind, id, version, previousName } = change;
  const then = { position: version.position, moment };
  const common = {
    kind: 'event',
    ...citedEvent(recorded, summaryOf(recorded, moment)),
    contact_id: before.contactId,
  } as const;
  const { data } = recorded.event;
  if (kind === 'tag') {
    const list_ids = [...before.memberships].flatMap(([listId, { tags }]) => (tags.has(id) ? [listId] : []));
    return { ...common, tags: [{ tag_id: id, ...named(['tag', id], previousName, then) }], list_ids, data };
  }
  const status = before.memberships.get(id)?.status ?? null;
  const ended = version.isDeletion ? { previous_status: status, status: null } : {};
  return { ...common, list: listThen(id, previousName, then), ...ended, data };
}

/** Without the text of the e-mail, which may be long: the event feed has it. */
function emailItem(
  { email: { emailId, message }, stored, before: { contactId } }: Extract<HistoryStep, { type: 'email' }>,
  { emails, hidden }: ItemSources,
): HistoryItem {
  const isHidden = hidden.includes('message');
  const email = { email_id: emailId, subject: isHidden || !message ? null : emails.subjectOf(message) };
  const recorded = readableEmail(stored);
  const data = jsonOrText(redacted(stored.data, isHidden ? ['message'] : []));
  if (recorded === undefined) return { ...unreadableItem(stored, contactId, data), email };
  const evidence = citedEvent(recorded, describeEmail(recorded.event));
  return {
    kind: 'event',
    ...evidence,
    contact_id: contactId,
    email,
    data: isHidden ? data : withoutText(recorded.event),
  };
}

function withoutText({ type, data }: EmailEvent): unknown {
  if (type !== 'EmailRequested' || data.message === null) return data;
  const { mail_template: _, variables: __, ...message } = data.message;
  return { ...data, message };
}

export const unreadableItem = (stored: StoredEvent, contactId: string | null, data: unknown): HistoryItem => ({
  kind: 'unreadable',
  ...unreadableEvent(stored, contactId),
  unreadable: true,
  data,
});

interface Then {
  readonly position: string;
  readonly moment: CataloguesAsOf;
}

function listThen(list_id: string, nameThen: string | undefined, then: Then) {
  const { name_then, name_now, deleted_at } = named(['list', list_id], nameThen, then);
  return { list_id, name_then, name_now, deleted_at };
}

/** `name_then` is the name in the event, where it has one. */
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
