/** What every audit answer tells of an event: when, by whom, on which request, and where it stands in the log. */
import type { DomainEvent } from '../events/codec.js';
import { isLaterPart, type Consent, type ContactEvent } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import type { Evidence } from './answers.js';
import { versionBefore, type Moment } from './names.js';
import { describe } from './event-descriptions.js';

export function evidenceOf(recorded: Recorded<DomainEvent>, summary: string): Evidence {
  const { metadata } = recorded;
  return {
    event_id: recorded.id,
    type: recorded.event.type,
    at: metadata.at,
    summary,
    actor: metadata.actor,
    request_id: metadata.request_id,
    correlation_id: metadata.$correlationId,
    causation_id: metadata.$causationId,
    stream: recorded.stream,
    revision: Number(recorded.revision),
    position: recorded.position,
  };
}

export function summaryOf({ event, position, revision }: Recorded<DomainEvent>, moment: Moment): string {
  if (event.type === 'ContactErased' && isLaterPart(event.data, revision))
    return 'The erasure went on: it names further lists and tags of the person who was erased.';
  if (event.type !== 'TagsAttached' && event.type !== 'TagsDetached') return describe(event);
  const versions = moment.versions('list', event.data.list_id);
  return describe(event, versions && versionBefore(versions, position)?.name);
}

export function consentOf(event: ContactEvent): Consent | undefined {
  switch (event.type) {
    case 'ContactSubscribed':
    case 'ContactUnsubscribed':
    case 'ConsentRecorded':
      return event.data.person?.consent;
    default:
      return undefined;
  }
}
