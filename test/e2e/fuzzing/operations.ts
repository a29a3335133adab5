/** The operations of an OpenAPI document, as far as requests are made from it. */
import { asSchema, isObject, type Schema } from './json-arbitraries.js';

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Undefined: it takes none. */
  readonly body: RequestBody | undefined;
}

interface RequestBody {
  readonly type: string;
  readonly required: boolean;
  readonly schema: Schema;
  /** Of each line, where it is text of lines. */
  readonly line: Schema | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
  readonly required: boolean;
  readonly example: string | undefined;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** `resolve` follows a `$ref`. */
export function readOperations(document: unknown) {
  const resolve = (reference: string): Schema =>
    reference
      .slice(2)
      .split('/')
      .reduce((schema, name) => asSchema(schema[name]), asSchema(document));
  const paths = Object.entries(asSchema(asSchema(document)['paths']));
  const operations = paths.flatMap(([path, item]) =>
    Object.entries(asSchema(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, described]) => operationOf({ path, method, described: asSchema(described), resolve })),
  );
  return { operations, resolve };
}

interface Given {
  readonly path: string;
  readonly method: string;
  readonly described: Schema;
  readonly resolve: (reference: string) => Schema;
}

function operationOf({ path, method, described, resolve }: Given): Operation {
  const { operationId, parameters, requestBody } = described;
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    path,
    parameters: (Array.isArray(parameters) ? parameters : []).map((parameter) =>
      parameterIn(asSchema(parameter), resolve),
    ),
    body: bodyIn(asSchema(requestBody)),
  };
}

function parameterIn(given: Schema, resolve: (reference: string) => Schema): Parameter {
  const parameter = typeof given['$ref'] === 'string' ? resolve(given['$ref']) : given;
  const place = parameter['in'];
  if (place !== 'path' && place !== 'query' && place !== 'header') throw new Error(`a parameter in ${String(place)}`);
  const { name, schema, example, required } = parameter;
  const text = example === undefined ? undefined : JSON.stringify(example).replaceAll('"', '');
  return { name: String(name), in: place, schema: asSchema(schema), required: required === true, example: text };
}

function bodyIn({ content, required }: Schema): RequestBody | undefined {
  const [type, media] = Object.entries(asSchema(content))[0] ?? [];
  if (type === undefined || !isObject(media)) return undefined;
  const schema = asSchema(media['schema']);
  const line = schema['contentSchema'];
  return { type, required: required === true, schema, line: isObject(line) ? line : undefined };
}
