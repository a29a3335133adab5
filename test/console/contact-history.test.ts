/** What the page of a contact makes of a history: moments, and the refusals of mail at a time. */
import { expect, test } from 'vitest';
import { activeAt } from '../../console/views/contact/active-at.js';
import { countUntil, momentsOf, type Item } from '../../console/views/contact/moments.js';
import {
  activeAfter,
  suppressionReasons,
  type Suppression,
  type SuppressionEvent,
} from '../../src/events/suppressions.js';

const timeOf = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const item = (position: number, second: number, extra: Partial<Item> = {}): Item => ({
  kind: 'unreadable',
  unreadable: true,
  event_id: String(position),
  type: 'ContactProfileChanged',
  at: timeOf(second),
  summary: '',
  stream: 'contact',
  revision: position,
  position: String(position),
  contact_id: null,
  data: null,
  ...(extra as object),
});

test('events of one millisecond are one moment, moments are in the order of time, and e-mails are none', () => {
  const moments = momentsOf([
    item(1, 5),
    item(2, 5),
    item(3, 3),
    item(4, 7, { email: { email_id: 'eml_1', subject: null } }),
    item(5, 9),
  ]);
  const seen = moments.map(({ at, items }) => [at, items.map(({ position }) => position)]);
  expect(seen).toEqual([
    [timeOf(3), ['3']],
    [timeOf(5), ['1', '2']],
    [timeOf(9), ['5']],
  ]);
  expect([2, 3, 5, 8, 9].map((second) => countUntil(moments, timeOf(second)))).toEqual([0, 1, 2, 2, 3]);
});

type Event = Extract<SuppressionEvent, { type: 'AddressSuppressed' | 'AddressReleased' }>;

test('refusals of mail at a time are those that the service folds up to it', () => {
  const scopes = ['all', 'lst_1', 'lst_2'];
  const events = Array.from({ length: 60 }, (_, index): Event => {
    const scope = scopes[(index * 7) % 3] ?? 'all';
    const reason = suppressionReasons[(index * 3) % suppressionReasons.length] ?? 'manual';
    if (index % 4 !== 3) return { type: 'AddressSuppressed', data: { scope, reason } };
    return { type: 'AddressReleased', data: { scope, reason: index % 16 === 15 ? 'forgotten' : 'asked' } };
  });
  const history = events.map(({ type, data: { scope, reason } }, second) => ({
    ...{ type, scope, reason, at: timeOf(second) },
    ...{ email_id: null, by: null, note: null, ip: null, actor: 'shop', request_id: '1', event_id: '1', position: '1' },
  }));
  let active: readonly Suppression[] = [];
  for (const [second, event] of events.entries()) {
    active = activeAfter(active, event, timeOf(second));
    expect(activeAt(history, timeOf(second))).toEqual(active);
  }
  expect(activeAt(history, timeOf(-1))).toEqual([]);
});
