#!/usr/bin/env node
/** The process of the command line `audience`: its environment, its signals, its exit code. */
import { demandNode } from './app/node-version.js';

demandNode();
const { runCommandLine } = await import('./app/command-line.js');
const { readEnvFile } = await import('./app/env-file.js');
const { brokenOutput } = await import('./cli/output.js');
const { InterruptedError } = await import('./failures.js');

// Files written here hold personal data: only the owner may read them.
process.umask(0o077);
const abort = new AbortController();
for (const [name, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const)
  process.on(name, () => {
    // A second signal ends it at once.
    if (abort.signal.aborted) process.exit(128 + number);
    abort.abort(new InterruptedError(128 + number));
  });
process.stdout.on('error', (error) => abort.abort(brokenOutput(error)));
process.stderr.on('error', () => undefined);

// Connections that are kept alive must not keep the process.
const { env, stdout, stderr, stdin } = process;
const terminal = {
  ...{ env, stdout, stderr, stdin },
  readEnvFile: () =>
    readEnvFile({
      folder: process.cwd(),
      env,
      uid: process.geteuid?.(),
      onNotice: (notice) => void stderr.write(`${notice}\n`),
    }),
};
process.exit(await runCommandLine(process.argv.slice(2), terminal, abort));
