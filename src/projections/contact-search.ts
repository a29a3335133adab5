/** The view `contact_search`: of each contact the texts whose beginnings it is found by. */
import type { ContactEvent } from '../events/contact.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import { comparedText } from './compared-text.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

type ContactSearchDocument = {
  readonly contact_id: string;
  /** As they are compared, null where there is none: a change names one of the two, and the texts are of both. */
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** The address, then both names in either order. Empty: the person is erased, and the event that says so follows. */
  readonly terms: readonly string[];
};

export const contactSearch: Projection<ContactSearchDocument> = {
  name: 'contact_search',
  version: 2,
  personal: true,
  readAsWhole: true,
  unlisted: true,
  indexes: [],
  arrayIndexes: ['terms'],
  fields: ['contact_id', 'first_name', 'last_name', 'terms'],
  idFields: ['contact_id'],
  handles: ['ContactCreated', 'ContactProfileChanged', 'ContactErased'],

  keys: ({ event }) => ('contact_id' in event.data ? [event.data.contact_id] : []),

  evolve(document, { event }) {
    switch (event.type) {
      case 'ContactCreated': {
        absent(document, event.type);
        const { contact_id, person } = event.data;
        const names = { first_name: nameAfter(null, person?.firstName), last_name: nameAfter(null, person?.lastName) };
        const address = person === null ? undefined : comparedText(person.email);
        return { contact_id, ...names, terms: termsOf(address, names) };
      }
      case 'ContactProfileChanged':
        return withNames(existing(document, event.type), event.data.person);
      case 'ContactErased':
        return null;
      default:
        throw new CannotFoldError(`contact_search does not fold ${event.type}`);
    }
  },
};

type Names = Pick<ContactSearchDocument, 'first_name' | 'last_name'>;
type NameChange = Extract<ContactEvent, { type: 'ContactProfileChanged' }>['data']['person'];

function withNames(document: ContactSearchDocument, person: NameChange): ContactSearchDocument {
  const names = {
    first_name: nameAfter(document.first_name, person?.firstName),
    last_name: nameAfter(document.last_name, person?.lastName),
  };
  const isSame = names.first_name === document.first_name && names.last_name === document.last_name;
  return isSame ? document : { ...document, ...names, terms: termsOf(document.terms[0], names) };
}

/** `changed` undefined: the name stays. */
function nameAfter(before: string | null, changed: string | null | undefined): string | null {
  if (changed === undefined) return before;
  return comparedText(changed ?? '') || null;
}

function termsOf(address: string | undefined, { first_name, last_name }: Names): readonly string[] {
  if (address === undefined) return [];
  const names = [first_name, last_name].filter((name) => name !== null);
  const terms = [address, names.join(' '), names.toReversed().join(' ')];
  return [...new Set(terms)].filter((term) => term !== '');
}

/** The ids of contacts whose address, first name, last name or both names begin with the text, at most `limit`, in the order of the text that does. @throws ReadModelsUnavailableError */
export async function contactsFoundBy(
  reader: Pick<ReadModelReader, 'search'>,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<readonly string[]> {
  const prefix = comparedText(text);
  // Accents alone are nothing to search.
  if (prefix === '') return [];
  const found = await reader.search(contactSearch, { field: 'terms', prefix, limit });
  return found.map(({ id }) => id);
}
