/** docs/exports.md against the code: the columns of every export, and what the program takes. */
import { expect, test } from 'vitest';
import { contactsSource } from '../../src/export/contacts.js';
import { eventsSource } from '../../src/export/events.js';
import { growthSource } from '../../src/export/growth.js';
import { listsSource } from '../../src/export/lists.js';
import type { ExportLog } from '../../src/export/log.js';
import { exportedKinds, formats } from '../../src/export/run-export.js';
import { codes, document, rows, section, withoutBlocks } from '../support/markdown.js';

const text = document('docs/exports.md');
/** Columns are asked for before anything is read. */
const unread = {} as unknown as ExportLog;
const sources = {
  events: eventsSource(unread),
  contacts: contactsSource(unread),
  lists: listsSource(unread),
  growth: growthSource(unread),
};
const columnsOf = (what: keyof typeof sources): string[] => Object.keys(sources[what].columns);

test('the columns of events', () => {
  const named = rows(section(text, '## Events')).flatMap(([cell = '']) => codes(cell));
  expect(named).toEqual(columnsOf('events'));
});

test.each([
  ['contacts', '## Contacts'],
  ['lists', '## Lists'],
  ['growth', '## Growth'],
] as const)('the columns of %s', (what, heading) => {
  const named = new Set(codes(withoutBlocks(section(text, heading))));
  expect(columnsOf(what).filter((name) => !named.has(name))).toEqual([]);
});

test('formats and kinds', () => {
  expect(rows(section(text, '## Formats')).flatMap(([cell = '']) => codes(cell))).toEqual([...formats]);
  for (const kind of exportedKinds) expect(text).toContain(`audience export ${kind} `);
});
