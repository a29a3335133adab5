/** The contract of a projection: towards who is erased, and with the fields that it declares. Every view of `liveProjections` keeps it. */
import { codec, type DomainEvent } from '../../src/events/codec.js';
import { withDigests } from '../../src/eventstore/leaf.js';
import type { Projection } from '../../src/projections/projection.js';
import { exampleEvents as e, examples, exampleSalt as salt, examplePosition, toAppend } from '../support/examples.js';
import { folded } from '../support/folded.js';

const { contact_id, email_id, list } = examples;
/** In every text that the person told, and in no other. */
const mark = 'Zeldarine';

const told: readonly DomainEvent[] = [
  { type: 'ContactCreated', data: { contact_id, person: { salt, email: `${mark}@a.example`, firstName: mark } } },
  { type: 'ContactProfileChanged', data: { contact_id, person: { salt, lastName: mark, city: null } } },
  { ...e.subscribed, data: { ...e.subscribed.data, person: { salt, consent: { statement: mark } } } },
  { ...e.consentRecorded, data: { ...e.consentRecorded.data, person: { salt, consent: { ip: mark } } } },
  e.tagsAttached,
  { ...e.unsubscribed, data: { ...e.unsubscribed.data, person: { salt, consent: { source: mark } } } },
  { ...e.subscribed, data: { ...e.subscribed.data, previous_status: 'Unsubscribed' } },
  {
    ...e.emailRequested,
    data: {
      ...e.emailRequested.data,
      message: { salt, from_email: 'a@b.example', to_email: `${mark}@a.example`, subject: mark, mail_template: mark },
    },
  },
  e.dispatchStarted,
  { ...e.emailDeferred, data: { ...e.emailDeferred.data, message: { salt, response: mark } } },
  { ...e.dispatchStarted, data: { ...e.dispatchStarted.data, attempt: 2 } },
  { ...e.emailFailed, data: { ...e.emailFailed.data, attempt: 2, message: { salt, response: mark } } },
  ...['all', list.list_id].map((scope): DomainEvent => ({
    type: 'AddressSuppressed',
    data: { scope, reason: 'manual', person: { salt, email: `${mark}@a.example`, note: mark } },
  })),
];
const catalogues: readonly DomainEvent[] = [e.groupCreated, e.listCreated, e.tagCreated];
const ends: readonly DomainEvent[] = [
  {
    type: 'ContactErased',
    data: {
      ...{ erasure_id: 'ers_1', contact_id, through: 6 },
      ...{ list_ids: [list.list_id], subscribed_list_ids: [list.list_id] },
      attached: [{ list_id: list.list_id, tag_ids: [examples.tag.tag_id] }],
    },
  },
  { type: 'EmailErased', data: { email_id, through: 4, reason: 'erasure' } },
  { type: 'SuppressionErased', data: { through: 1 } },
];

/** As it is read from a log in which texts have taken the place of `person` and `message`. */
function redacted(event: DomainEvent): DomainEvent {
  const { data, ...stored } = toAppend(event);
  const place = { stream: 'any', revision: 0n, position: examplePosition(1) };
  return codec.decode({ ...stored, ...place, data: withDigests(data) }).event;
}

/** What is wrong with it, in words. */
export function faultsOf(projection: Projection): readonly string[] {
  const documentsOf = (events: readonly DomainEvent[]): string =>
    JSON.stringify(folded(projection, examples.contactStream, [...catalogues, ...events]));
  const erased = documentsOf([...told, ...ends]);
  const faults: string[] = [];
  if (!projection.personal && documentsOf(told).includes(mark))
    faults.push('holds what a person told: personal is true');
  if (erased.includes(mark)) faults.push('still holds what the person told after ContactErased and EmailErased');
  for (const document of Object.values(folded(projection, examples.contactStream, [...catalogues, ...told])))
    if (projection.fields !== undefined && Object.keys(document).join() !== projection.fields.join())
      faults.push(`has other fields than it declares: ${Object.keys(document).join()}`);
  try {
    if (documentsOf([...told.map(redacted), ...ends]) !== erased)
      faults.push('is another one when it is rebuilt after an erasure');
  } catch (error) {
    faults.push(`cannot be rebuilt after an erasure: ${String(error)}`);
  }
  return faults;
}
