/** Composition root of the command line `audience`: its clock, the stores and the running service, for one run of a command. */
import { existsSync } from 'node:fs';
import { lookup, Resolver } from 'node:dns/promises';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Environment } from '../stores/values-from-files.js';
import { explain } from './banner.js';
import type { CommandLine, ExitCode } from '../cli/shared/command-line.js';
import { registerCommands } from '../cli/commands.js';
import { openLogForReading, openViewsForReading } from '../stores/for-reading.js';
import { createOutput, type OutputStream } from '../cli/output.js';
import { CommandFailedError } from '../failures.js';
import { createProgram, runProgram, type GlobalOptions } from '../cli/program.js';
import { deriveHeadKey, deriveStreamKeys } from '../events/streams.js';
import { findService } from '../cli/shared/service-client.js';
import { secretOf, streamKeysOf } from '../stores/secret-of-log.js';
import { readConfig, readStoresConfig } from '../stores/config.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { hasWriter } from '../eventstore/sqlite/event-store.js';
import type { MailSettings } from '../mailer/check.js';
import { ownSmtpName } from '../mailer/smtp-url.js';
import { readLive } from '../projector/live-reader.js';
import { liveProjections } from '../projections/views.js';
import { openEventStore, settingsOf, type StoreSettings } from '../stores/stores.js';
import { version } from './version.js';

/** A folder named on the command line wins over servers named in the environment. */
function deploymentOf({ dataDir }: GlobalOptions, env: Environment) {
  const config = readStoresConfig(
    dataDir === undefined ? env : { ...env, DATA_DIR: dataDir, EVENTSTORE_URL: '', MONGODB_URL: '' },
  );
  return { dataDir: config.dataDir, secret: config.secret, stores: settingsOf(config, dataFolderAt(config.dataDir)) };
}

function mailSettingsIn(env: Environment): MailSettings | undefined {
  const config = readConfig(env);
  if (config.smtp === undefined) return undefined;
  return {
    server: config.smtp,
    ehloName: ownSmtpName(config.smtpName, hostname()),
    dkim: config.dkim,
  };
}

type Terminal = Pick<CommandLine, 'env' | 'stderr'> & { readonly stdout: OutputStream };

interface Invocation extends Terminal {
  /** Aborted by a signal of the system, and where standard output breaks. */
  readonly abort: AbortController;
  options: GlobalOptions;
  exitCode: ExitCode;
}

function createLine(invocation: Invocation): CommandLine {
  const { env, stdout, stderr, abort } = invocation;
  const { signal } = abort;
  const deployment = () => deploymentOf(invocation.options, env);
  /** A log that is only read must exist: a mistyped folder must not become a new log. */
  const storesWithLog = (): StoreSettings => {
    const { dataDir, stores } = deployment();
    if (stores.events.kind !== 'embedded' || existsSync(stores.events.file)) return stores;
    throw new CommandFailedError(
      `There is no event log in ${path.resolve(dataDir)}: name the data folder with --data-dir or DATA_DIR.`,
      { type: 'no_log' },
    );
  };
  const secrets = (): readonly (string | undefined)[] => {
    const { dataDir, secret } = deployment();
    return [secret, dataFolderAt(dataDir).secret()];
  };
  const registerPlaces = () => ({ dataDir: deployment().dataDir, seals: { copies: present(env['SEAL_DIR']) } });
  const onNotice = (notice: string): void => void stderr.write(`${notice}\n`);
  return {
    stdout: createOutput(stdout, (error) => abort.abort(error)),
    stderr,
    env,
    signal,
    clock: Date.now,
    monotonic: () => performance.now(),
    get json() {
      return invocation.options.json;
    },
    get dataDir() {
      return deployment().dataDir;
    },
    get outbox() {
      return dataFolderAt(deployment().dataDir).outbox;
    },
    get registerPlaces() {
      return registerPlaces();
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
    mailSettings: () => mailSettingsIn(env),
    names: {
      addresses: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
      texts: async (name) =>
        (await new Resolver({ timeout: 5_000, tries: 2 }).resolveTxt(name)).map((parts) => parts.join('')),
    },
    streamKeys: (log) => streamKeysOf(log, secrets()),
    async headKey(log) {
      try {
        const secret = await secretOf(log, secrets());
        return secret === undefined ? undefined : deriveHeadKey(secret);
      } catch {
        // A log that was altered at its beginning, or a secret that this user may not read.
        return undefined;
      }
    },
    service() {
      const { dataDir, stores } = deployment();
      const folder = dataFolderAt(dataDir);
      return findService({
        named: invocation.options.url ?? present(env['AUDIENCE_URL']),
        written: folder.address(),
        certificate: folder.certificate(),
        key: present(env['AUDIENCE_KEY']) ?? folder.apiKey(),
        // A log on a server is not in the folder, so a copy of the folder cannot mislead.
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
      const { rebuildDirectly } = await import('../rebuild/direct-rebuild.js');
      return await rebuildDirectly({
        ...asked,
        settings,
        signal,
        monotonic: () => performance.now(),
        newUuid: randomUUID,
      });
    },
    async reapplyErasures() {
      const settings = storesWithLog();
      const log = await openLogForReading(settings.events, { signal, onNotice });
      const secret = await secretOf(log, secrets()).finally(() => log.close());
      if (secret === undefined)
        throw new CommandFailedError('The secret of this log is needed: set SECRET, or put the file secret back.', {
          type: 'no_secret',
        });
      const { openCommands } = await import('./commands.js');
      const { reapplyErasures } = await import('../privacy/register.js');
      const store = await openEventStore(settings.events, { headKey: () => deriveHeadKey(secret), signal });
      try {
        const keys = deriveStreamKeys(secret);
        const commands = await openCommands({
          store,
          keys,
          onUnreadable: () => undefined,
          clock: Date.now,
          newUuid: randomUUID,
        });
        return await reapplyErasures(store, { config: registerPlaces(), commands });
      } finally {
        await store.close();
      }
    },
    exitWith: (code) => void (invocation.exitCode = code),
  };
}

const present = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** One run, to its exit code. */
export async function runCommandLine(words: readonly string[], terminal: Terminal, abort: AbortController) {
  const { env, stdout, stderr } = terminal;
  const invocation: Invocation = { env, stdout, stderr, abort, options: { json: false }, exitCode: 0 };
  const line = createLine(invocation);
  const program = createProgram({ line, version, onOptions: (options) => void (invocation.options = options) });
  registerCommands(program, line);
  return await runProgram({ program, line, words, explain, exitCode: () => invocation.exitCode });
}
