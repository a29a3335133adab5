/** What an address refuses now, and how it came to that: read from its stream, for operators and for the person. */
import { z } from 'zod';
import { activeAfter, suppressionReasons, type Suppression } from '../events/suppressions.js';
import * as value from '../events/values.js';
import { object, type FrozenOutput } from '../events/values.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { DomainEvent } from '../events/codec.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import { decoded } from './decoding.js';

export const suppressionScope = value.text('`all`, or the id of a list.', 'all');
export const suppressionReason = z
  .enum(suppressionReasons)
  .meta({ id: 'SuppressionReason', description: 'Why mail is refused.' });

export const activeSuppression = object(
  'ActiveSuppression',
  {
    scope: suppressionScope,
    reason: suppressionReason,
    since: value.time,
    email_id: value.emailId.nullable().describe('The e-mail that it was said about.'),
  },
  'One reason why mail is refused.',
);

const step = object('SuppressionStep', {
  type: value.text('Name of the event.', 'AddressSuppressed'),
  scope: suppressionScope.nullable(),
  reason: value
    .text('The reason of the suppression, the code of the release, or the kind of the counted bounce.', 'unsubscribe')
    .nullable(),
  email_id: value.emailId.nullable(),
  by: z.enum(['one_click', 'page']).nullable().describe('How the person did it. Null: somebody else did.'),
  note: value.text('What was said about it. Null: nothing, or it is erased.', 'by phone').nullable(),
  ip: value.text('Where the click came from, where that is kept.', '203.0.113.7').nullable(),
  ...value.origin,
  event_id: value.event.event_id,
  position: value.position,
});

export const addressSuppressions = object('AddressSuppressions', {
  active: z.array(activeSuppression).describe('What is refused now, the oldest first.'),
  history: z.array(step).describe('How it came to that, the oldest first.'),
});

type AddressSuppressions = FrozenOutput<typeof addressSuppressions>;

/** @throws UnreadableHistoryError and what the pages throw */
export async function suppressionsIn(
  pages: AsyncIterable<readonly StoredEvent[]>,
  horizon?: Position,
): Promise<AddressSuppressions> {
  const history: AddressSuppressions['history'][number][] = [];
  let active: readonly Suppression[] = [];
  for await (const page of pages)
    for (const stored of page) {
      if (horizon !== undefined && stored.position > horizon) continue;
      const recorded = decoded(stored);
      const { event, metadata } = recorded;
      history.push(stepOf(recorded));
      if (event.type === 'AddressSuppressed' || event.type === 'AddressReleased')
        active = activeAfter(active, event, metadata.at);
    }
  return { active: active.map((one) => ({ ...one, email_id: one.email_id ?? null })), history };
}

type Step = AddressSuppressions['history'][number];

function stepOf({ event, metadata, id, position }: RecordedEvent<DomainEvent>): Step {
  const { at, actor, request_id } = metadata;
  return { type: event.type, ...toldBy(event), at, actor, request_id, event_id: id, position };
}

function toldBy({ type, data }: DomainEvent) {
  switch (type) {
    case 'AddressSuppressed': {
      const { scope, reason, email_id = null, by } = data;
      return { scope, reason, email_id, by: by?.kind ?? null, ...saidOf(data.person) };
    }
    case 'BounceCounted':
      return { scope: null, reason: data.kind, email_id: data.email_id, by: null, ...saidOf(null) };
    case 'AddressReleased': {
      const { scope, reason, by } = data;
      return { scope, reason, email_id: null, by: by?.kind ?? null, ...saidOf(data.person) };
    }
    default:
      return { scope: null, reason: null, email_id: null, by: null, ...saidOf(null) };
  }
}

interface Said {
  readonly note?: string | undefined;
  readonly ip?: string | undefined;
}

const saidOf = (person: Said | null | undefined) => ({ note: person?.note ?? null, ip: person?.ip ?? null });
