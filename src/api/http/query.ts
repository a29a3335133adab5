/** Checks what stands in paths and queries beyond the schemas. */
import { ServiceError } from '../../errors.js';
import { createParser, type Values } from './parse.js';
import { z } from 'zod';
import { address } from '../schemas/fields.js';

const longestName = 64;

/** What the options of the command line are called here. */
const nameOf: Readonly<Record<string, string | undefined>> = { list: 'list_id', at: 'time' };

/** A misspelt filter would answer more than was asked for. @throws ServiceError `unknown_parameter` */
export function checkParameters(query: Values, known: readonly string[]): void {
  for (const given of Object.keys(query)) {
    if (known.includes(given)) continue;
    const field = given.slice(0, longestName);
    const names = Object.hasOwn(nameOf, field) ? nameOf[field] : undefined;
    if (names === undefined || !known.includes(names)) throw new ServiceError('unknown_parameter', { field });
    throw new ServiceError('unknown_parameter_near', { field, names });
  }
}

const contact = createParser(z.object({ contact: address }));

/** What `{contact}` in a path stands for. @throws ServiceError `invalid_email` when it has an `@` and is no address */
export function parseContact(text: string): { readonly email: string } | { readonly contactId: string } {
  if (!text.includes('@')) return { contactId: text };
  return { email: contact.parse({ contact: text }, false).contact };
}
