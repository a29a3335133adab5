/** The bodies of requests about contacts. */
import { z } from 'zod';
import { profileFields } from '../../commands/contact.js';
import { isObject, type EchoFields } from '../envelope.js';
import { consent } from './consent.js';
import { address, optionalTagNames, profile, status, tagNames } from './fields.js';

export const tagging = z.object({ tag_name: tagNames, contact_email: address });

/** `clock` tells milliseconds since the epoch. */
export function contactBodies(clock: () => number) {
  const fields = profile(clock);
  const howAgreed = consent(clock);
  const saving = { email: address, status, ...fields };
  const beside = {
    consent: howAgreed,
    data: z
      .object({ ...fields, consent: howAgreed })
      .nullish()
      .meta({ description: 'Profile fields and consent may stand here instead of beside `email`.' }),
    message: z.unknown().optional().meta({ description: 'Ignored.' }),
  };
  return {
    create: z.preprocess(flatten, z.object({ ...saving, ...beside })),
    upsert: z.preprocess(flatten, z.object({ ...saving, tag_name: optionalTagNames, ...beside })),
    updateStatus: z.object({ status, contact_email: address, consent: howAgreed }),
  };
}

export const createEcho: EchoFields = { flat: ['email', 'status', ...profileFields], nested: profileFields };
export const upsertEcho: EchoFields = { ...createEcho, flat: [...createEcho.flat, 'tag_name'] };

/** What may stand in `data`, in documented order. */
const nestedFields = [...profileFields, 'consent'];

/** Profile fields may stand beside `email` and `status`, in an object `data`, or in both. So may a consent: one in an unexpected place would be lost without a word. */
function flatten(body: unknown, context: z.RefinementCtx): unknown {
  if (!isObject(body) || !Object.hasOwn(body, 'data')) return body;
  const { data, ...flat } = body;
  if (data === undefined || data === null) return flat;
  const refuse = (field: string, code: string): void =>
    context.addIssue({ code: 'custom', path: [field], params: { code }, input: data });
  if (!isObject(data)) {
    refuse('data', 'not_an_object');
    return flat;
  }
  const given = nestedFields.filter((field) => Object.hasOwn(data, field));
  for (const field of given)
    if (Object.hasOwn(flat, field) && data[field] !== flat[field]) refuse(field, 'given_twice');
  return { ...flat, ...Object.fromEntries(given.map((field) => [field, data[field]])) };
}
