/** For tests of time itself, and for doubles that take their time. All else waits for a condition: `eventually`, or vi.waitUntil. */
// eslint-disable-next-line no-restricted-imports -- the one place that waits for time; a test that imports it says why
export { setTimeout as realTime } from 'node:timers/promises';
