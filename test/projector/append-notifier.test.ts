/** Of which appends the projector is notified. */
import { expect, test } from 'vitest';
import { createAppendNotifier } from '../../src/projector/append-notifier.js';

function open() {
  const state = { notifications: 0 };
  const notifier = createAppendNotifier(() => (state.notifications += 1));
  return { ...notifier, count: () => state.notifications };
}

test('of the first append at once, and of none until it has reached that one', () => {
  const { onAppended, onReached, count } = open();
  onAppended('01');
  expect(count()).toBe(1);
  for (const position of ['02', '03', '04']) onAppended(position);
  expect(count()).toBe(1);
  // At its report it is notified of what was appended meanwhile, once.
  onReached('01');
  expect(count()).toBe(2);
  onReached('03');
  expect(count()).toBe(2);
  onReached('04');
  expect(count()).toBe(2);
  onAppended('05');
  expect(count()).toBe(3);
});

test('of nothing that it has found by itself', () => {
  const { onAppended, onReached, count } = open();
  onReached('');
  onReached('02');
  onAppended('01');
  onAppended('02');
  expect(count()).toBe(0);
});

test('once more after a restart: the notification before may be lost', () => {
  const { onAppended, onReached, onRestart, count } = open();
  onAppended('01');
  onRestart();
  onReached('');
  expect(count()).toBe(2);
  onAppended('02');
  expect(count()).toBe(2);
});
