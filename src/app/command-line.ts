/** Composition root of the command line `audience`: its clock, the stores and the running service, for one run of a command. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { explain } from './banner.js';
import type { CommandLine, Environment, ExitCode } from '../cli/command-line.js';
import { registerCommands } from '../cli/commands.js';
import { openLogForReading, openViewsForReading } from '../cli/stores-for-reading.js';
import { createOutput, type OutputStream } from '../cli/output.js';
import type { Screen } from '../cli/progress-bar.js';
import { CommandFailedError } from '../transfer/failures.js';
import { createProgram, runProgram, type GlobalOptions } from '../cli/program.js';
import { findService } from '../cli/service-client.js';
import { streamKeysOf } from '../transfer/stream-keys.js';
import { readStoresConfig } from '../stores/config.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { hasWriter } from '../eventstore/sqlite/event-store.js';
import { readLive } from '../projector/live-reader.js';
import { liveProjections } from '../projections/views.js';
import { settingsOf, type StoreSettings } from '../stores/stores.js';

interface Deployment {
  readonly dataDir: string;
  readonly secret: string | undefined;
  readonly stores: StoreSettings;
}

/** A folder that is named on the command line is meant, whatever the environment says of servers. */
function deploymentOf({ dataDir }: GlobalOptions, env: Environment): Deployment {
  const config = readStoresConfig(
    dataDir === undefined ? env : { ...env, DATA_DIR: dataDir, EVENTSTORE_URL: '', MONGODB_URL: '' },
  );
  return { dataDir: config.dataDir, secret: config.secret, stores: settingsOf(config, dataFolderAt(config.dataDir)) };
}

/** What is only read must be there: a folder that was mistyped is not begun as a new log. */
function demandLog({ dataDir, stores: { events } }: Deployment): void {
  if (events.kind !== 'embedded' || existsSync(events.file)) return;
  throw new CommandFailedError(
    `There is no event log in ${path.resolve(dataDir)}: name the data folder with --data-dir or DATA_DIR.`,
    { type: 'no_log' },
  );
}

interface Given {
  options: GlobalOptions;
  exitCode: ExitCode;
}

/** What the process gives a command. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdout: OutputStream;
  readonly stderr: Screen;
  /** Aborted by a signal of the system, and where standard output breaks. */
  readonly abort: AbortController;
}

function createLine({ env, stdout, stderr, abort }: Surroundings, given: Given): CommandLine {
  const { signal } = abort;
  const deployment = (): Deployment => deploymentOf(given.options, env);
  const storesWithLog = (): StoreSettings => {
    const deployed = deployment();
    demandLog(deployed);
    return deployed.stores;
  };
  const onNotice = (notice: string): void => void stderr.write(`${notice}\n`);
  return {
    stdout: createOutput(stdout, (error) => abort.abort(error)),
    stderr,
    env,
    signal,
    clock: Date.now,
    monotonic: () => performance.now(),
    get json() {
      return given.options.json;
    },
    get dataDir() {
      return deployment().dataDir;
    },
    get stores() {
      return deployment().stores;
    },
    openLog: async () => openLogForReading(storesWithLog().events, { signal, onNotice }),
    async openViews() {
      const views = await openViewsForReading(storesWithLog().views, onNotice);
      return await readLive(views, liveProjections).catch(async (error: unknown) => {
        await views.close();
        throw error;
      });
    },
    streamKeys(log) {
      const { dataDir, secret } = deployment();
      return streamKeysOf(log, [secret, dataFolderAt(dataDir).secret()]);
    },
    service() {
      const { dataDir, stores } = deployment();
      const folder = dataFolderAt(dataDir);
      return findService({
        named: given.options.url ?? present(env['AUDIENCE_URL']),
        written: folder.address(),
        key: present(env['AUDIENCE_KEY']) ?? folder.apiKey(),
        // Of a log on a server a copied folder holds nothing.
        isRunning: () => stores.events.kind !== 'embedded' || hasWriter(stores.events.file),
        onNotice,
        signal,
      });
    },
    async rebuild(asked) {
      const settings = storesWithLog();
      const { events } = settings;
      // While this process holds the lock, the address of an earlier service must not be used.
      if (events.kind === 'embedded' && !hasWriter(events.file)) dataFolderAt(deployment().dataDir).forgetAddress();
      const { rebuildDirectly } = await import('./direct-rebuild.js');
      return await rebuildDirectly({ ...asked, settings, signal });
    },
    exitWith: (code) => void (given.exitCode = code),
  };
}

/** An empty variable counts as absent. */
const present = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const versionOf = (file: URL): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;

/** One run, to its exit code. */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const given: Given = { options: { json: false }, exitCode: 0 };
  const line = createLine(surroundings, given);
  const version = versionOf(new URL('../../package.json', import.meta.url));
  const onOptions = (options: GlobalOptions): void => void (given.options = options);
  const program = createProgram({ line, version, onOptions });
  registerCommands(program, line);
  return await runProgram({ program, line, words, explain, exitCode: () => given.exitCode });
}
