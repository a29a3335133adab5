/** The tables in docs/reference against the code that they are generated from. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parsers } from '../../src/app/parsers.js';
import { document } from '../support/markdown.js';

test('docs/reference is what `npm run generate:docs` writes', async () => {
  const script = (await import(path.resolve('scripts/generate-docs.mjs'))) as {
    referenceDocs(code: { readonly parsers: object }): Promise<Readonly<Record<string, string>>>;
  };
  const texts = await script.referenceDocs({ parsers });
  const written = readdirSync('docs/reference').map((name) => [name, document(`docs/reference/${name}`)]);
  expect(Object.fromEntries(written)).toEqual(texts);
});
