// Writes client/api.ts: the types of the API, and the way of each operation, from the OpenAPI document.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

const file = fileURLToPath(new URL('../client/api.ts', import.meta.url));

const methods = ['get', 'post', 'delete'];

/** Operations that answer in the envelope: method, path, and when a repeat is safe. */
function operationsIn({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      const answers = (operation?.responses[200] ?? operation?.responses[202])?.content['application/json'];
      return answers === undefined ? [] : [[operation.operationId, [method, path, operation['x-repeat'] ?? 'safe']]];
    }),
  );
}

/** A field that is not described is no field of a type, though answers are open to new ones. */
const described = (document) =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.properties && value.additionalProperties === true ? { ...value, additionalProperties: undefined } : value,
  );

/** The text of client/api.ts. */
export async function clientTypes(document, errorTypes) {
  const types = astToString(await openapiTS(described(document), { alphabetize: true }));
  const table = JSON.stringify(Object.fromEntries(operationsIn(document).sort()));
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const text = `/** Made by \`npm run generate:client\` from the OpenAPI document with the SHA-256 ${digest}. */
${types}
/** The types of errors that this version knows. */
export type KnownErrorType = ${errorTypes.map((type) => `'${type}'`).join(' | ')};

/** Method, path, and when a repeat is safe. */
export const operationTable = ${table} as const;
`;
  return await format(text, { ...(await resolveConfig(file)), parser: 'typescript' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [{ createResources }, { createDocument }, { errorCatalogue }] = await Promise.all([
    import('../dist/api/resources/table.js'),
    import('../dist/api/openapi/document.js'),
    import('../dist/errors.js'),
  ]);
  const resources = createResources(Date.now);
  const errorTypes = [...new Set(Object.values(errorCatalogue).map(({ type }) => type))].sort();
  writeFileSync(file, await clientTypes(createDocument({ resources, examples: {}, version: '0' }), errorTypes));
}
