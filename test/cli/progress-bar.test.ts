/** How far it is, as people see it. */
import { expect, test } from 'vitest';
import { createProgressBar } from '../../src/cli/shared/progress-bar.js';
import { duration } from '../../src/cli/shared/numbers.js';

function shownOn(isTTY: boolean, columns = 100) {
  let now = 0;
  const written: string[] = [];
  const bar = createProgressBar({ isTTY, columns, write: (text) => written.push(text) }, () => now);
  const at = (milliseconds: number, done: number, total?: number): void => {
    now = milliseconds;
    bar.report({ phase: 'copying', done, ...(total === undefined ? {} : { total }) });
  };
  return { bar, at, written };
}

test('a terminal has one line that is written over: share, count, events a second, time left', () => {
  const { bar, at, written } = shownOn(true);
  at(0, 1_000, 5_000);
  at(50, 1_001, 5_000);
  expect(written).toEqual([]);
  at(1_000, 2_000, 5_000);
  at(2_000, 3_000, 5_000);
  expect(written).toEqual([
    '\rcopying  [#########...............]  40 %  2,000 of 5,000 events  1,000 events/s  3 s left\u001b[K',
    '\rcopying  [##############..........]  60 %  3,000 of 5,000 events  1,000 events/s  2 s left\u001b[K',
  ]);
  bar.clear();
  bar.clear();
  expect(written.slice(2)).toEqual(['\r\u001b[K']);
});

test('never wraps in a narrow terminal', () => {
  const { at, written } = shownOn(true, 40);
  at(0, 0, 5_000);
  at(1_000, 2_000, 5_000);
  expect(written).toEqual(['\rcopying  [#########...............]  40\u001b[K']);
});

test('elsewhere there is a line every five seconds, without control characters', () => {
  const { bar, at, written } = shownOn(false);
  for (let second = 0; second <= 12; second += 1) at(second * 1_000, second * 100);
  bar.clear();
  expect(written).toEqual(['copying  500 events  100 events/s\n', 'copying  1,000 events  100 events/s\n']);
});

test('durations are short to read', () => {
  const short = ['0 s', '60 ms', '4 s', '1:05 min', '1:00:00 h', '2:07:30 h'];
  expect([0, 0.06, 3.2, 65, 3_600, 7_650].map(duration)).toEqual(short);
});
