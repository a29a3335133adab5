/** Figures of the service as the console reads them. */
import { expect, test } from 'vitest';
import { parseFigures, sampleOf } from '../../console/figures-text.js';

const text = (start: number, requests: number): string =>
  [
    '# HELP audience_x Requests.',
    `audience_process_start_time_seconds ${start}`,
    `audience_x_count{route="/v1/lists",code="200"} ${requests}`,
    `audience_x_count{route="a\\"b{c=\\"d\\"}",code="404"} 2`,
    'audience_lag 1.5e-3',
    '',
  ].join('\n');

test('labels are read as they are escaped, and lines that say nothing are left out', () => {
  const series = parseFigures(text(1, 7));
  expect(series).toHaveLength(4);
  expect(series[2]).toEqual({ name: 'audience_x_count', labels: { route: 'a\\"b{c=\\"d\\"}', code: '404' }, value: 2 });
});

test('sums are over the series that match, growth is since the look before', () => {
  const before = { at: 0, series: parseFigures(text(1, 7)) };
  const sample = sampleOf({ at: 5_000, series: parseFigures(text(1, 10)) }, before);
  expect(sample.seconds).toBe(5);
  expect(sample.sum('audience_x_count')).toBe(12);
  expect(sample.sum('audience_x_count', { code: /^4/ })).toBe(2);
  expect(sample.sum('audience_lag')).toBe(0.0015);
  expect(sample.sum('audience_none')).toBeUndefined();
  expect(sample.values('audience_x_count', 'code')).toEqual(['200', '404']);
  expect(sample.growth('audience_x_count', { code: '200' })).toBe(3);
});

test('after a restart nothing has grown: the counters began again', () => {
  const before = { at: 0, series: parseFigures(text(1, 7)) };
  expect(sampleOf({ at: 5_000, series: parseFigures(text(2, 1)) }, before).growth('audience_x_count')).toBeUndefined();
});
