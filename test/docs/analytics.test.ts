/** docs/analytics.md against the rows: each field is explained, and no other. */
import { expect, test } from 'vitest';
import { outcomeRows } from '../../src/projections/email-outcomes.js';
import { growthRows } from '../../src/projections/growth-rows.js';
import { tagUseRows } from '../../src/projections/tag-use-rows.js';
import { blocks, codes, document, rows, section } from '../support/markdown.js';

const page = document('docs/analytics.md');
const range = { from: '2026-03-01', to: '2026-03-01', interval: 'day' } as const;
const life = { created_at: '2026-03-01T10:00:00.000Z', deleted: null, void: {} };
const list = { kind: 'list', list_id: 'lst_01', list_name: 'News', ...life } as const;
const tag = { kind: 'tag', tag_id: 'tag_01', tag_name: 'VIP', ...life } as const;

test.for([
  { heading: '## Growth of a list', row: growthRows({ life: list, days: [] }, new Map(), range)[0] },
  { heading: '## Use of a tag', row: tagUseRows({ life: tag, days: [], ends: new Map() }, range)[0] },
  { heading: '## Outcomes of e-mail', row: outcomeRows([], range)[0] },
])('$heading', ({ heading, row = {} }) => {
  const documented = rows(section(page, heading)).map(([field = '']) => codes(field)[0]);
  expect(['from', 'to', ...documented]).toEqual(Object.keys(row));
});

test('the example of growth adds up', () => {
  const example = blocks(section(page, '## Growth of a list')).find(({ language }) => language === 'json');
  const { data } = JSON.parse(example?.text ?? '') as { data: { rows: Record<string, number>[] } };
  let total = 0;
  for (const row of data.rows) {
    const { joined = 0, resubscribed = 0, unsubscribed = 0, left_with_list: left = 0 } = row;
    expect(row['net']).toBe(joined + resubscribed - unsubscribed - left);
    expect(row['total']).toBe((total += row['net'] ?? 0));
  }
});
