/** Alarms, dashboard and documents name the metrics that there are. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(file, 'utf8');
const operations = read('docs/operations.md');
const alerts = read('deploy/prometheus/alerts.yml');
const dashboard = read('deploy/grafana/audience.json');

const namesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].map(([, name = '']) => name));

const counted = namesIn(
  readdirSync('src/metrics')
    .map((file) => read(`src/metrics/${file}`))
    .join('\n'),
  /name: '(audience_\w+)'/g,
);
/** A histogram has these series. */
const withoutSuffix = (name: string): string => (counted.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/, ''));

test.each([
  ['the alarms', alerts],
  ['the dashboard', dashboard],
])('%s name metrics that the service has', (_, text) => {
  const named = [...namesIn(text, /\b(audience_\w+)/g)].map(withoutSuffix);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !counted.has(name))).toEqual([]);
});

test('the dashboard shows every metric', () => {
  const shown = new Set([...namesIn(dashboard, /\b(audience_\w+)/g)].map(withoutSuffix));
  expect([...counted].filter((name) => !shown.has(name))).toEqual([]);
});

test('the document names every metric, and no other', () => {
  expect([...namesIn(operations, /`(audience_\w+)`/g)].sort()).toEqual([...counted].sort());
});

test('each alarm has a paragraph, and each paragraph its alarm', () => {
  const alarms = [...namesIn(alerts, /alert: (\w+)/g)];
  expect(alarms.length).toBeGreaterThan(10);
  expect([...namesIn(operations, /^- \*\*(Audience\w+)\*\*/gm)]).toEqual(alarms);
});

test('each alarm has a test that makes its trouble', () => {
  const tests = read('test/e2e/alarms.test.ts') + read('test/e2e/alarms.long.test.ts');
  const tested = namesIn(tests, /\b(?:fires|firing)\('(\w+)'/g);
  expect([...tested].sort()).toEqual([...namesIn(alerts, /alert: (\w+)/g)].sort());
});
