/** docs/errors.md against the error catalogue, both ways. */
import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/errors.js';
import { codes, document, rows } from '../support/markdown.js';

const documented = rows(document('docs/errors.md')).map((cells) => ({
  code: codes(cells[0] ?? '')[0] ?? '',
  entry: { status: Number(cells[1]), type: codes(cells[2] ?? '')[0], message: codes(cells[3] ?? '')[0] },
  when: cells[4] ?? '',
}));

test('the table is the catalogue', () => {
  expect(Object.fromEntries(documented.map(({ code, entry }) => [code, entry]))).toEqual(errorCatalogue);
});

test('each code is listed once, with its cause', () => {
  const names = documented.map(({ code }) => code);
  expect(names).toHaveLength(new Set(names).size);
  expect(documented.filter(({ when }) => when === '')).toEqual([]);
});
