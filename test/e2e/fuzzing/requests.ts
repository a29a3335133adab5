/** Requests to an operation of the API document: right ones, nearly right ones and hostile ones. */
import fc, { type Arbitrary } from 'fast-check';
import type { Operation, Parameter } from './operations.js';
import { asSchema, hostileText, hostileValue, isObject, valuesOf, type Schema } from './json-arbitraries.js';

/** What exists by now: ids, addresses, positions. */
export interface Known {
  pick(name: string, number: number): string | undefined;
}

export interface FuzzedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | undefined;
}

type Made<Value> = Arbitrary<(known: Known) => Value>;
type Resolve = (reference: string) => Schema;

const always =
  <Value>(value: Value) =>
  (): Value =>
    value;
const weighted = <Value>(...choices: readonly (readonly [weight: number, arbitrary: Arbitrary<Value>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export function requestsTo(operation: Operation, resolve: Resolve): Made<FuzzedRequest> {
  const of = (place: Parameter['in']): readonly Parameter[] => operation.parameters.filter((one) => one.in === place);
  const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method];
  return fc
    .record({
      method: weighted([20, fc.constant(operation.method)], [1, fc.constantFrom(...methods)], [1, otherMethod]),
      path: fc.tuple(...of('path').map((parameter) => pathValues(parameter))),
      query: fc.tuple(...of('query').map((parameter) => queryValues(parameter, resolve))),
      surplus: weighted([15, fc.constant('')], [1, fc.constantFrom('x=1', 'limit', '=&&', 'a[]=1', '%', 'cursor=%FF')]),
      headers: headers(of('header'), resolve),
      payload: operation.body === undefined ? noBodies : bodies(operation, resolve),
    })
    .map(({ method, path, query, surplus, headers: given, payload }) => (known) => {
      const segments = path.map((value) => value(known));
      let number = 0;
      const target = operation.path.replaceAll(/\{\w+\}/g, () => segments[number++] ?? '');
      const pairs = [...query.flatMap((value) => value(known)), ...(surplus === '' ? [] : [surplus])];
      const { bytes, headers: ofBody } = payload(known);
      return {
        method,
        target: pairs.length === 0 ? target : `${target}?${pairs.join('&')}`,
        headers: { ...given(known), ...ofBody },
        payload: bytes,
      };
    });
}

const otherMethod = fc.constantFrom('PUT', 'PATCH', 'OPTIONS', 'DELETE', 'POST', 'GET');

function pathValues({ name, example, schema }: Parameter): Made<string> {
  const stranger = encodeURIComponent(example ?? 'stranger');
  const existing = fc.nat().map((number) => (known: Known) => {
    const found = known.pick(name, number);
    return found === undefined ? stranger : encodeURIComponent(found);
  });
  const named = Array.isArray(schema['enum']) ? schema['enum'].map(String) : [stranger];
  return weighted(
    [8, existing],
    [2, fc.constantFrom(...named).map(always)],
    [2, hostileText.map(encoded).map(always)],
    [1, fc.constantFrom('', '.', '..', '%', '%FF', '%00', 'create', 'tags', 'a%2Fb').map(always)],
  );
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed().slice(0, 500));

function queryValues({ name, schema, example, required }: Parameter, resolve: Resolve): Made<readonly string[]> {
  const pair = (value: unknown): string => `${name}=${encoded(String(value))}`;
  const right =
    example === undefined
      ? valuesOf(schema, resolve)
      : weighted([1, fc.constant(example)], [1, valuesOf(schema, resolve)]);
  return weighted(
    [required ? 1 : 8, fc.constant(always([]))],
    [4, right.map((value) => always([pair(value)]))],
    [3, fc.nat().map((number) => (known: Known) => [known.pick(name, number)].flatMap((text) => text ?? []).map(pair))],
    [1, hostileText.map((text) => always([pair(text)]))],
    [1, right.map((value) => always([pair(value), pair(value)]))],
  );
}

/** What may stand in a header. */
const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)), maxLength: 300 })
  .map((text) => text.trim());

function headers(parameters: readonly Parameter[], resolve: Resolve): Made<Record<string, string>> {
  const authorization = weighted<(known: Known) => string | undefined>(
    [20, fc.constant((known: Known) => `Bearer ${known.pick('key', 0) ?? ''}`)],
    [1, fc.constantFrom(undefined, '', 'Bearer', 'Bearer wrong', 'Basic dTpw', 'bearer  x  y').map(always)],
  );
  const others = parameters.map(({ name, schema, example }) => {
    const right = example === undefined ? valuesOf(schema, resolve).map(String) : fc.constant(example);
    return weighted<(known: Known) => readonly [string, string | undefined]>(
      [6, fc.constant(always([name, undefined]))],
      [2, right.map((text) => always([name, text.replaceAll(/[^\x20-\x7e]/g, '') || 'x']))],
      [1, fc.nat().map((number) => (known: Known) => [name, known.pick(name.toLowerCase(), number)])],
      [1, headerText.map((text) => always([name, text]))],
    );
  });
  return fc.tuple(authorization, fc.tuple(...others)).map(([key, rest]) => (known) => {
    const all = [['authorization', key(known)] as const, ...rest.map((header) => header(known))];
    return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  });
}

interface Payload {
  readonly bytes: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const noBodies: Made<Payload> = weighted<(known: Known) => Payload>(
  [12, fc.constant(always({ bytes: undefined, headers: {} }))],
  [1, fc.constantFrom('{}', '{', 'x').map((text) => always({ bytes: Buffer.from(text), headers: {} }))],
);

const mediaTypes = ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json; charset=utf-16'];
const otherTypes = [
  ...mediaTypes,
  'text/plain',
  'application/x-www-form-urlencoded',
  'json',
  ';',
  'application/x-ndjson',
];

const raw = fc.constantFrom<Buffer>(
  ...['', '{', '[]', '"x"', 'null', '\ufeff{}', '{"a":1,"a":2}', '{"__proto__":{"status":"Subscribed"}}', '{}{}'].map(
    (text) => Buffer.from(text),
  ),
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('[{"a":'.repeat(20_000)),
  Buffer.alloc(300_000, 0x20),
);

function bodies({ body }: Operation, resolve: Resolve): Made<Payload> {
  const { type = '', schema = {}, line } = body ?? {};
  const one = jsonBodies(line ?? schema, resolve);
  const text: Made<string> =
    line === undefined
      ? one
      : fc.array(one, { maxLength: 8 }).map((lines) => (known) => lines.map((made) => made(known)).join('\n'));
  const good = text.map((make) => (known: Known) => ({
    bytes: Buffer.from(make(known)),
    headers: { 'content-type': type },
  }));
  const odd = fc
    .tuple(raw, fc.constantFrom(type, ...otherTypes))
    .map(([bytes, media]) => always({ bytes, headers: { 'content-type': media } }));
  const packed = text.map((make) => (known: Known) => ({
    bytes: Buffer.from(make(known)),
    headers: { 'content-encoding': 'gzip' },
  }));
  return weighted<(known: Known) => Payload>([16, good], [2, odd], [1, packed], [1, noBodies]);
}

/** What no schema can say in full. */
const addressFields = ['email', 'contact_email', 'to_email', 'from_email'];

function jsonBodies(schema: Schema, resolve: Resolve): Made<string> {
  const resolved = typeof schema['$ref'] === 'string' ? resolve(schema['$ref']) : schema;
  const names = Object.keys(asSchema(resolved['properties']));
  const address: Made<string | undefined> = weighted<(known: Known) => string | undefined>(
    [3, fc.nat().map((number) => (known: Known) => known.pick('email', number))],
    [3, fc.emailAddress().map(always)],
    [1, fc.constant(always(undefined))],
  );
  const right: Made<unknown> = fc.tuple(valuesOf(schema, resolve), address).map(([value, make]) => (known) => {
    const given = make(known);
    if (!isObject(value)) return value;
    const replaced = addressFields.filter((name) => given !== undefined && name in value);
    return { ...value, ...Object.fromEntries(replaced.map((name) => [name, given])), ...onceOnly(value) };
  });
  const nearly = fc.tuple(right, fc.array(changes(names), { minLength: 1, maxLength: 2 })).map(
    ([make, list]) =>
      (known: Known) =>
        list.reduce<unknown>((value, change) => change(value), make(known)),
  );
  return weighted<(known: Known) => unknown>([8, right], [6, nearly], [1, hostileValue.map(always)]).map(
    (make) => (known) => JSON.stringify(make(known)),
  );
}

/** A field that stands outside `data` too would be refused. */
function onceOnly({ data, ...outside }: Schema): object {
  if (!isObject(data)) return {};
  return { data: Object.fromEntries(Object.entries(data).filter(([name]) => !(name in outside))) };
}

function changes(names: readonly string[]): Arbitrary<(value: unknown) => unknown> {
  const name = names.length === 0 ? hostileText : fc.constantFrom(...names);
  const misspelt = name.map((text) => text.slice(0, -1));
  const unknown = weighted([2, misspelt], [1, hostileText], [1, fc.constantFrom('data', 'message', '__proto__', 'id')]);
  const set = (field: string, given: unknown) => (value: unknown) =>
    isObject(value) ? Object.fromEntries([...Object.entries(value), [field, given]]) : value;
  return weighted(
    [1, name.map((field) => (value: unknown) => without(value, field))],
    [4, fc.tuple(name, hostileValue).map(([field, given]) => set(field, given))],
    [1, fc.tuple(unknown, hostileValue).map(([field, given]) => set(field, given))],
  );
}

const without = (value: unknown, field: string): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== field)) : value;
