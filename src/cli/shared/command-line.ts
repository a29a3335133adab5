/** What every command of `audience` is given: terminal, clock, stores, the running service. Made in src/app/command-line.ts. */
import type { StreamKeys } from '../../events/streams.js';
import type { EventReader } from '../../eventstore/event-store.js';
import type { MailSettings, NameServer } from '../../mailer/check.js';
import type { RegisterPlaces } from '../../privacy/register.js';
import type { RebuildResult } from '../../rebuild/answers.js';
import type { DirectRebuild } from '../../rebuild/direct-rebuild.js';
import type { ReadModelReader } from '../../readmodels/read-models.js';
import type { StoreSettings } from '../../stores/stores.js';
import type { Environment } from '../../stores/values-from-files.js';
import type { Terminal } from './progress-bar.js';
import type { ServiceClient } from './service-client.js';

/** 0: done. 1: the answer is no, something differs, or it failed. 2: it could not be checked. */
export type ExitCode = 0 | 1 | 2;

/** Standard output: the answer, and nothing else. */
export interface Output {
  readonly isTTY: boolean;
  /** Of the terminal; undefined elsewhere. */
  readonly columns: number | undefined;
  /** Resolves when the text has been taken: wait for it, so that memory stays small. Rejects when the reader is gone. */
  write(text: string | Uint8Array): Promise<void>;
}

/**
 * `json`, `dataDir`, `outbox`, `registerPlaces` and `stores` follow the options of the call: they are known inside an action, not while commands are
 * registered. What is opened is the caller's to close.
 */
export interface CommandLine {
  readonly stdout: Output;
  readonly stderr: Terminal;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  clock(): number;
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  readonly json: boolean;
  readonly dataDir: string;
  /** The folder of e-mails that were written to files. */
  readonly outbox: string;
  /** Where the registers of erasures are. */
  readonly registerPlaces: RegisterPlaces;
  /** @throws ConfigurationError */
  readonly stores: StoreSettings;
  /** For reading only, also while a service runs on it. @throws CommandFailedError @throws StoreUnavailableError */
  openLog(): Promise<EventReader>;
  /** For reading only, as they are now. @throws ReadModelsUnavailableError */
  openViews(): Promise<ReadModelReader>;
  /** How the service of this environment speaks to its mail server; undefined: it has none. @throws ConfigurationError */
  mailSettings(): MailSettings | undefined;
  readonly names: NameServer;
  /** The keys behind the stream names of that log. @throws CommandFailedError where its secret is not known */
  streamKeys(log: EventReader): Promise<StreamKeys>;
  /** The key of the sealed head of that log; undefined where its secret is not known. */
  headKey(log: EventReader): Promise<Uint8Array | undefined>;
  /** The service that runs on this data folder, or that is named; undefined: none runs. @throws CommandFailedError one that is named does not answer */
  service(): Promise<ServiceClient | undefined>;
  /** Without a service, or beside one of another version. @throws CommandFailedError, WriterLockedError a service runs on these stores */
  rebuild(asked: DirectRebuild): Promise<RebuildResult>;
  /** Asks the log again for the erasures of the register that it lacks; their ids. @throws CommandFailedError, WriterLockedError a service runs on these stores */
  reapplyErasures(): Promise<readonly string[]>;
  /** Called by `withExitCode` alone. */
  exitWith(code: ExitCode): void;
}
