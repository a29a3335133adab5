/** What the documents point to is there: files, scripts, libraries. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { codes, document, headings, rows, withoutBlocks } from '../support/markdown.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const inDocs = readdirSync(path.join(root, 'docs'), { recursive: true }).map((name) => path.join('docs', String(name)));
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...inDocs].filter((name) => name.endsWith('.md'));
const settings = JSON.parse(document('package.json')) as Record<
  'scripts' | 'dependencies' | 'optionalDependencies' | 'devDependencies',
  Record<string, string>
>;

/** What docs/projections.md lets its reader write. */
const examples = new Set(['src/projections/leaving-hours.ts']);

const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (text: string): readonly string[] =>
  [1, 2, 3, 4].flatMap((level) => headings(text, level)).map(anchorOf);

describe.for(documents)('%s', (name) => {
  const text = document(name);

  test('links to files and headings that exist', () => {
    const links = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? name : path.join(path.dirname(name), file);
      if (!existsSync(path.join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(document(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('names files of the source and the tests that exist', () => {
    const named = codes(withoutBlocks(text)).filter((code) => /^(?:src|test|demo|bench|scripts)\/[\w./-]+$/.test(code));
    expect(named.filter((file) => !examples.has(file) && !existsSync(path.join(root, file)))).toEqual([]);
  });

  test('names scripts that exist', () => {
    const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(scripts.filter((script) => settings.scripts[script] === undefined)).toEqual([]);
  });
});

test('docs/decisions/0001-libraries.md has a line for each library, and for no other', () => {
  const named = rows(document('docs/decisions/0001-libraries.md')).flatMap(([cell = '']) => codes(cell));
  const used = Object.keys({
    ...settings.dependencies,
    ...settings.optionalDependencies,
    ...settings.devDependencies,
  });
  expect([...named].sort()).toEqual(used.filter((name) => !name.startsWith('@types/')).sort());
});
