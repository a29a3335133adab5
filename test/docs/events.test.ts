/** docs/events.md against the schemas, both ways: names, fields, types, and which fields may be absent. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readKinds } from '../../src/events/access.js';
import { codec, eventSchemas, type EventType } from '../../src/events/codec.js';
import { metadataSchema } from '../../src/events/envelope.js';
import type { EndingReason } from '../../src/mailer/reasons.js';
import { codes, document, headings, rows, section } from '../support/markdown.js';

const text = document('docs/events.md');

/** The parts of a JSON schema that our schemas make use of. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
}

/** Types by path; `?` marks a field that may be absent. */
type Fields = Readonly<Record<string, string>>;

function fieldsOf(shape: Shape, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(shape.properties ?? {}).flatMap(([name, given]) => {
      const field = withoutDigest(given);
      const mark = shape.required?.includes(name) === true ? '' : '?';
      const inner = field.items ?? field;
      const below = `${prefix}${name}${field.items === undefined ? '' : '[]'}.`;
      return [[`${prefix}${name}${mark}`, typeOf(field)], ...Object.entries(fieldsOf(inner, below))];
    }),
  );
}

/** The page says once that a digest may stand for a `person` or `message`. */
const withoutDigest = (shape: Shape): Shape => {
  const [object, digest] = shape.anyOf ?? [];
  return object?.properties !== undefined && digest?.type === 'string' ? object : shape;
};

function typeOf(shape: Shape): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map(typeOf).join(' or ');
  if (shape.enum !== undefined) return shape.enum.join() === 'Subscribed,Unsubscribed' ? 'status' : shape.enum.join();
  return shape.format === 'date-time' ? 'time' : [shape.type ?? 'unknown'].flat().join(' or ');
}

const schemaFields = (schema: z.ZodType): Fields => fieldsOf(z.toJSONSchema(schema, { io: 'input' }) as Shape);

const documentedFields = (part: string): Fields =>
  Object.fromEntries(rows(part).map(([name = '', type = '']) => [codes(name)[0] ?? name, type]));

/** A section may speak of several events of one shape. */
const documented: Readonly<Record<string, Fields>> = Object.fromEntries(
  headings(text, 3).flatMap((heading) =>
    codes(heading).map((name) => [name, documentedFields(section(text, heading))]),
  ),
);

describe('docs/events.md', () => {
  test('has exactly the stored events', () => {
    expect(Object.keys(documented).sort()).toEqual(Object.keys(eventSchemas).sort());
  });

  test.for(Object.entries(eventSchemas))('%s: fields and types', ([name, schema]) => {
    expect(documented[name]).toEqual(schemaFields(schema));
  });

  test('the metadata: fields and types', () => {
    expect(documentedFields(section(text, '## Metadata'))).toEqual(schemaFields(metadataSchema));
  });

  test('says which events are not at version 1', () => {
    expect(text).toContain(
      'All events are at version 1, except `EmailRequested`, `EmailBounced` and `LogRestored`, which are at 2.',
    );
    const types = Object.keys(eventSchemas) as EventType[];
    const later = types.filter((type) => codec.schemaVersion(type) !== 1);
    expect(later.map((type) => [type, codec.schemaVersion(type)])).toEqual([
      ['EmailRequested', 2],
      ['EmailBounced', 2],
      ['LogRestored', 2],
    ]);
  });

  test('has exactly the reasons', () => {
    // The compiler holds this list against the mailer.
    const reasons = {
      accepted: true,
      written: true,
      smtp_4xx: true,
      smtp_5xx: true,
      policy: true,
      too_large: true,
      smtputf8: true,
      auth_failed: true,
      tls: true,
      dns: true,
      connection_refused: true,
      connection_failed: true,
      connection_lost: true,
      server_refused: true,
      too_many_connections: true,
      protocol: true,
      timeout: true,
      stopped: true,
      outbox_unavailable: true,
      invalid_message: true,
      not_started: true,
      run_lapsed: true,
      run_ended: true,
      deadline_passed: true,
      withdrawn: true,
      gave_up: true,
      restored: true,
    } as const satisfies Record<EndingReason, true>;
    const shown = rows(section(text, '### Reasons')).map(([name = '']) => codes(name)[0]);
    expect(shown.sort()).toEqual(Object.keys(reasons).sort());
  });

  test('has exactly the words for what was read', () => {
    const shown = rows(section(text, '### What was read')).map(([name = '']) => codes(name)[0]);
    expect(shown).toEqual(readKinds);
  });

  test('personal data stands under person and message only', () => {
    // `subject` without them is the key of a stream.
    const personal =
      /email$|^first|^last|phone|birth|address|city|country|zipcode|subject$|mail_template|response|\bip$/i;
    for (const [name, fields] of Object.entries(documented))
      for (const field of Object.keys(fields))
        if (!/^(?:person|message|subject)\b/.test(field)) expect(field, name).not.toMatch(personal);
  });
});
