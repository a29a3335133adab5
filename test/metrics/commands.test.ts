/** The metrics of a command handler: commands, appends and conflicts. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listDecider } from '../../src/commands/catalogue.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { createObserve } from '../../src/flow/observe.js';
import { createMetrics } from '../../src/metrics/metrics.js';
import { exampleSalt } from '../support/examples.js';

async function counting() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'counted-'));
  const metrics = createMetrics();
  const observe = createObserve([metrics.listener]);
  const store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now, observe });
  onTestFinished(async () => {
    metrics.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const newLists = () =>
    createCommandHandler({
      store,
      decider: listDecider,
      sources: { now: Date.now, newEventId: randomUUID, newSalt: () => exampleSalt },
      random: Math.random,
      sleep: () => nextTurn(),
      cacheSize: 10,
      observe,
    });
  const correlationId = randomUUID();
  const context = { correlationId, causationId: correlationId, requestId: 'a request', actor: 'test' };
  const create = (name: string) => ({
    stream: 'lists',
    command: { type: 'Create', id: randomUUID(), name } as const,
    context,
  });
  return {
    newLists,
    create,
    store,
    /** Returns the series of these metrics as Prometheus reads them. */
    async series(names: RegExp): Promise<readonly string[]> {
      const { text } = await metrics.read('prometheus');
      return text.split('\n').filter((line) => !line.startsWith('#') && names.test(line));
    },
  };
}

test('counts commands by outcome, appends, transactions and events', async () => {
  const { newLists, create, series } = await counting();
  const lists = newLists();
  await lists.execute(create('first'));
  await lists.execute(create('second'));
  await expect(lists.execute(create('first'))).rejects.toMatchObject({ code: 'duplicate_list_name' });
  expect(await series(/_commands_total|_appends_total|_events_appended|_commit_seconds_count/)).toEqual([
    'audience_commands_total{outcome="changed"} 2',
    'audience_commands_total{outcome="refused"} 1',
    'audience_appends_total 2',
    'audience_events_appended_total{type="ListCreated"} 2',
    'audience_log_commit_seconds_count 2',
  ]);
});

test('counts a conflict with what another process wrote, and the append that follows once', async () => {
  const { newLists, create, series } = await counting();
  const lists = newLists();
  await lists.execute(create('first'));
  await newLists().execute(create('of another process'));
  await lists.execute(create('second'));
  expect(await series(/_conflicts_total|_appends_total/)).toEqual([
    'audience_version_conflicts_total 1',
    'audience_appends_total 3',
  ]);
});

test('counts no outcome of a command that fails because of the store', async () => {
  const { newLists, create, store, series } = await counting();
  await store.close();
  await expect(newLists().execute(create('first'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(await series(/_commands_total|_appends_total|_events_appended/)).toEqual(['audience_appends_total 0']);
});
