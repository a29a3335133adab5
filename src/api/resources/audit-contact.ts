/** Finds the stream of a contact by its id or its address. */
import { z } from 'zod';
import { ServiceError } from '../../errors.js';
import { recipientOf } from '../../events/streams.js';
import { createParser } from '../http/parse.js';
import { address } from '../schemas/fields.js';
import type { Parts } from './parts.js';

export const listErrors = ['no_such_list', 'no_such_list_near'] as const;

/** The errors of a `contact` that is an address. */
export const ofAddress = ['too_many_bytes', 'invalid_characters', 'invisible_in_email', 'invalid_email'] as const;

const contact = createParser(z.object({ contact: address }));

/** Returns the address or the id that `{contact}` in a path is. @throws ServiceError `invalid_email` if it has an `@` and is not an address */
function parseContact(text: string): { readonly email: string } | { readonly contactId: string } {
  if (!text.includes('@')) return { contactId: text };
  return { email: contact.parse({ contact: text }, false).contact };
}

interface RequestedContact {
  readonly stream: string;
  /** Undefined if the contact was named by its address. Then there may be no such contact. */
  readonly contactId?: string;
  /** Names the contact in the record of reads. */
  readonly subject: string;
}

const at = (stream: string): RequestedContact => ({ stream, subject: recipientOf(stream) });

/**
 * Finds the stream of a contact. The stream follows from an address. The view knows the stream of an id, even of a contact
 * that was erased.
 * @throws ServiceError `no_such_contact`, `unavailable`, and what is wrong with an address
 */
export async function findContact(text: string, { queries, streamOf }: Parts): Promise<RequestedContact> {
  const contact = parseContact(text);
  if ('email' in contact) return at(streamOf(contact.email));
  const { contactId } = contact;
  const stream = await queries.streamOfContact(contactId);
  if (stream === undefined) throw new ServiceError('no_such_contact');
  return { ...at(stream), contactId };
}
