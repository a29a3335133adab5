/** What the answers of the auditor have in common, in words. */
import { expect, test } from 'vitest';
import { basisLines, consentInWords } from '../../src/cli/shared/in-words.js';
import { table } from '../../src/cli/shared/table.js';

const basis = { answered_at: '2026-03-01T11:00:00.000Z', log_id: 'log', position: '0042', count: 42, seal: null };
const seal = {
  ...{ seq: 3, restores: 0, count: 40, root: 'ab', sealed_at: '2026-03-01T10:00:00.000Z', key_fingerprint: 'cd' },
};

test('says what an answer rests on, after what a reader must know before', () => {
  expect(basisLines(basis)).toEqual([
    'Answered at 2026-03-01T11:00:00.000Z from the log log, up to event 42.',
    'No seal covers the events of this answer yet.',
  ]);
  expect(basisLines({ ...basis, seal, future: true, list_note: 'a\u001b' })).toEqual([
    'a\\u001b',
    'The time is in the future: this is how it is now, and what happens until then may change it.',
    'Answered at 2026-03-01T11:00:00.000Z from the log log, up to event 42.',
    'Covered by the seal of 2026-03-01T10:00:00.000Z over 40 events, root ab.',
  ]);
  expect(basisLines({ ...basis, count: null })[0]).toBe(
    'Answered at 2026-03-01T11:00:00.000Z from the log log, up to position 0042.',
  );
});

test('a consent is told as it was given, and nothing in it moves the cursor or passes for a line of the answer', () => {
  const consent = {
    source: 'form\u001b[2J',
    statement: 'Yes,\n\n  ¡sí! \u202eevil\r\n2026-03-01  By admin',
    ip: '203.0.113.7',
  };
  const lines = [
    'source form\\u001b[2J, ip 203.0.113.7',
    '| Yes,',
    '| ',
    '|   ¡sí! \\u202eevil\\u000d',
    '| 2026-03-01  By admin',
  ];
  expect(consentInWords(consent, 'ContactSubscribed')).toEqual(lines);
  const basisOf = (type: string) => consentInWords({ legal_basis: 'consent' }, type);
  expect([basisOf('ConsentRecorded'), basisOf('ContactUnsubscribed')]).toEqual([
    ['legal_basis consent'],
    ['legal_basis that it concerns consent'],
  ]);
  const options = { titles: ['TIME', 'WHAT'], width: undefined, emphasise: (text: string) => text };
  expect(table([['now', lines]], options)).toBe(
    [
      'TIME  WHAT',
      `now   ${lines[0]}`,
      '      | Yes,',
      '      |',
      ...lines.slice(3).map((line) => `      ${line}`),
      '',
    ].join('\n'),
  );
});
