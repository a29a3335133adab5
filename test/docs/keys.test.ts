/** docs/keys.md against the scopes and the form of keys. */
import { expect, test } from 'vitest';
import { scopes } from '../../src/events/keys.js';
import { newApiKey } from '../../src/stores/data-folder.js';
import { codes, document, rows, section } from '../support/markdown.js';

const text = document('docs/keys.md');

test('has exactly the scopes', () => {
  const documented = rows(section(text, '## Scopes')).flatMap(([names = '']) => codes(names));
  expect(documented.sort()).toEqual([...scopes].sort());
});

test('tells scanners the regular expression of a key', () => {
  const pattern = codes(section(text, '## Secrets')).find((code) => code.startsWith('aud_['));
  expect(newApiKey()).toMatch(new RegExp(`^${pattern}$`));
});
