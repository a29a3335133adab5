/** For tests of time itself, and for doubles that take their time. All else waits for a condition: `eventually`, or vi.waitUntil. */
// eslint-disable-next-line no-restricted-imports
export { setTimeout as realTime } from 'node:timers/promises';
