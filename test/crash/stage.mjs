/** What the rounds on one data folder share: the folder, the running service, the journal of its clients and the SMTP server. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkOutput } from './check-output.mjs';
import { furnish } from './furnish.mjs';
import { createJournal } from './journal.mjs';
import { createLog } from './log.mjs';
import { startLoad } from './mix.mjs';
import { launch } from './service.mjs';
import { startSmtp } from './smtp.mjs';
import { createWorld } from './world.mjs';

/** Longer than any start should take, so that a slow one is told from none. */
const startLimitMs = 60_000;

export async function createStage({ dist, options, random }) {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'audience-crash-'));
  const key = randomBytes(24).toString('base64url');
  const smtp = options.email ? await startSmtp(random) : undefined;
  const journal = createJournal();
  const world = createWorld();
  const { deriveStreamKeys } = await import(pathToFileURL(path.join(dist, 'events', 'streams.js')).href);
  let run;
  let url;
  let problems = [];

  function ended(exit) {
    problems.push(...checkOutput(exit).problems);
    run = undefined;
    return exit;
  }

  const stage = {
    options,
    random,
    dist,
    dataDir,
    journal,
    key,
    log: createLog(path.join(dataDir, 'events.db')),
    accepted: smtp?.accepted ?? new Map(),
    /** Milliseconds that the last whole start took. */
    startMs: 300,
    url: () => url,
    keys: () => deriveStreamKeys(readFileSync(path.join(dataDir, 'secret'), 'utf8').trim()),
    /** What has gone wrong since the last call. */
    takeProblems: () => problems.splice(0),
    report: (text) => problems.push(text),

    launch() {
      run = launch({ dist, dataDir, key, smtpUrl: smtp?.url });
    },
    /** Waits until the service listens, ready or not. */
    async listening() {
      url = await run.address(startLimitMs);
    },
    async ready() {
      url = await run.address(startLimitMs);
      const took = await run.ready(startLimitMs);
      if (took > options.readyLimitMs) problems.push(`ready only after ${took} ms`);
      stage.startMs = took;
      return took;
    },
    furnish: () => furnish({ url, key, journal, world }),
    load: () => startLoad({ url, key, journal, world, random: random.fork(), options }),
    assertAlive: () => run.assertAlive(),
    kill: async () => ended(await run.kill('SIGKILL')),
    /** SIGTERM, and SIGKILL if it is still there after `timeout` milliseconds. */
    terminate: async (timeout) => ended(await run.terminate(timeout)),
    removeViews() {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(dataDir, `views.db${suffix}`), { force: true });
    },
    async close({ keep }) {
      if (run !== undefined) await run.kill('SIGKILL');
      await smtp?.close();
      if (!keep) rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return stage;
}
