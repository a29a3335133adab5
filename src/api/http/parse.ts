/** Parses what a request carries with the schema of its endpoint, in the contract's order: required fields, unknown fields, each field's form. */
import leven from 'leven';
import { z } from 'zod';
import { isErrorCode, ServiceError, type ErrorCode } from '../../errors.js';
import { isObject } from './envelope.js';

export type Values = Readonly<Record<string, unknown>>;

export interface Parser<Parsed> {
  /** Documented names, in documented order. */
  readonly fields: readonly string[];
  /** It takes fields with other names, too. */
  readonly isOpen: boolean;
  /** @throws ServiceError `required`, `unknown_field`, or what the schema says */
  parse(values: Values, isStrict: boolean): Parsed;
  /** Returns the names of the fields that `parse` drops unless it is strict. A field of an object has the name of the object before it. */
  unknownFields(values: Values): readonly string[];
}

export function createParser<Schema extends z.ZodType>(schema: Schema): Parser<z.output<Schema>> {
  const { properties = {}, required = [], additionalProperties } = z.toJSONSchema(schema, { io: 'input' });
  const needed = required.map((field) => ({ field, isList: isListed(properties[field]) }));
  const known = knownFields(properties);
  return {
    fields: Object.keys(properties),
    isOpen: additionalProperties !== undefined,
    parse(values, isStrict) {
      for (const { field, isList } of needed)
        if (isMissing(values, field, isList)) throw new ServiceError('required', { field });
      if (isStrict) checkKnown(values, known);
      const result = schema.safeParse(values);
      if (result.success) return result.data;
      throw errorOf(result.error.issues[0]);
    },
    unknownFields: (values) => unknownIn(values, known).map(({ prefix, name }) => prefix + name),
  };
}

type Properties = Readonly<Record<string, unknown>>;

const isListed = (property: unknown): boolean => isObject(property) && property['minItems'] !== undefined;

/** Where an array is wanted, an empty one is missing too. */
function isMissing(values: Values, field: string, isList: boolean): boolean {
  const value = Object.hasOwn(values, field) ? values[field] : undefined;
  if (value === undefined || value === null) return true;
  return typeof value === 'string' ? value.trim() === '' : isList && Array.isArray(value) && value.length === 0;
}

/** Names of fields, each with those of the object in it. Undefined if the field takes any value, or no object. */
type KnownFields = ReadonlyMap<string, KnownFields | undefined>;

const knownFields = (properties: Properties): KnownFields =>
  new Map(
    Object.entries(properties).map(([name, property]) => {
      const inner = propertiesOf(property);
      return [name, inner && knownFields(inner)];
    }),
  );

/** Returns the properties of an object in JSON Schema, or undefined if the property may have any value. */
function propertiesOf(property: unknown): Properties | undefined {
  if (!isObject(property)) return undefined;
  const { properties, anyOf } = property;
  if (isObject(properties)) return properties;
  return Array.isArray(anyOf) ? anyOf.map(propertiesOf).find((found) => found !== undefined) : undefined;
}

/** @throws ServiceError `unknown_field` */
function checkKnown(values: Values, known: KnownFields): void {
  const [first] = unknownIn(values, known);
  if (first !== undefined) throw unknownField(first);
}

interface UnknownField {
  /** The path to the object that has the field, with a dot at its end. */
  readonly prefix: string;
  readonly name: string;
  /** The fields that the object may have. */
  readonly known: KnownFields;
}

function unknownIn(values: Values, known: KnownFields, prefix = ''): readonly UnknownField[] {
  const found: UnknownField[] = [];
  for (const name of Object.keys(values)) {
    const inner = known.get(name);
    const value = values[name];
    if (inner !== undefined && isObject(value)) found.push(...unknownIn(value, inner, `${prefix}${name}.`));
    else if (!known.has(name)) found.push({ prefix, name, known });
  }
  return found;
}

const longestName = 64;

function unknownField({ prefix, name: given, known }: UnknownField): ServiceError {
  // Control characters as JSON writes them.
  const name = JSON.stringify(given.slice(0, longestName)).slice(1, -1);
  const near = [...known.keys()].find(
    (one) => leven(one.toLowerCase(), name.toLowerCase()) <= Math.max(1, one.length / 3),
  );
  const field = prefix + name;
  if (near === undefined) return new ServiceError('unknown_field', { field });
  return new ServiceError('unknown_field_near', { field, names: prefix + near });
}

/** What a value of another type is answered with. */
export const codeOfType: Readonly<Record<string, ErrorCode>> = {
  string: 'not_a_string',
  array: 'not_an_array',
  object: 'not_an_object',
  record: 'not_an_object',
  boolean: 'not_a_boolean',
  enum: 'not_one_of',
};

const list = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function errorOf(issue: z.core.$ZodIssue | undefined): ServiceError {
  const field = issue?.path.filter((part) => typeof part === 'string').join('.');
  const { code, limit, names } = refusalOf(issue);
  if (!isErrorCode(code)) throw new Error(`a schema refused ${field} by ${issue?.code}, which no answer is known for`);
  const more = { ...(typeof limit === 'number' ? { limit } : {}), ...(typeof names === 'string' ? { names } : {}) };
  return new ServiceError(code, { field, ...more });
}

function refusalOf(issue: z.core.$ZodIssue | undefined): Readonly<Record<string, unknown>> {
  if (issue?.code === 'invalid_type') return { code: codeOfType[issue.expected] };
  if (issue?.code === 'invalid_value')
    return { code: codeOfType['enum'], names: list.format(issue.values.map(String)) };
  return issue?.code === 'custom' ? (issue.params ?? {}) : {};
}

/** Parameters by the names of the same options on the command line. */
const nameOf: Readonly<Record<string, string | undefined>> = { list: 'list_id', at: 'time' };

/** Ignoring a misspelt filter would answer too much. @throws ServiceError `unknown_parameter` */
export function checkParameters(query: Values, known: readonly string[]): void {
  for (const given of Object.keys(query)) {
    if (known.includes(given)) continue;
    const field = given.slice(0, longestName);
    const names = Object.hasOwn(nameOf, field) ? nameOf[field] : undefined;
    if (names === undefined || !known.includes(names)) throw new ServiceError('unknown_parameter', { field });
    throw new ServiceError('unknown_parameter_near', { field, names });
  }
}
