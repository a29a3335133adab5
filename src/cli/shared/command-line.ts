/** What every command of `audience` is given: its terminal, its stores, the running service. Made in src/app/command-line.ts. */
import type { KeyObject } from 'node:crypto';
import type { Audit } from '../../audit/audit.js';
import type { StreamKeys } from '../../events/streams.js';
import type { EventReader } from '../../eventstore/event-store.js';
import type { LogPlace } from '../../integrity/server-blocks.js';
import type { SealSettings } from '../../integrity/seal-store.js';
import type { MailSettings, NameServer } from '../../mailer/check.js';
import type { RecoveryCommands } from '../../recovery/registered-events.js';
import type { SecretAtHand } from '../../stores/secret-of-log.js';
import type { LogStore, OpenEventStore, Stores } from '../../stores/stores.js';
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
  /**
   * Writes a string with codes in place of control characters, and bytes as they are. Resolves when the text has been taken.
   * Wait for that, so that memory stays small. Rejects when the reader is gone.
   */
  write(text: string | Uint8Array): Promise<void>;
}

export interface CommandTerminal {
  readonly stdout: Output;
  readonly stderr: Terminal;
  /** What is piped in. */
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  clock(): number;
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  /** An option of the call: known inside an action, not while commands are registered. */
  readonly json: boolean;
  /** Called by `withExitCode` alone. */
  exitWith(code: ExitCode): void;
}

/** Log, views and data folder of a call. What is opened is the caller's to close. */
export interface CommandPlace extends LogPlace {
  readonly newUuid: () => string;
  /** The version of the service. */
  readonly version: string;
  readonly dataDir: string;
  /** `SECRET`, if it is set. */
  readonly secret: string | undefined;
  /** The folder of e-mails that were written to files. */
  readonly outbox: string;
  /** Settings of copies and keys. */
  readonly seals: SealSettings['seals'];
  /** The log, whose settings are enough for a command without views. It may not exist yet. */
  readonly log: LogStore;
  /** Returns the log if it exists, so that a mistyped folder does not become a new log. @throws CommandFailedError */
  existing(): LogStore;
  /** Returns log and views, which may not exist yet. @throws ConfigurationError if only one of EVENTSTORE_URL and MONGODB_URL is set */
  stores(): Stores;
  /** For reading only, also while a service runs on it. @throws CommandFailedError @throws StoreUnavailableError */
  openLog(): Promise<EventReader>;
  /** For writing, while no service runs on it. @throws CommandFailedError where its secret is not known @throws WriterLockedError */
  openCommands(): Promise<OpenCommands>;
  /** Opens the log as its only writer, to read it while no service runs on it. It is not compared with seals. @throws WriterLockedError */
  openLocked(): Promise<OpenEventStore>;
  /** Returns the secrets of the environment and of the data folder, whatever log they belong to. */
  secretsAtHand(): readonly SecretAtHand[];
  /** Returns the key of the MAC of restores, or undefined if the secret of the log is not at hand. */
  restoredKey(log: EventReader): Promise<KeyObject | undefined>;
  /** Returns the key of the MAC of the register's lines, or undefined if the secret of the log is not at hand. */
  registerKey(log: EventReader): Promise<KeyObject | undefined>;
  /** The keys behind the stream names of that log. @throws CommandFailedError where its secret is not known */
  streamKeys(log: EventReader): Promise<StreamKeys>;
}

interface OpenCommands {
  readonly store: OpenEventStore;
  readonly commands: RecoveryCommands;
  close(): Promise<void>;
}

/** By its address, or by its id. */
export type NamedContact = { readonly email: string } | { readonly contactId: string };

export interface FoundContact {
  readonly stream: string;
  readonly contactId?: string;
}

/** The auditor's answers: the same functions as behind HTTP, over a log that is only read. */
export interface Auditor {
  readonly log: EventReader;
  readonly audit: Audit;
  /** The stream follows from an address; for an id it is found in the views, else in the log. @throws ServiceError `no_such_contact` @throws CommandFailedError */
  find(contact: NamedContact): Promise<FoundContact>;
  close(): Promise<void>;
}

export interface CommandLine extends CommandTerminal {
  /** By the options of the call and the environment. @throws ConfigurationError */
  place(): CommandPlace;
  /** @throws CommandFailedError @throws StoreUnavailableError */
  openAuditor(): Promise<Auditor>;
  /** The service that runs on this data folder, or that is named; undefined: none runs. @throws CommandFailedError one that is named does not answer */
  service(): Promise<ServiceClient | undefined>;
  /** How the service of this environment speaks to its mail server; undefined: it has none. @throws ConfigurationError */
  mailSettings(): MailSettings | undefined;
  readonly names: NameServer;
}
