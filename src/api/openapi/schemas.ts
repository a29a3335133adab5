/** JSON Schema of the zod schemas of the table; those with a name stand once, in the components. */
import { z } from 'zod';
import { isErrorCode, type ErrorCode } from '../../errors.js';
import { isObject } from '../envelope.js';

export type Json = Readonly<Record<string, unknown>>;

export interface Schemas {
  /** What a client may send, and the errors of the fields. */
  input(schema: z.ZodType): { readonly schema: Json; readonly errors: readonly ErrorCode[] };
  /** A success with `data`, and what stands beside it. */
  envelope(data: z.ZodType, more: { readonly message: string | undefined; readonly beside: z.ZodRawShape }): Json;
  /** A body of this media type; of lines or events the schema of one of them. */
  other(type: string, content: z.ZodType, io?: 'input' | 'output'): Json;
  /** All that were met so far, by name. */
  named(): Json;
}

const ofItems: readonly string[] = ['application/x-ndjson', 'text/event-stream'];

export function createSchemas(): Schemas {
  const named: Record<string, unknown> = {};

  function convert(schema: z.ZodType, io: 'input' | 'output') {
    const errors = new Set<ErrorCode>();
    const converted = z.toJSONSchema(schema, {
      io,
      override({ zodSchema, jsonSchema }) {
        restore(zodSchema, jsonSchema);
        tidy(jsonSchema, errors);
      },
    });
    const { $schema: _, $defs = {}, ...rest } = withComponents(converted);
    Object.assign(named, $defs);
    if (rest['required'] !== undefined) errors.add('required');
    return { schema: rest, errors: [...errors] };
  }

  return {
    input: (schema) => convert(schema, 'input'),
    envelope(data, { message, beside }) {
      const text = message === undefined ? {} : { message: z.literal(message) };
      const envelope = { statusCode: z.literal(200), status: z.literal('Success'), ...text, data, ...beside };
      return convert(z.strictObject(envelope), 'output').schema;
    },
    other(type, content, io = 'output') {
      const { properties } = convert(z.strictObject({ content }), io).schema;
      const schema = isObject(properties) ? properties['content'] : {};
      return ofItems.includes(type)
        ? { schema: { type: 'string', contentMediaType: type, contentSchema: schema } }
        : { schema };
    },
    named: () => named,
  };
}

/** zod leaves these two out of schemas that transform; ours are what may be sent. */
function restore(of: z.core.$ZodType, schema: Record<string, unknown>): void {
  const about = z.globalRegistry.get(of);
  for (const name of ['examples', 'default'])
    if (about !== undefined && Object.hasOwn(about, name)) schema[name] = about[name];
}

/** Takes out the codes of errors, which become answers, and bounds that only say that a number is exact. */
function tidy(schema: Record<string, unknown>, errors: Set<ErrorCode>): void {
  const codes = schema['x-errors'];
  if (Array.isArray(codes)) for (const code of codes) if (isErrorCode(code)) errors.add(code);
  delete schema['x-errors'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}

function withComponents(schema: object): Json {
  const moved: unknown = JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
  return isObject(moved) ? moved : {};
}
