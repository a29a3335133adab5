/** A contact's profile as its events make it: every field has a value or none. */
import { profileFields, type ProfileField } from '../events/contact.js';
import type { ProfileValues } from './answers.js';

type Changes = { readonly [Field in ProfileField]?: string | null | undefined };

export function profileOf(person: ({ readonly email: string } & Changes) | null): ProfileValues {
  const empty: ProfileValues = {
    email: person?.email ?? null,
    firstName: null,
    lastName: null,
    phone: null,
    dateOfBirth: null,
    address: null,
    city: null,
    state: null,
    country: null,
    zipcode: null,
  };
  return withChanges(empty, person);
}

/** `changes` is null where they were erased. */
export function withChanges(profile: ProfileValues, changes: Changes | null): ProfileValues {
  const result = { ...profile };
  for (const field of profileFields) {
    const value = changes?.[field];
    if (value !== undefined) result[field] = value;
  }
  return result;
}
