/** `audience migrate` as its users run it: folders, exit codes, words, JSON, and a kill at any moment. */
import { Database } from '../../src/sqlite/database.js';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Progress } from '../../src/flow/progress.js';
import { runMigration } from '../../src/copy/copy.js';
import { openDataFolder } from '../../src/stores/data-folder.js';
import { usually } from '../support/amount.js';
import type { Ended } from '../support/audience.js';
import { eventLogChild, startChild } from '../support/event-log.js';
import {
  addressOf,
  eventsFileOf,
  eventsInFolder,
  fill,
  kept,
  logId,
  migrate,
  newFolder,
  openFolder,
  quickly,
  randomFrom,
  secretOfLog,
  startMigrate,
} from '../support/migrating.js';
import { eventually, runToExit, startService } from '../support/service.js';

const originals = mkdtempSync(path.join(tmpdir(), 'migrate-'));
afterAll(() => rmSync(originals, { recursive: true, force: true }));

/** A copy of the log with about so many events: each amount is another log. */
async function filledFolder(events = 150): Promise<string> {
  const original = path.join(originals, String(events));
  if (!existsSync(original)) {
    mkdirSync(original);
    const store = await openFolder(original);
    await fill(store, events);
    await store.close();
    writeFileSync(path.join(original, 'secret'), `${secretOfLog}\n`);
  }
  const folder = newFolder();
  cpSync(original, folder, { recursive: true });
  return folder;
}

const inNewFolder = (name: string): string => path.join(newFolder(), name);
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('the command line', () => {
  test('--help says what it does, with examples', async () => {
    const { code, out, err } = await migrate(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain("audience migrate --from ./data --to 'esdb://");
    expect(out).toContain('Stop the service first');
    for (const option of ['--from', '--to', '--prefix', '--dry-run', '--json']) expect(out).toContain(option);
  });

  test.each([
    [[], "Required option '--from <log>' not specified"],
    [['--from', './data'], "Required option '--to <log>' not specified"],
    [['--from', './data', '--to', 'mongodb://ada:lovelace@h'], '--to must be a data folder or an address'],
    [['--from', './data', '--to', './b', '--prefix', 'a b'], '--prefix must be'],
    [['--from', './data', '--to', './b', '--fast'], '--fast'],
    [['--from', './data', '--to', './b', 'esdb://ada:lovelace@h'], 'Too many arguments'],
  ])('%j is a mistake: exit code 2, and nothing secret is shown', async (words, reason) => {
    const { code, out, err } = await migrate(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(reason);
    expect(err).toContain('audience --help');
    expect(err).not.toContain('lovelace');
  });

  test('a wrong EVENTSTORE_PREFIX is a mistake, too', async () => {
    const { code, err } = await migrate(['--from', './a', '--to', './b'], { EVENTSTORE_PREFIX: 'a b' });
    expect(code).toBe(2);
    expect(err).toContain('EVENTSTORE_PREFIX must be');
  });
});

describe('from folder to folder', () => {
  test('copies, compares and tells where the secret is', async () => {
    const from = await filledFolder();
    const to = inNewFolder('copy');
    const { code, out, err } = await migrate(['--from', from, '--to', to]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('The two logs are identical.');
    expect(out).toContain(logId);
    expect(out).toContain(`Set SECRET to the content of ${from}/secret, or write that into ${to}/secret`);
    expect(out).not.toContain(secretOfLog);
    expect(kept(await eventsInFolder(to))).toEqual(kept(await eventsInFolder(from)));
    expect(statSync(to).mode & 0o777).toBe(0o700);
    expect(statSync(eventsFileOf(to)).mode & 0o777).toBe(0o600);
  });

  test('--json is one object, and a second run finds nothing left to do', async () => {
    const from = await filledFolder();
    const events = (await eventsInFolder(from)).length;
    const to = inNewFolder('copy');
    const first = await migrate(['--from', from, '--to', to, '--json'], { SECRET: secretOfLog });
    expect(first.code).toBe(0);
    const report = json(first.out);
    expect(report).toMatchObject({
      outcome: 'identical',
      from,
      to,
      dry_run: false,
      log_id: logId,
      source_state: 'still',
      already_there: 0,
      copied: events,
      source: { events },
      target: { events },
      difference: null,
    });
    expect(report['source']).toEqual(report['target']);
    expect(report['advice']).toContain('SECRET, as it is set here');
    const second = await migrate(['--from', from, '--to', to, '--json']);
    expect(second.code).toBe(0);
    expect(json(second.out)).toMatchObject({ outcome: 'identical', already_there: events, copied: 0 });
  });

  test('--dry-run counts and writes nothing', async () => {
    const from = await filledFolder();
    const to = inNewFolder('copy');
    const { code, out } = await migrate(['--from', from, '--to', to, '--dry-run', '--json']);
    expect(code).toBe(0);
    const events = (await eventsInFolder(from)).length;
    expect(json(out)).toMatchObject({
      outcome: 'checked',
      dry_run: true,
      already_there: 0,
      copied: 0,
      to_copy: events,
    });
    expect(existsSync(to)).toBe(false);
  });

  test.each([true, false])(
    'a target with another log is refused by its first event (dry run: %s)',
    async (isDryRun) => {
      const from = await filledFolder(50);
      const to = await filledFolder(100);
      const before = await eventsInFolder(to);
      const { code, out, err } = await migrate([
        '--from',
        from,
        '--to',
        to,
        '--json',
        ...(isDryRun ? ['--dry-run'] : []),
      ]);
      expect(code).toBe(1);
      expect(json(out)).toMatchObject({ error: { type: 'refused' } });
      expect(err).toMatch(/the target holds something else; nothing was written\. Event 1 differs in id/);
      expect(await eventsInFolder(to)).toEqual(before);
    },
  );

  test('a source without a log is refused, and none is made there', async () => {
    const from = newFolder();
    const { code, err } = await migrate(['--from', from, '--to', inNewFolder('copy')]);
    expect(code).toBe(1);
    expect(err).toContain(`there is no event log in ${from}`);
    expect(readdirSync(from)).toEqual([]);
  });

  test('a file that is no log of this service is refused and left as it is', async () => {
    const from = newFolder();
    writeFileSync(eventsFileOf(from), '');
    const { code, err } = await migrate(['--from', from, '--to', inNewFolder('copy')]);
    expect(code).toBe(1);
    expect(err).toContain('is not an event log of this service');
    expect(statSync(eventsFileOf(from)).size).toBe(0);
  });

  test('one folder under two names is one log', async () => {
    const from = await filledFolder(50);
    mkdirSync(path.join(from, 'x'));
    const { code, err } = await migrate(['--from', from, '--to', `${from}/x/..`]);
    expect(code).toBe(1);
    expect(err).toContain('are the same log');
  });

  test('a secret in the target that is not that of the log is named', async () => {
    const from = await filledFolder(50);
    const to = newFolder();
    writeFileSync(path.join(to, 'secret'), 'another secret, long enough for anybody');
    const { code, out } = await migrate(['--from', from, '--to', to]);
    expect(code).toBe(0);
    expect(out).toContain(`The file ${to}/secret does not belong to this log and must be replaced.`);
  });
});

test('a log is copied without its secret, and the advice names the file that the secret goes to', async () => {
  const from = await filledFolder(50);
  rmSync(path.join(from, 'secret'));
  const to = inNewFolder('copy');
  const { code, out } = await migrate(['--from', from, '--to', to], {
    SECRET: 'another secret, long enough for anybody',
  });
  expect(code).toBe(0);
  expect(out).toContain(`Set SECRET to it, or write that into ${to}/secret (readable by its owner only).`);
  expect(kept(await eventsInFolder(to))).toEqual(kept(await eventsInFolder(from)));
});

describe('a log in use', () => {
  test('a target with a running service is refused in words', async () => {
    const from = await filledFolder(50);
    const to = newFolder();
    const holder = startChild(process.execPath, eventLogChild, 'hold', eventsFileOf(to));
    await holder.until((lines) => lines.some(({ open }) => open));
    const { code, err } = await migrate(['--from', from, '--to', to]);
    expect(code).toBe(1);
    expect(err).toContain(`is running on ${to}. Stop it`);
  });

  test('a source with a running service is refused in words, and nothing is written; a dry run says so', async () => {
    const from = await filledFolder(50);
    const to = inNewFolder('copy');
    const holder = startChild(process.execPath, eventLogChild, 'hold', eventsFileOf(from));
    await holder.until((lines) => lines.some(({ open }) => open));
    const refused = await migrate(['--from', from, '--to', to]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(`is running on ${from}. Stop it`);
    const dry = await migrate(['--from', from, '--to', to, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.out).toContain('A service is running on the source');
    expect(existsSync(to)).toBe(false);
  });

  test('while it is copied no service can start on the source', async () => {
    const from = await filledFolder(50);
    let isRefused = false;
    const result = await runMigration(
      { from: addressOf(from), to: addressOf(inNewFolder('copy')), isDryRun: false },
      quickly({
        // The lock is taken before the first event is read.
        report: once(
          ({ phase }) => phase === 'reading the source',
          () => {
            isRefused = isLocked(from);
          },
        ),
      }),
    );
    expect(isRefused).toBe(true);
    expect(result.outcome).toBe('identical');
    expect(isLocked(from)).toBe(false);
  });
});

function once(when: (progress: Progress) => boolean, action: () => void): (progress: Progress) => void {
  let isDone = false;
  return (progress) => {
    if (isDone || !when(progress)) return;
    isDone = true;
    action();
  };
}

function isLocked(folder: string): boolean {
  const lock = new Database(eventsFileOf(folder).replace(/\.db$/, '.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}

test('a target that is altered between copy and comparison is found', async () => {
  const from = await filledFolder(100);
  const to = newFolder();
  const total = (await eventsInFolder(from)).length;
  const result = await runMigration(
    { from: addressOf(from), to: addressOf(to), isDryRun: false },
    quickly({
      report: once(
        ({ phase, done }) => phase === 'copying' && done === total,
        () => {
          const file = new Database(eventsFileOf(to));
          file.prepare(`update events set data = '{}' where position = 42`).run();
          file.close();
        },
      ),
    }),
  );
  expect(result.outcome).toBe('differs');
  expect(result.comparison?.difference).toMatch(/^event 42, .*has other data/);
});

describe('a run that does not come to its end', () => {
  const countIn = (folder: string): number => {
    if (!existsSync(eventsFileOf(folder))) return 0;
    const file = new Database(eventsFileOf(folder), { access: 'read' });
    try {
      return file.prepareValue('select count(*) from events').get() as number;
    } catch {
      // The tables come a moment after the file.
      return 0;
    } finally {
      file.close();
    }
  };

  test('killed at random moments, the same command goes on, and the copy is whole', async () => {
    const from = await filledFolder(usually(3_000, 6_000));
    const total = countIn(from);
    const to = inNewFolder('copy');
    const random = randomFrom(11);
    for (let kills = 0; kills < usually(1, 4);) {
      const enough = countIn(to) + 1 + Math.floor(random() * 700);
      const run = startMigrate(['--from', from, '--to', to]);
      await eventually(async () => (countIn(to) >= Math.min(enough, total) ? true : undefined));
      run.child.kill('SIGKILL');
      await run.ended;
      // On a busy machine a copy may be whole before this process looks: then another one is made.
      if (countIn(to) < total) kills += 1;
      else rmSync(to, { recursive: true, force: true });
    }
    const last = await migrate(['--from', from, '--to', to, '--json']);
    expect(last.code).toBe(0);
    expect(json(last.out)).toMatchObject({ outcome: 'identical', target: { events: total } });
  }, 60_000);

  test('SIGTERM stops it in order: exit code 143, and it says that it goes on', async () => {
    const from = await filledFolder(usually(3_000, 6_000));
    const stopped = async (to: string): Promise<Ended> => {
      const run = startMigrate(['--from', from, '--to', to, '--json']);
      await eventually(async () => (countIn(to) > 100 ? true : undefined));
      run.child.kill('SIGTERM');
      const ended = await run.ended;
      // It was done before the signal came.
      return ended.code === 0 ? stopped(inNewFolder('copy')) : ended;
    };
    const to = inNewFolder('copy');
    const { code, out, err } = await stopped(to);
    expect({ code, out }).toEqual({ code: 143, out: '' });
    expect(err).toContain('The same command again goes on');
    expect(isLocked(to)).toBe(false);
  });
});

test('a service that moves to another folder answers as before, with its secret and not without it', async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const list = await service.make('/v1/lists/create', { list_name: 'Movers' }, 'list_id');
  const before = (await service.get('/v1/lists')).body;
  await service.kill('SIGTERM');
  const to = inNewFolder('moved');
  expect((await migrate(['--from', service.dataDir, '--to', to])).code).toBe(0);
  const secret = openDataFolder(service.dataDir).secret();
  expect((await runToExit(to, {})).output).toContain('the event log was begun with one');
  const moved = await startService({ dataDir: to, env: { SECRET: secret, API_KEYS: `test:${service.key}` } });
  onTestFinished(() => moved.close());
  const answer = await moved.get('/v1/lists', { authorization: `Bearer ${service.key}` });
  expect(answer.body).toEqual(before);
  expect(answer.text).toContain(list);
});
