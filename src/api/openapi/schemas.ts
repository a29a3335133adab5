/** Makes JSON Schema from the zod schemas of the endpoints. Schemas with a name are written once, in the components. */
import { z } from 'zod';
import { isErrorCode, type ErrorCode } from '../../errors.js';
import { isObject } from '../http/envelope.js';
import { codeOfType } from '../http/parse.js';
import { describedBy } from '../schemas/rules.js';

export type Json = Readonly<Record<string, unknown>>;

export type Schemas = ReturnType<typeof createSchemas>;

/** The parts of zod's JSON Schema that are used here. */
const converted = z.looseObject({
  $schema: z.unknown(),
  $defs: z.record(z.string(), z.unknown()).default({}),
  properties: z.record(z.string(), z.looseObject({ description: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

/** The fields of a success beside its status. */
interface Content {
  readonly message?: string | undefined;
  readonly fields: z.ZodRawShape;
}

const ofItems: readonly string[] = ['application/x-ndjson', 'text/event-stream'];

/** `isStrict`: answers have no other fields, values and texts than these. Else they are open to what later versions add. */
export function createSchemas(isStrict: boolean) {
  const named: Record<string, unknown> = {};

  /** `closedTitle`: objects with a title refuse unknown fields, and their names begin with this. */
  function convert(schema: z.ZodType, io: 'input' | 'output', closedTitle?: string) {
    const isOpen = io === 'output' && !isStrict;
    const made = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => {
        tidy(zodSchema, jsonSchema);
        const { enumeration } = describedBy.get(zodSchema) ?? {};
        if (enumeration instanceof z.ZodEnum) referTo(enumeration, jsonSchema);
        if (isOpen) openAnswer(zodSchema, jsonSchema);
      },
    });
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
    const { $schema: _, $defs, ...rest } = converted.parse(JSON.parse(text, nameTitled(closedTitle)));
    Object.assign(named, $defs);
    return rest;
  }

  /** Replaces a schema by a reference to a named enum. Its description and default stay. */
  function referTo(enumeration: z.ZodEnum, schema: Record<string, unknown>): void {
    const id = idOf(enumeration);
    if (id === undefined) throw new Error('an enum that describes a text of a request has no name');
    const { description, default: otherwise } = schema;
    for (const member of Object.keys(schema)) delete schema[member];
    Object.assign(schema, { $ref: `#/$defs/${id}`, description, default: otherwise });
    // The enum itself is converted as a part of an answer, where it has its name.
    convert(z.object({ enumeration }), 'output');
  }

  function name(title: string, schema: unknown): Json {
    named[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Gives objects with a title that name: those that several bodies share. */
  const nameTitled =
    (closedTitle: string | undefined) =>
    (_: string, value: unknown): unknown => {
      if (!isObject(value) || !isObject(value['properties']) || typeof value['title'] !== 'string') return value;
      const { title } = value;
      return closedTitle === undefined
        ? name(title, value)
        : name(closedTitle + title, closed({ ...value, title: closedTitle + title }));
    };

  return {
    /** All named schemas so far. */
    named,
    /** The fields that a client may send. */
    input: (schema: z.ZodType) => convert(schema, 'input'),
    /** The same schema, but unknown fields are refused. Objects inside get their own names, which begin with `title`. */
    closedInput: (schema: z.ZodType, title: string) => closed(convert(schema, 'input', title)),
    name,
    /** A success. */
    envelope(title: string, code: number, { message, fields }: Content): Json {
      const text = (value: string) => (isStrict ? z.literal(value) : z.string());
      const texts = { status: text('Success'), ...(message !== undefined && { message: text(message) }) };
      const whole = z.strictObject({ statusCode: isStrict ? z.literal(code) : z.int32(), ...texts, ...fields });
      return name(title, convert(whole, 'output'));
    },
    /** A body of this media type; of lines or events the schema of one of them. */
    other(type: string, content: z.ZodType): Json {
      const { content: schema = {} } = convert(z.strictObject({ content }), 'output').properties;
      return ofItems.includes(type) ? { type: 'string', contentMediaType: type, contentSchema: schema } : schema;
    },
  };
}

/** The errors of the fields of a request. */
export function errorsIn(schema: z.ZodType): readonly ErrorCode[] {
  const { required = [] } = z.toJSONSchema(schema, { io: 'input' });
  // Without the code of the object itself: bodies and queries are objects already.
  const [, ...codes] = codesOf(schema);
  return [...(required.length > 0 ? ['required'] : []), ...codes].filter(isErrorCode);
}

function codesOf({ def }: z.ZodType): readonly unknown[] {
  const { type, checks = [], ...parts } = def;
  const refusals = checks.map((check): unknown =>
    check instanceof z.ZodCustom ? check.def.params?.['code'] : undefined,
  );
  const fields = 'shape' in parts && isObject(parts.shape) ? Object.values(parts.shape) : [];
  const inner = [...Object.values(parts), ...fields].filter((part) => part instanceof z.ZodType);
  return [codeOfType[type], ...refusals, ...inner.flatMap(codesOf)];
}

/** Returns the schema of an object without further fields. */
const closed = <Schema extends Json>(schema: Schema) => ({ ...schema, additionalProperties: false });

/**
 * Returns the names of an enum's constants, for generators that put the constants of all enums into one namespace, as that
 * for Go does. Each begins with the name of the enum, so that equal values of two enums do not collide.
 */
const constantsOf = (id: string, values: readonly unknown[]): readonly string[] =>
  values.map((value) =>
    `${id.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')}_${String(value).replaceAll(/\W/g, '_')}`.toUpperCase(),
  );

/** Adds the metadata that zod leaves out of schemas that transform, and removes the bounds of safe integers. */
function tidy(of: z.core.$ZodType, schema: Record<string, unknown>): void {
  const about = z.globalRegistry.get(of);
  for (const name of ['examples', 'default'])
    if (about !== undefined && Object.hasOwn(about, name)) schema[name] = about[name];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  const id = idOf(of);
  if (id !== undefined && Array.isArray(schema['enum'])) schema['x-enum-varnames'] = constantsOf(id, schema['enum']);
  // Some generators know a type that may be null by `oneOf` only.
  if (of instanceof z.core.$ZodNullable && schema['anyOf'] !== undefined) {
    schema['oneOf'] = schema['anyOf'];
    delete schema['anyOf'];
  }
}

const maxInt32 = 2 ** 31 - 1;
/** Left out of answers: bounds may widen in later versions, and each operation has a whole example. */
const left = ['pattern', 'minimum', 'maximum', 'minItems', 'propertyNames', 'examples'];

/** Opens a schema of an answer to what later versions add, so that generated clients outlive them. `schema` is what zod made of `of`. A set of values that has a name stays closed. */
function openAnswer(of: z.core.$ZodType, schema: Record<string, unknown>): void {
  if (schema['additionalProperties'] === false) schema['additionalProperties'] = true;
  if (schema['type'] === 'integer') schema['format'] = schema['maximum'] === maxInt32 ? 'int32' : 'int64';
  for (const name of left) delete schema[name];
  if (of instanceof z.core.$ZodNullable) shorten(schema);
  if (of instanceof z.ZodLiteral) openLiteral(schema);
  if (of instanceof z.ZodEnum && !isNamed(of)) openValues(schema);
  if (of instanceof z.core.$ZodUnion) tellVariants(of, schema);
}

const idOf = (of: z.core.$ZodType): string | undefined => z.globalRegistry.get(of)?.id;
const isNamed = (of: z.core.$ZodType): boolean => idOf(of) !== undefined;

/** A fixed text becomes an `enum`, which tells the variants of a union apart. Other fixed values become any of their type. */
function openLiteral(schema: Record<string, unknown>): void {
  if (schema['type'] === 'string') schema['enum'] = [schema['const']];
  delete schema['const'];
}

/** Writes `type: [string, null]` in place of a choice of two schemas. */
function shorten(schema: Record<string, unknown>): void {
  const one: unknown = Array.isArray(schema['oneOf']) ? schema['oneOf'].at(0) : undefined;
  if (!isObject(one) || typeof one['type'] !== 'string' || one['properties'] !== undefined) return;
  delete schema['oneOf'];
  // zod has not converted the inner schema yet.
  const rest = Object.fromEntries(Object.entries(one).filter(([name]) => !left.includes(name)));
  Object.assign(schema, { ...rest, ...schema, type: [one['type'], 'null'] });
}

function openValues(schema: Record<string, unknown>): void {
  const { enum: values, description } = schema;
  const known = Array.isArray(values) ? `Known: ${values.join(', ')}.` : '';
  schema['description'] = typeof description === 'string' ? `${description} ${known}` : known;
  delete schema['enum'];
}

/** Says that exactly one variant fits, and where a field tells which, names that field. */
function tellVariants({ _zod: { def } }: z.core.$ZodUnion, schema: Record<string, unknown>): void {
  if (!def.options.every((option) => option instanceof z.core.$ZodType && isNamed(option))) return;
  schema['oneOf'] ??= schema['anyOf'];
  delete schema['anyOf'];
  if (!('discriminator' in def) || typeof def.discriminator !== 'string') return;
  const { discriminator: propertyName } = def;
  const mapping = def.options.flatMap((option) =>
    [...(option._zod.propValues?.[propertyName] ?? [])].map((value) => [String(value), idOf(option)] as const),
  );
  const places = mapping.map(([value, id]): [string, string] => [value, `#/components/schemas/${id}`]);
  schema['discriminator'] = { propertyName, mapping: Object.fromEntries(places) };
}
