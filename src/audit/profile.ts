/** A contact's profile as its events make it: every field has a value or none. */
import { noProfile, profileFields, type ProfileField } from '../events/contact.js';
import type { ProfileValues } from './answers.js';

type Changes = { readonly [Field in ProfileField]?: string | null | undefined };

export function profileOf(person: ({ readonly email: string } & Changes) | null): ProfileValues {
  return withChanges({ email: person?.email ?? null, ...noProfile }, person);
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
