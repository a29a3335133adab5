/** Checks what stands in paths and queries beyond the schemas. */
import { ServiceError } from '../errors.js';
import { createParser, type Values } from './parse.js';
import { z } from 'zod';
import { address } from './schemas/fields.js';

const longestName = 64;

/** A misspelt filter would answer more than was asked for. @throws ServiceError `unknown_parameter` */
export function checkParameters(query: Values, known: readonly string[]): void {
  for (const name of Object.keys(query))
    if (!known.includes(name)) throw new ServiceError('unknown_parameter', { field: name.slice(0, longestName) });
}

const contact = createParser(z.object({ contact: address }));

/** What `{contact}` in a path stands for. @throws ServiceError `invalid_email` when it has an `@` and is no address */
export function parseContact(text: string): { readonly email: string } | { readonly contactId: string } {
  if (!text.includes('@')) return { contactId: text };
  return { email: contact.parse({ contact: text }, false).contact };
}
