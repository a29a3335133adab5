/** Finds the stream of a contact by its id or its address. */
import { z } from 'zod';
import { ServiceError } from '../../../errors.js';
import { recipientOf } from '../../../events/streams.js';
import type { Queries } from '../../../projections/queries.js';
import { touchedDocument } from '../../../projector/touched.js';
import type { Call } from '../../http/endpoint-runner.js';
import { createParser } from '../../http/parse.js';
import type { Reads } from '../../http/reads.js';
import { address } from '../../schemas/fields.js';

const contact = createParser(z.object({ contact: address }));

/** What `{contact}` in a path stands for. @throws ServiceError `invalid_email` when it has an `@` and is no address */
function parseContact(text: string): { readonly email: string } | { readonly contactId: string } {
  if (!text.includes('@')) return { contactId: text };
  return { email: contact.parse({ contact: text }, false).contact };
}

interface RequestedContact {
  readonly stream: string;
  /** Undefined: looked for by address. Then there may be no such contact. */
  readonly contactId?: string;
  /** Names the contact in the record of reads. */
  readonly subject: string;
}

/** @throws ServiceError `no_such_contact`, `unavailable`, and what is wrong with an address */
export type FindContact = (call: Pick<Call, 'minPosition'>, text: string) => Promise<RequestedContact>;

export interface ContactSources {
  readonly queries: Pick<Queries, 'contactById' | 'streamOfErased'>;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
}

/** The stream follows from an address; for an id the view knows it, also of a contact that was erased. */
export function contactFinder({ queries, reads, streamOf }: ContactSources): FindContact {
  const at = (stream: string): RequestedContact => ({ stream, subject: recipientOf(stream) });
  return async (call, text) => {
    const contact = parseContact(text);
    if ('email' in contact) return at(streamOf(contact.email));
    const { contactId } = contact;
    await reads.visible(call, { touched: [touchedDocument('contacts', contactId)], parked: [] });
    const found = await queries.contactById(contactId);
    const stream = found === undefined ? await queries.streamOfErased(contactId) : streamOf(found.email);
    if (stream !== undefined) return { ...at(stream), contactId };
    // The view may lack the contact because it could not fold its events.
    if (reads.isIncomplete(['contacts'])) throw new ServiceError('unavailable', {}, { retryAfter: 60 });
    throw new ServiceError('no_such_contact');
  };
}
