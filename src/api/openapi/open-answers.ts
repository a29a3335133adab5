/** Opens the schemas of answers to what later versions add, so that generated clients outlive them: more fields, more values, other texts. */
import { z } from 'zod';
import { isObject } from '../http/envelope.js';

const maxInt32 = 2 ** 31 - 1;
/** Bounds may widen. The operations have whole examples. */
const left = ['pattern', 'minimum', 'maximum', 'minItems', 'propertyNames', 'examples'];

/** `schema` is what zod made of `of`. A set of values that has a name stays closed. */
export function openAnswer(of: z.core.$ZodType, schema: Record<string, unknown>): void {
  if (schema['additionalProperties'] === false) schema['additionalProperties'] = true;
  if (schema['type'] === 'integer') schema['format'] = schema['maximum'] === maxInt32 ? 'int32' : 'int64';
  for (const name of left) delete schema[name];
  if (of instanceof z.core.$ZodNullable) shorten(schema);
  const { type } = of._zod.def;
  if (type === 'literal') openLiteral(schema);
  if (type === 'enum' && !isNamed(of)) openValues(schema);
  if (of instanceof z.core.$ZodUnion) tellVariants(of, schema);
}

const idOf = (of: z.core.$ZodType): string | undefined => z.globalRegistry.get(of)?.id;
const isNamed = (of: z.core.$ZodType): boolean => idOf(of) !== undefined;

/** A text stays: it tells the variants of a union apart. */
function openLiteral(schema: Record<string, unknown>): void {
  if (schema['type'] === 'string') schema['enum'] = [schema['const']];
  delete schema['const'];
}

/** `type: [string, null]`, and not a choice of two schemas. */
function shorten(schema: Record<string, unknown>): void {
  const one: unknown = Array.isArray(schema['oneOf']) ? schema['oneOf'].at(0) : undefined;
  if (!isObject(one) || typeof one['type'] !== 'string' || one['properties'] !== undefined) return;
  delete schema['oneOf'];
  // zod comes to it later.
  const rest = Object.fromEntries(Object.entries(one).filter(([name]) => !left.includes(name)));
  Object.assign(schema, { ...rest, ...schema, type: [one['type'], 'null'] });
}

function openValues(schema: Record<string, unknown>): void {
  const { enum: values, description } = schema;
  const known = Array.isArray(values) ? `Known: ${values.join(', ')}.` : '';
  schema['description'] = typeof description === 'string' ? `${description} ${known}` : known;
  delete schema['enum'];
}

/** Exactly one of them fits: by the value of a field, or by the fields that it must have. */
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
