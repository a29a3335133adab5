/** The subject of the checks: an environment, the place of its stores, and the service that runs there. Log and views are opened once, for all checks. */
import type { KeyObject } from 'node:crypto';
import type { SealSettings } from '../integrity/seal-store.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { LogPlace } from '../integrity/server-blocks.js';
import { CommandFailedError } from '../failures.js';
import type { MailSettings, NameServer } from '../mailer/check.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import type { Fault } from '../stores/data-folder.js';
import type { Environment } from '../stores/values-from-files.js';
import type { Stores } from '../stores/stores.js';
import { once, seeStores, type SeenStores } from './servers.js';

interface ExaminedPlace extends LogPlace {
  readonly dataDir: string;
  readonly seals: SealSettings['seals'];
  /** Returns the key of the MAC of restores, or undefined if the secret of the log is not at hand. */
  restoredKey(log: EventReader): Promise<KeyObject | undefined>;
  /** Returns the key of the MAC of the register's lines, or undefined if the secret of the log is not at hand. */
  registerKey(log: EventReader): Promise<KeyObject | undefined>;
  /** @throws ConfigurationError if only one of EVENTSTORE_URL and MONGODB_URL is set */
  stores(): Stores;
  /** Only reads. @throws CommandFailedError @throws StoreUnavailableError */
  openLog(): Promise<EventReader>;
}

/** A running service that answers. */
export interface ExaminedService {
  readonly url: string;
  readonly isNamed: boolean;
  ask(request: KeylessRequest): Promise<{ readonly status: number; data: unknown }>;
  /** Returns why the command line does not send the key of the data folder. @throws CommandFailedError */
  whyNoKey(): Promise<Fault | undefined>;
}

interface KeylessRequest {
  readonly method: 'GET';
  readonly path: string;
  readonly keyless: true;
}

export interface Patient {
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly names: NameServer;
  clock(): number;
  monotonic(): number;
  /** @throws ConfigurationError */
  place(): ExaminedPlace;
  /** Undefined: none runs there. @throws CommandFailedError one that is named does not answer */
  service(): Promise<ExaminedService | undefined>;
  /** @throws ConfigurationError */
  mailSettings(): MailSettings | undefined;
}

/** A check needs a store that cannot be opened: the check of that store says why. */
export class StoreNotOpenError extends Error {
  override readonly name = 'StoreNotOpenError';

  /** @param isThere false: there is no log yet, so that nothing is wrong with what would be in it */
  constructor(
    readonly store: 'log' | 'views',
    readonly isThere: boolean,
    override readonly cause: unknown,
  ) {
    super(`${store}: not open`);
  }
}

export interface OpenPlace extends Pick<Patient, 'env' | 'signal' | 'clock' | 'monotonic'> {
  readonly place: ExaminedPlace;
  readonly stores: SeenStores;
  /** @throws StoreNotOpenError */
  log(): Promise<EventReader>;
  /** @throws StoreNotOpenError */
  views(): Promise<ReadModelReader>;
  close(): Promise<void>;
}

/** @throws ConfigurationError */
export function openPlace(patient: Patient): OpenPlace {
  const place = patient.place();
  const clock = (): number => patient.clock();
  const stores = seeStores(place.stores().settings, clock);
  const opened: (EventReader | ReadModelReader)[] = [];
  const opening = <Store extends EventReader | ReadModelReader>(store: 'log' | 'views', open: () => Promise<Store>) =>
    once(async () => {
      const found = await open().catch(notOpen(store));
      opened.push(found);
      return found;
    });
  const { env, signal } = patient;
  return {
    ...{ env, signal, place, clock, stores, monotonic: () => patient.monotonic() },
    log: opening('log', () => place.openLog()),
    views: opening('views', async () => {
      // Wait only once for a server that does not answer.
      const { name, reason } = (await stores.seeViews()) ?? {};
      if (reason !== undefined) throw new Error(`${name} cannot be used: ${reason}`);
      return await place.openViews();
    }),
    async close() {
      for (const store of opened.reverse()) await store.close();
    },
  };
}

const notOpen =
  (store: 'log' | 'views') =>
  (error: unknown): never => {
    throw new StoreNotOpenError(store, !(error instanceof CommandFailedError && error.type === 'no_log'), error);
  };
