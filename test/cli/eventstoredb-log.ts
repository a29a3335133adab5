/** Logs of the tests' own on an EventStoreDB, on a real server or on the stand-in. */
import { describe, it, onTestFinished } from 'vitest';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../support/eventstoredb-server.js';

/** Every look at a log reads the whole server, which may hold much of others. */
export const patientMs = 300_000;

/** A log of its own on the server, which goes away with the test. */
export function logOn(url: string) {
  const prefix = newPrefix();
  const store = openEventStoreDb({ url, prefix });
  onTestFinished(async () => {
    await store.close();
    // The stand-in forgets everything by itself.
    if (url === eventStoreUrl) await deletePrefix(url, prefix);
  }, patientMs);
  return { prefix, store, words: ['--prefix', prefix] };
}

/** The tests on a real server, where there is one; else `what` is skipped, with the reason. */
export function onRealServer(what: string, tests: (urlOf: () => string) => void): void {
  describe('on a real server', { timeout: patientMs }, () => {
    const url = eventStoreUrl;
    if (url === undefined) it(what, (context) => context.skip(noEventStore));
    else tests(() => url);
  });
}
