/** Migrating into an EventStoreDB and back: what comes back is, byte for byte, what went in. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDataFolder } from '../../src/stores/data-folder.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { logOn, onRealServer, patientMs } from './eventstoredb-log.js';
import { noMongo, openTestDatabase, testMongoUrl } from '../support/mongodb.js';
import { newPrefix } from '../support/eventstoredb-server.js';
import { startStandIn, type StandIn } from '../eventstoredb/stand-in/stand-in.js';
import {
  anEvent,
  copyLog,
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
  newLog,
} from '../support/migrating.js';
import { eventually, startService, type Service } from '../support/service.js';

const inNewFolder = (name: string): string => path.join(newFolder(), name);
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

async function filledFolder(events: number): Promise<string> {
  const folder = newFolder();
  const store = await openFolder(folder);
  await fill(store, events);
  await store.close();
  return folder;
}

onRealServer('migrates there and back', migrations);

describe('on the stand-in', { timeout: patientMs }, () => {
  let server: StandIn;
  beforeAll(async () => {
    server = await startStandIn();
  });
  afterAll(() => server.close());

  migrations(() => server.url);

  test('appends that are lost, late, refused or cut off on the way are repeated, and nothing is doubled', async () => {
    const source = await newLog();
    const events = await fill(source, 300);
    const prefix = newPrefix();
    const target = openEventStoreDb({ url: server.url, prefix, timings: { appendMs: 250, silenceMs: 500 } });
    onTestFinished(() => target.close());
    const faults = [
      { kind: 'append', type: 'lost_reply', times: 3 },
      { kind: 'append', type: 'hang', written: true, times: 2 },
      { kind: 'append', type: 'hang', times: 2 },
      { kind: 'append', type: 'reset', times: 2 },
      { kind: 'append', type: 'not_ready', times: 2 },
      { kind: 'append', type: 'not_leader', times: 2 },
      { kind: 'append', type: 'too_busy', times: 1 },
      { kind: 'read', type: 'reset', afterEvents: 1, times: 1 },
    ] as const;
    const injected = faults.map((fault) => server.inject({ ...fault, match: isOurs(prefix) }));
    let restart: Promise<void> | undefined;
    const report = ({ done }: { readonly done: number }): void => {
      if (done > 150) restart ??= server.stop({ hanging: 'written' }).then(() => server.start());
    };
    const retry = { timeoutMs: 20_000, longestPauseMs: 1_000 };
    const signal = new AbortController().signal;
    await copyLog({ source, target, total: events.length, appendsAtOnce: 1, retry, signal, report });
    await restart;
    expect(injected.map(({ hits }) => hits)).toEqual(faults.map(({ times }) => times));
    const copied = server.events(prefix).map((event) => ({ ...event, stream: event.stream.slice(prefix.length) }));
    expect(copied).toEqual(kept(events));
  });

  test('a server that is starting is waited for', async () => {
    const from = await filledFolder(30);
    const { words } = logOn(server.url);
    const starting = server.inject({ kind: 'any', type: 'not_ready', times: 4 });
    const { code, err } = await migrate(['--from', from, '--to', server.url, ...words]);
    expect(code, err).toBe(0);
    expect(starting.hits).toBe(4);
  });

  test('wrong credentials are refused at once', async () => {
    const from = await filledFolder(30);
    const { words } = logOn(server.url);
    const fault = server.inject({ kind: 'read', type: 'unauthenticated' });
    const { code, err } = await migrate(['--from', from, '--to', server.url, ...words]);
    fault.clear();
    expect(code).toBe(1);
    expect(err).toMatch(/^Refused: EventStoreDB: .*(access-denied|UNAUTHENTICATED)/);
  });

  test('a server that restarts in the middle is waited for', async () => {
    const from = await filledFolder(1_500);
    const { prefix, words } = logOn(server.url);
    const run = startMigrate(['--from', from, '--to', server.url, ...words]);
    await eventually(async () => (server.events(prefix).length > 100 ? true : undefined));
    await server.stop();
    await server.start();
    const { code, out, err } = await run.ended;
    expect(code, err).toBe(0);
    expect(out).toContain('The two logs are identical.');
  });
});

/** Reads of the whole log are asked for under the name $all. */
const isOurs = (prefix: string) => (stream: string) => stream.startsWith(prefix) || stream === '$all';

function migrations(urlOf: () => string): void {
  test('there and back, the log is the same, and so are the digests', async () => {
    const from = await filledFolder(400);
    const events = kept(await eventsInFolder(from));
    const { store, words } = logOn(urlOf());
    // Other people's events on the same server do not belong to the log.
    const neighbour = logOn(urlOf());
    await neighbour.store.append('service', [initialised()], { expectedRevision: 'no_stream' });

    const there = await migrate(['--from', from, '--to', urlOf(), '--json', ...words]);
    expect(there.code, there.err).toBe(0);
    expect(json(there.out)).toMatchObject({ outcome: 'identical', copied: events.length, source_state: 'still' });
    expect(kept(await eventsIn(store))).toEqual(events);
    await neighbour.store.append('later', [anEvent()], { expectedRevision: 'no_stream' });

    const to = inNewFolder('back');
    const back = await migrate(['--from', urlOf(), '--to', to, '--json', ...words], { SECRET: secretOfLog });
    expect(back.code, back.err).toBe(0);
    expect(json(back.out)).toMatchObject({ outcome: 'identical', copied: events.length, source_state: 'unknown' });
    expect(json(back.out)['target']).toEqual(json(there.out)['source']);
    expect(kept(await eventsInFolder(to))).toEqual(events);
  });

  test('killed on the way, the same command goes on', async () => {
    const from = await filledFolder(1_500);
    const total = (await eventsInFolder(from)).length;
    const { store, words } = logOn(urlOf());
    // Where the log will begin: not to read a whole server at every look.
    const neighbour = logOn(urlOf());
    const { position } = await neighbour.store.append('before', [anEvent()], { expectedRevision: 'no_stream' });
    const copied = async (): Promise<number> => (await eventsIn(store, position)).length;
    const command = ['--from', from, '--to', urlOf(), '--json', ...words];
    for (const enough of [50, 300]) {
      const run = startMigrate(command);
      await eventually(async () => ((await copied()) >= enough ? true : undefined), { within: 60_000 });
      run.child.kill('SIGKILL');
      await run.ended;
    }
    const before = await copied();
    expect(before).toBeLessThan(total);
    const last = await migrate(command);
    expect(last.code, last.err).toBe(0);
    const report = json(last.out);
    expect(report['outcome']).toBe('identical');
    // The killed run's last append may have arrived since.
    expect(report['already_there']).toBeGreaterThanOrEqual(before);
    expect(Number(report['already_there']) + Number(report['copied'])).toBe(total);
  });

  test('a service that moves to the server and back answers as before, and keeps what was written on the server', async ({
    skip,
  }) => {
    if (testMongoUrl === undefined) return skip(noMongo);
    const at = (service: Service) => async (target: string) =>
      (await service.get(target, { authorization: `Bearer ${embedded.key}` })).body;
    const embedded = await startService();
    onTestFinished(() => embedded.close());
    await embedded.make('/v1/lists/create', { list_name: 'Movers' }, 'list_id');
    const before = await at(embedded)('/v1/lists');
    await embedded.kill('SIGTERM');
    const secret = openDataFolder(embedded.dataDir).secret();

    const { prefix, words } = logOn(urlOf());
    const there = await migrate(['--from', embedded.dataDir, '--to', urlOf(), ...words]);
    expect(there.code, there.err).toBe(0);
    expect(there.out).toContain(`${embedded.dataDir}/secret`);
    const env = { SECRET: secret, API_KEYS: `test:${embedded.key}` };
    const database = openTestDatabase(testMongoUrl);
    onTestFinished(() => database.close());
    const onServer = { ...env, EVENTSTORE_URL: urlOf(), EVENTSTORE_PREFIX: prefix, MONGODB_URL: database.url };
    const moved = await startService({ env: onServer });
    onTestFinished(() => moved.close());
    expect(await at(moved)('/v1/lists')).toEqual(before);
    const tag = { tag_name: 'Meanwhile' };
    const headers = { authorization: `Bearer ${embedded.key}` };
    expect((await moved.post('/v1/tags/create', tag, headers)).status).toBe(200);
    const meanwhile = await at(moved)('/v1/tags');
    await moved.kill('SIGTERM');

    const to = inNewFolder('back');
    const back = await migrate(['--from', urlOf(), '--to', to, ...words], { SECRET: secret });
    expect(back.code, back.err).toBe(0);
    const again = await startService({ dataDir: to, env });
    onTestFinished(() => again.close());
    expect(await at(again)('/v1/lists')).toEqual(before);
    expect(await at(again)('/v1/tags')).toEqual(meanwhile);
  });

  test('a log that holds something else is refused and left as it is', async () => {
    const from = await filledFolder(50);
    const { store, words } = logOn(urlOf());
    await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
    const { code, err } = await migrate(['--from', from, '--to', urlOf(), ...words]);
    expect(code).toBe(1);
    expect(err).toContain('the target holds something else; nothing was written. Event 1 differs in id');
    expect(await eventsIn(store)).toHaveLength(1);
  });

  test('--dry-run writes nothing on the server, and no password is shown', async () => {
    const from = await filledFolder(50);
    const { store, words } = logOn(urlOf());
    const withPassword = urlOf().replace('://', '://admin:lovelace@');
    const { code, out, err } = await migrate(['--from', from, '--to', withPassword, '--dry-run', ...words]);
    expect(code, err).toBe(0);
    expect(out).toContain('nothing stands in the way');
    expect(out + err).not.toContain('lovelace');
    expect(await eventsIn(store)).toEqual([]);
  });

  test('nothing under this prefix is said in words, and no folder is made', async () => {
    const { words } = logOn(urlOf());
    const to = inNewFolder('back');
    const { code, err } = await migrate(['--from', urlOf(), '--to', to, ...words]);
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
