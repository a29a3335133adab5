/** Migrating into an EventStoreDB and back: what comes back is, byte for byte, what went in. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../support/eventstoredb-server.js';
import {
  anEvent,
  eventsIn,
  eventsInFolder,
  fill,
  initialised,
  kept,
  migrate,
  newFolder,
  openFolder,
  secretOfLog,
  startMigrate,
} from '../support/migrating.js';
import { eventually } from '../support/service.js';

const inNewFolder = (name: string): string => path.join(newFolder(), name);
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

async function filledFolder(events: number): Promise<string> {
  const folder = newFolder();
  const store = await openFolder(folder);
  await fill(store, events);
  await store.close();
  return folder;
}

/** Every look at a log reads the whole server, which may hold much of others. */
const patientMs = 120_000;

/** A log of its own on the server, which goes away with the test. */
function logOn(url: string) {
  const prefix = newPrefix();
  const store = openEventStoreDb({ url, prefix });
  onTestFinished(async () => {
    await store.close();
    await deletePrefix(url, prefix);
  }, patientMs);
  return { prefix, store, words: ['--prefix', prefix] };
}

describe('on a real server', { timeout: patientMs }, () => {
  if (eventStoreUrl === undefined) it('migrates there and back', (context) => context.skip(noEventStore));
  else migrations(eventStoreUrl);
});

function migrations(url: string): void {
  test('there and back, the log is the same, and so are the digests', async () => {
    const from = await filledFolder(400);
    const events = kept(await eventsInFolder(from));
    const { store, words } = logOn(url);
    // Other people's events on the same server do not belong to the log.
    const neighbour = logOn(url);
    await neighbour.store.append('service', [initialised()], { expectedRevision: 'no_stream' });

    const there = await migrate(['--from', from, '--to', url, '--json', ...words]);
    expect(there.code, there.err).toBe(0);
    expect(json(there.out)).toMatchObject({ outcome: 'identical', copied: events.length, source_state: 'still' });
    expect(kept(await eventsIn(store))).toEqual(events);
    await neighbour.store.append('later', [anEvent()], { expectedRevision: 'no_stream' });

    const to = inNewFolder('back');
    const back = await migrate(['--from', url, '--to', to, '--json', ...words], { SECRET: secretOfLog });
    expect(back.code, back.err).toBe(0);
    expect(json(back.out)).toMatchObject({ outcome: 'identical', copied: events.length, source_state: 'unknown' });
    expect(json(back.out)['target']).toEqual(json(there.out)['source']);
    expect(kept(await eventsInFolder(to))).toEqual(events);
  });

  test('killed on the way, the same command goes on', async () => {
    const from = await filledFolder(1_500);
    const total = (await eventsInFolder(from)).length;
    const { store, words } = logOn(url);
    const command = ['--from', from, '--to', url, '--json', ...words];
    for (const enough of [50, 300]) {
      const run = startMigrate(command);
      await eventually(async () => ((await eventsIn(store)).length >= enough ? true : undefined), { within: 30_000 });
      run.kill('SIGKILL');
      await run.ended;
    }
    expect((await eventsIn(store)).length).toBeLessThan(total);
    const last = await migrate(command);
    expect(last.code, last.err).toBe(0);
    const { already_there: before, copied } = json(last.out);
    expect(before).toBeGreaterThanOrEqual(300);
    expect(Number(before) + Number(copied)).toBe(total);
  });

  test('a log that holds something else is refused and left as it is', async () => {
    const from = await filledFolder(50);
    const { store, words } = logOn(url);
    await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
    const { code, err } = await migrate(['--from', from, '--to', url, ...words]);
    expect(code).toBe(1);
    expect(err).toContain('the target holds something else; nothing was written. Event 1 differs in id');
    expect(await eventsIn(store)).toHaveLength(1);
  });

  test('--dry-run writes nothing on the server, and no password is shown', async () => {
    const from = await filledFolder(50);
    const { store, words } = logOn(url);
    const withPassword = url.replace('://', '://admin:lovelace@');
    const { code, out, err } = await migrate(['--from', from, '--to', withPassword, '--dry-run', ...words]);
    expect(code, err).toBe(0);
    expect(out).toContain('nothing stands in the way');
    expect(out + err).not.toContain('lovelace');
    expect(await eventsIn(store)).toEqual([]);
  });

  test('an event that the server does not take is named before anything is written', async () => {
    const from = newFolder();
    const source = await openFolder(from);
    await source.append('service', [initialised()], { expectedRevision: 'no_stream' });
    await source.append('large', [anEvent(JSON.stringify('x'.repeat(1024 * 1024)))], { expectedRevision: 'no_stream' });
    await source.close();
    const { store, words } = logOn(url);
    const { code, err } = await migrate(['--from', from, '--to', url, ...words]);
    expect(code).toBe(1);
    expect(err).toContain('revision 0 of large');
    expect(await eventsIn(store)).toEqual([]);
  });

  test('nothing under this prefix is said in words, and no folder is made', async () => {
    const { words } = logOn(url);
    const to = inNewFolder('back');
    const { code, err } = await migrate(['--from', url, '--to', to, ...words]);
    expect(code).toBe(1);
    expect(err).toContain('the source holds no events');
    expect(existsSync(to)).toBe(false);
  });
}

describe('an address of a server', () => {
  test('that nobody answers at is refused soon, without its password', async () => {
    const from = await filledFolder(50);
    const { code, err } = await migrate(['--from', from, '--to', 'esdb://admin:lovelace@127.0.0.1:1?tls=false']);
    expect(code).toBe(1);
    expect(err).toContain('ECONNREFUSED');
    expect(err).not.toContain('lovelace');
  });

  test('that cannot be used is a mistake: exit code 2', async () => {
    const from = await filledFolder(50);
    const { code, err } = await migrate(['--from', from, '--to', 'esdb://admin:lovelace@127.0.0.1:1?color=red']);
    expect(code).toBe(2);
    expect(err).toContain('unknown option "color"');
    expect(err).not.toContain('lovelace');
  });
});
