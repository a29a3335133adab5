/** The auditor knows what a plain list of what was done knows: on the command line, and on EventStoreDB over HTTP, too. */
import { serviceStream } from '../../src/eventstore/log-id.js';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deriveStreamKeys } from '../../src/events/streams.js';
import type { EventStore } from '../../src/eventstore/event-store.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { command, doAll } from '../support/audit-commands.js';
import { checkContact, checkList, questionOn } from '../support/audit-oracle.js';
import { auditedSecret, startAuditedService } from '../support/audited-service.js';
import { onCommandLine, overHttp } from '../support/auditors.js';
import { newLogFile, openLog } from '../support/event-log.js';
import { deletePrefix, eventStoreUrl, newPrefix } from '../support/eventstoredb-server.js';
import { openTestDatabase, testMongoUrl } from '../support/mongodb.js';
import { startStandIn } from '../eventstoredb/stand-in/stand-in.js';
import { toAppend } from '../support/examples.js';
import type { Overrides } from '../support/service.js';

interface Place {
  readonly store: EventStore;
  /** What leads the command line to it. */
  readonly env: Overrides;
}

async function embedded(): Promise<Place> {
  const file = newLogFile();
  const { store } = await openLog(file);
  return { store, env: { DATA_DIR: path.dirname(file) } };
}

async function onEventStoreDb(url: string, cleanup: (prefix: string) => Promise<void>): Promise<Place> {
  const prefix = newPrefix();
  const store = openEventStoreDb({ url, prefix });
  // No views are folded, so the auditor looks into the log.
  const database = openTestDatabase(testMongoUrl ?? '');
  onTestFinished(async () => {
    await database.close();
    await store.close();
    await cleanup(prefix);
  });
  // No data folder: nothing of it is needed.
  return {
    store,
    env: { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix, MONGODB_URL: database.url, DATA_DIR: '/nowhere' },
  };
}

async function standIn(): Promise<Place> {
  const server = await startStandIn();
  return onEventStoreDb(server.url, () => server.close());
}

const places: Readonly<Record<string, (() => Promise<Place>) | undefined>> = {
  'the embedded log': embedded,
  'the stand-in of EventStoreDB': testMongoUrl === undefined ? undefined : standIn,
  EventStoreDB:
    eventStoreUrl === undefined || testMongoUrl === undefined
      ? undefined
      : () => onEventStoreDb(eventStoreUrl ?? '', (prefix) => deletePrefix(eventStoreUrl ?? '', prefix)),
};

/** A log as a service begins it. */
async function begin(store: EventStore): Promise<void> {
  const log_id = randomUUID();
  const secret_fingerprint = deriveStreamKeys(auditedSecret).fingerprint(log_id);
  const event = toAppend({ type: 'ServiceInitialised', data: { log_id, secret_fingerprint } });
  await store.append(serviceStream, [event], { expectedRevision: 'no_stream' });
}

const commands = fc.array(command, { minLength: 120, maxLength: 160, size: 'max' });
const start = Date.UTC(2026, 0, 1);
/** Four processes a question. */
const askedOnCommandLine = 2;
const askedOverHttp = 8;

describe.for(Object.entries(places))('on %s', ([, open]) => {
  test('at random times the auditor knows what was done', { timeout: 180_000 }, async (context) => {
    if (open === undefined) return context.skip('needs TEST_MONGODB_URL, and a real server TEST_EVENTSTORE_URL too');
    const { store, env } = await open();
    await begin(store);
    const service = await startAuditedService({ store });
    let runs = 0;
    const random = fc.infiniteStream(fc.nat());
    const property = fc.asyncProperty(commands, random, async (given, numbers) => {
      const run = `r${(runs += 1)}`;
      const story = { ...(await doAll(service, given, { run, start })), run, start };
      const pick = (below: number): number => (numbers.next().value ?? 0) % Math.max(1, below);
      const auditor = overHttp(service);
      for (let question = 0; question < askedOverHttp; question += 1) {
        const asking = { auditor, ...questionOn(story, pick) };
        await checkContact(asking);
        await checkList(asking);
      }
      const terminal = onCommandLine({ ...env, SECRET: auditedSecret });
      for (let question = 0; question < askedOnCommandLine; question += 1) {
        const asking = { auditor: terminal, ...questionOn(story, pick) };
        await Promise.all([checkContact(asking), checkList(asking)]);
      }
    });
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
    expect(runs).toBeGreaterThan(0);
  });
});
