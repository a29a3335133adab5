/** The bodies of requests about contacts. */
import { z } from 'zod';
import { profileFields } from '../../../events/contact.js';
import { isObject, type EchoFields } from '../../http/envelope.js';
import type { Values } from '../../http/parse.js';
import { consent } from './consent.js';
import { address, optionalTagNames, profile, status, tagNames } from '../../schemas/fields.js';

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
      .meta({ title: 'NestedProfile' })
      .nullish()
      .meta({ description: 'Profile fields and consent may stand here instead of beside `email`.' }),
    message: z.unknown().optional().meta({ description: 'Ignored.' }),
  };
  return {
    create: z.preprocess(flattening(['email', 'status']), z.object({ ...saving, ...beside })),
    upsert: z.preprocess(
      flattening(['email', 'status', 'tag_name']),
      z.object({ ...saving, tag_name: optionalTagNames, ...beside }),
    ),
    updateStatus: z.object({ status, contact_email: address, consent: howAgreed }),
  };
}

export const createEcho: EchoFields = { flat: ['email', 'status', ...profileFields], nested: profileFields };
export const upsertEcho: EchoFields = { ...createEcho, flat: [...createEcho.flat, 'tag_name'] };

/** What may stand in `data`, in documented order. */
const nestedFields = [...profileFields, 'consent'];

/** Profile fields may stand beside `email` and `status`, in an object `data`, or in both. So may a consent: one in an unexpected place would be lost without a word. */
function flattening(others: readonly string[]) {
  return (body: unknown, context: z.RefinementCtx): unknown => {
    if (!isObject(body)) return body;
    const data = body['data'] ?? undefined;
    if (data === undefined) return body;
    const refuse = (field: string, code: string): void =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, input: data });
    if (!isObject(data)) return refuse('data', 'not_an_object');
    nestedFields.filter((field) => differ(field, data, body)).forEach((field) => refuse(field, 'given_twice'));
    const flat: Record<string, unknown> = {};
    for (const field of others) flat[field] = body[field];
    for (const field of nestedFields) flat[field] = Object.hasOwn(data, field) ? data[field] : body[field];
    return flat;
  };
}

const differ = (field: string, one: Values, other: Values): boolean =>
  Object.hasOwn(one, field) && Object.hasOwn(other, field) && one[field] !== other[field];
