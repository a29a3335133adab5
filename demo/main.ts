/** The process of `npm run demo`: makes the folder where it is missing, then runs the service on it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createProgressBar } from '../src/cli/shared/progress-bar.js';
import { findDemo, makeDemo, type DemoMark } from './folder.js';
import { readOptions, usage, UsageError, type Options } from './options.js';
import { startService } from './service.js';
import { yearLength } from './world.js';
import { makeYear } from './year.js';

async function make(options: Options): Promise<DemoMark> {
  const bar = createProgressBar(process.stderr, () => performance.now(), 'days');
  const begun = performance.now();
  const made = await makeDemo(options, (folder) =>
    makeYear(folder, options, (done) => bar.report({ phase: 'a year of history', done, total: yearLength })),
  );
  bar.clear();
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  say(`${made.events.toLocaleString('en')} events of a year were written in ${seconds} s.`);
  return made;
}

async function run(args: readonly string[]): Promise<void> {
  const options = readOptions(args, Date.now());
  if (options === undefined) return void process.stdout.write(usage);
  const { folder } = options;
  const demo = findDemo(folder) ?? (await make(options));
  const address = await startService(folder, fileURLToPath(new URL('../main.js', import.meta.url)));
  // The service says where it listens first.
  await sleep(300);
  const key = readFileSync(path.join(folder, 'api-key.txt'), 'utf8').trim();
  say(`
The demo has ${demo.people.toLocaleString('en')} people and ends on ${demo.until}. Open the console:

  ${address}/console
  API key with all scopes:          ${key}
  API key for support (fewer scopes): ${demo.support_key}
`);
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

// What is written is for the owner only.
process.umask(0o077);
await run(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
