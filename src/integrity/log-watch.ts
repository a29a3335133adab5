/** The interface of the watch that checks and seals the log while the service runs. */
import type { Subscriber } from '../flow/subscriber.js';
import type { Seal } from './seal.js';
import type { ListedSeal } from './seal-store.js';

export interface LogWatch {
  /** Undefined if another process does this work. */
  readonly subscriber: Subscriber<'turn'> | undefined;
  readonly seals: ServiceSeals;
  /** Undefined on servers, where the process that stores the blocks reads the log. */
  readonly readBack: (() => ReadBack) | undefined;
  /** Starts the check of the whole log. Call this when the service is ready. */
  start(): void;
  /** Makes the last seal. Call this when nothing is appended any more. */
  close(): Promise<void>;
}

/** The seals of the running service, as its sealer knows them. */
export interface ServiceSeals {
  /** Returns the newest seal that counts and matches the log, or undefined if no seal does. */
  newest(): Seal | undefined;
  /** Reads the log back and seals it. Returns undefined if nothing may be sealed yet. @throws Error if the log cannot be read back */
  sealNow(): Promise<Seal | undefined>;
  /** Returns every file of the data folder and of SEAL_DIR once, the newest seal first, and files that are not seals last. */
  listed(): readonly Omit<ListedSeal, 'fault'>[];
}

/** How far the service has read its log back from the store. */
export interface ReadBack {
  /** Number of events that were read back and found unaltered. */
  readonly count: number;
  /** When, in milliseconds since 1970. Undefined if nothing was read back yet. */
  readonly at: number | undefined;
  /** Why events cannot be read back. Undefined if nothing is wrong. */
  readonly fault: string | undefined;
}
