/** Composition root of the command line `audience`: its terminal, its stores and the running service, for one run of a command. */
import { lookup, Resolver } from 'node:dns/promises';
import { hostname } from 'node:os';
import type { Environment } from '../stores/values-from-files.js';
import { explain } from './banner.js';
import type { CommandLine, CommandTerminal, ExitCode } from '../cli/shared/command-line.js';
import { registerCommands } from '../cli/commands.js';
import { createErrorOutput, createOutput, type OutputStream } from '../cli/output.js';
import { createProgram, runProgram, type GlobalOptions } from '../cli/program.js';
import { findService, type FolderKey } from '../cli/shared/service-client.js';
import { present, readMailConfig } from '../stores/config.js';
import { dataFolderAt, type DataFolder, type WrittenAddress } from '../stores/data-folder.js';
import type { MailSettings } from '../mailer/check.js';
import { ownSmtpName } from '../mailer/smtp-url.js';
import { commandPlace } from './command-place.js';
import { version } from './version.js';

function mailSettingsIn(env: Environment): MailSettings | undefined {
  const { smtp, smtpName, dkim } = readMailConfig(env);
  return smtp === undefined ? undefined : { server: smtp, ehloName: ownSmtpName(smtpName, hostname()), dkim };
}

type Process = Pick<CommandTerminal, 'env' | 'stderr' | 'stdin'> & {
  readonly stdout: OutputStream;
  /** Adds the variables of the file `.env` to `env`. Absent if there is no current folder to read the file from. @throws CommandFailedError */
  readEnvFile?(): void;
};

interface Invocation extends Process {
  /** Aborted by a signal of the system, and where standard output breaks. */
  readonly abort: AbortController;
  options: GlobalOptions;
  exitCode: ExitCode;
}

const terminalOf = (invocation: Invocation): CommandTerminal => ({
  stdout: createOutput(invocation.stdout, (error) => invocation.abort.abort(error)),
  stderr: createErrorOutput(invocation.stderr),
  stdin: invocation.stdin,
  env: invocation.env,
  signal: invocation.abort.signal,
  clock: Date.now,
  monotonic: () => performance.now(),
  get json() {
    return invocation.options.json;
  },
  exitWith: (code) => void (invocation.exitCode = code),
});

function createLine(invocation: Invocation): CommandLine {
  const terminal = terminalOf(invocation);
  const { env, signal, stderr } = terminal;
  const place = () => commandPlace(invocation.options.dataDir, terminal);
  return Object.assign(terminal, {
    place,
    async openAuditor() {
      const { openAuditor } = await import('./auditor.js');
      return await openAuditor(place(), terminal);
    },
    async service() {
      const { dataDir, log, secret } = place();
      const folder = dataFolderAt(dataDir);
      const key = present(env['AUDIENCE_KEY']);
      const address = folder.address();
      return await findService({
        named: invocation.options.url ?? present(env['AUDIENCE_URL']),
        written: address?.url,
        certificate: folder.certificate(),
        key,
        folderKey:
          key === undefined
            ? folderKey(folder, { keepsSecret: log.secretFile !== undefined, secret, address })
            : undefined,
        // A log on a server is not in the folder, so a copy of the folder cannot mislead.
        isRunning: () => log.mayHaveWriter(),
        onNotice: (notice) => void stderr.write(`${notice}\n`),
        signal,
      });
    },
    mailSettings: () => mailSettingsIn(env),
    names: {
      addresses: async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address),
      texts: async (name: string) =>
        (await new Resolver({ timeout: 5_000, tries: 2 }).resolveTxt(name)).map((parts) => parts.join('')),
    },
  });
}

interface ForFolderKey {
  /** Whether the data folder keeps the secret of the log. */
  readonly keepsSecret: boolean;
  /** `SECRET` of the environment. */
  readonly secret: string | undefined;
  readonly address: WrittenAddress | undefined;
}

/**
 * Returns the API key of the folder, and what decides whether a service gets it. With a log on servers, the proof of the
 * service alone decides, whatever the rights of the folder. The secret of such a log is never in the folder, so a secret that
 * is there would prove nothing.
 */
function folderKey(folder: DataFolder, { keepsSecret, secret, address }: ForFolderKey): FolderKey | undefined {
  const key = folder.apiKey();
  if (key === undefined) return undefined;
  const own = secret === undefined ? [] : [secret];
  if (!keepsSecret) return { key, fault: undefined, addressFault: undefined, secrets: own };
  const stored = readableSecret(folder);
  const secrets = stored === undefined ? own : [...own, stored];
  return { key, fault: folder.openToAll(), addressFault: address?.fault, secrets };
}

/** Returns the secret in the folder, or undefined if it is missing, too short, or not readable for this user. */
function readableSecret(folder: DataFolder): string | undefined {
  try {
    return folder.secret();
  } catch {
    return undefined;
  }
}

/** Runs one command and returns its exit code. */
export async function runCommandLine(words: readonly string[], terminal: Process, abort: AbortController) {
  const { env, stdout, stderr, stdin } = terminal;
  const invocation: Invocation = {
    env,
    stdout,
    stderr,
    stdin,
    abort,
    options: { json: false },
    exitCode: 0,
  };
  const line = createLine(invocation);
  const onOptions = (options: GlobalOptions, readsEnvFile: boolean): void => {
    invocation.options = options;
    if (readsEnvFile) terminal.readEnvFile?.();
  };
  const program = createProgram({ line, version, onOptions });
  registerCommands(program, line);
  return await runProgram({ program, line, words, explain, exitCode: () => invocation.exitCode });
}
