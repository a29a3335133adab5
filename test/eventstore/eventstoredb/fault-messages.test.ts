/** How the EventStoreDB adapter reads the messages of failed calls, which differ between versions of the server. */
import { expect, it } from 'vitest';
import { isNoRecord } from '../../../src/eventstore/eventstoredb/faults.js';

it.each([
  ['EventStoreDB 23.10', '2 UNKNOWN: Unexpected ReadAllResult: Error'],
  ['KurrentDB 26.1', '2 UNKNOWN: Unexpected ReadAllResult: InvalidPosition >> no record begins at 42'],
  ['KurrentDB 26.1', '2 UNKNOWN: Unexpected ReadAllResult: Error >> no record begins at 42'],
])('recognizes a read at an invalid position in the wording of %s: %s', (_server, message) => {
  expect(isNoRecord(new Error(message))).toBe(true);
});

it.each([
  '2 UNKNOWN: Unexpected ReadAllResult: AccessDenied',
  '2 UNKNOWN: Unexpected ReadAllResult: ErrorOfAnotherKind',
  '2 UNKNOWN: Unexpected ReadStreamResult: Error',
  '14 UNAVAILABLE: Server Is Not Ready',
])('does not take another failure for a read at an invalid position: %s', (message) => {
  expect(isNoRecord(new Error(message))).toBe(false);
});
