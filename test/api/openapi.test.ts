/** The OpenAPI document: a public linter passes, it describes the routes of the app and no others, and errors by their own words. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/errors.js';
import { apiDocument, paths } from '../support/api-description.js';
import { routesOfApp } from '../support/routes-of-app.js';

const text = JSON.stringify(apiDocument);

test('passes the linter of Redocly, in its strictest form', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const found = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  expect(found.filter((problem) => !expected.includes(problem))).toEqual([]);
});

/** Health and this document refuse nothing. */
const expected = ['operation-4xx-response: Operation must have at least one `4XX` response.'];

test('describes every route of the app, and no other', () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual(
    routesOfApp()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
});

const codes = Object.entries(errorCatalogue).filter(([code]) => text.includes(`${titleOf(code)}Error"`));

test.for(codes)('describes the error %s by its message and type', ([code, { status, type, message }]) => {
  const { schemas } = apiDocument['components'] as { schemas: Record<string, { properties: Described }> };
  const { properties } = schemas[`${titleOf(code)}Error`] ?? { properties: undefined };
  expect(properties).toMatchObject({ statusCode: { const: status }, type: { const: type } });
  const sample = message.replaceAll(/\{\w+\}/g, 'a (b)');
  if (sample === message) expect(properties?.message.const).toBe(message);
  else expect(sample).toMatch(new RegExp(properties?.message.pattern ?? 'none'));
});

interface Described {
  readonly message: { readonly const?: string; readonly pattern?: string };
}

function titleOf(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
