/** Composes integrity: the comparison with the newest seal at the start, then read-back, checks and seals while the service runs. */
import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { deriveRestoredKey } from '../events/streams.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { Frontier, TreeSource } from '../eventstore/tree.js';
import type { Clocks, Subscriber } from '../flow/subscriber.js';
import { printable } from '../events/printable.js';
import { watchLog, type LogWatch } from '../integrity/embedded.js';
import { watchServerLog } from '../integrity/on-servers.js';
import type { KnownSeal } from '../integrity/seal.js';
import { chooseSeals, findSeals, openServiceKey, reportIgnored, type SealKeys } from '../integrity/seal-store.js';
import { createSealer, type Sealer } from '../integrity/sealer.js';
import type { ReadBack, ServiceSeals } from '../integrity/service-proofs.js';
import { checkStart, type StartCheck } from '../integrity/start-check.js';
import type { ReadModels } from '../readmodels/read-models.js';
import { ConfigurationError, type Config } from '../stores/config.js';
import { seldomLeaseMs, type OpenLease } from '../stores/own-lease.js';
import type { RestoredMark } from '../stores/restored.js';
import type { EmbeddedLog, OpenEventStore, StoreSettings } from '../stores/stores.js';

interface IntegrityContext extends Clocks {
  readonly config: Pick<Config, 'dataDir'> & { readonly seals: Config['seals'] };
  readonly settings: StoreSettings;
  readonly secret: string;
  readonly restored: RestoredMark | undefined;
  readonly logger: IntegrityLogger;
}

export type IntegrityLogger = Pick<Logger, 'info' | 'warn' | 'error'>;

/** The result of the comparison at the start. */
export interface IntegrityStart {
  /** The newest seal that counts, also if a restore is about to remove its events. */
  readonly superseded: KnownSeal | undefined;
  readonly key: KeyObject;
  readonly keys: SealKeys;
  /** Undefined on servers, where the comparison runs in the background. */
  readonly embedded: { readonly check: StartCheck; readonly sealer: Sealer; readonly store: EmbeddedLog } | undefined;
}

export interface Integrity {
  /** Undefined if another process does this work. */
  readonly subscriber: Subscriber<'turn'> | undefined;
  readonly seals: ServiceSeals;
  /** Undefined on servers. */
  readonly readBack: (() => ReadBack) | undefined;
  /** Reports that another part of the service has found the log altered. */
  report(message: string): void;
  /** Settles only when the log turns out to be altered. */
  readonly altered: Promise<AlteredLogError>;
  /** Starts the check of the whole log. Call this when the service is ready. */
  startChecks(): void;
  /** Makes the last seal. Call this when nothing is appended any more. */
  close(): Promise<void>;
}

/**
 * Compares the embedded log with its newest seal. Call this before anything is appended.
 * @throws AlteredLogError if the log is not the sealed one @throws ConfigurationError if SEAL_KEY cannot be used
 */
export async function startIntegrity(store: OpenEventStore, context: IntegrityContext): Promise<IntegrityStart> {
  const { config, logger, restored, secret, clock, monotonic } = context;
  const places = { dataDir: config.dataDir, copies: config.seals.copies };
  const logId = (await readLogId(store)) ?? '';
  const found = await findSeals(places, (notice) => {
    // The restore is recorded with the newest seal, and a seal that turns up later would accuse the log.
    if (restored !== undefined)
      throw new ConfigurationError(
        `${notice}. The first start after a restore needs the newest seal: make SEAL_DIR readable, or unset SEAL_DIR if it is lost`,
      );
    logger.warn(notice);
  });
  const isRestored = restored !== undefined;
  const { key, keys } = openServiceKey({ settings: config, logId, found, isRestored, logger });
  if (!isEmbedded(store)) {
    const chosen = chooseSeals(found, keys);
    const superseded = chosen.counted().next().value?.seal;
    reportIgnored(chosen.ignored(), logger);
    return { superseded, key, keys, embedded: undefined };
  }
  const check = await checkStart({
    ...{ log: store, tree: store.tree, logId, found, keys, pending: restored },
    restoredKey: deriveRestoredKey(secret),
  }).catch((error: unknown) => {
    throw error instanceof AlteredLogError ? withAdvice(error, context.settings) : error;
  });
  reportIgnored(check.ignored, logger);
  for (const { seal, reason } of check.excused)
    logger.warn(
      { sealed_at: seal.sealed_at, count: seal.count, reason },
      'a seal covers events that a restore removed',
    );
  const sealer = createSealer({
    ...{ places, every: config.seals.every, key, logId, log: store, tree: store.tree, known: check },
    ...{ logger, clock, monotonic },
  });
  // While a final seal is the newest, a log with more events is refused. So the first append needs a seal that is not final.
  if (check.isClean) await sealer.seal(store.opened);
  return { superseded: check.superseded, key, keys, embedded: { check, sealer, store } };
}

const isEmbedded = (store: OpenEventStore): store is OpenEventStore & EmbeddedLog => store.frontier !== undefined;

/** Makes the last seal of a command that appended to the embedded log, if the service was stopped in order before. */
export async function endIntegrity({ embedded: opened }: IntegrityStart, context: IntegrityContext): Promise<void> {
  if (opened !== undefined) await watchOf(opened, context).close();
}

interface IntegrityParts extends IntegrityContext {
  readonly openLease: OpenLease;
  readonly roles: Config['roles'];
  readonly store: OpenEventStore;
  readonly logId: string;
  readonly tree: TreeSource;
  /** The tree that the follower of this process has grown on servers; undefined if another process follows. */
  readonly reached: () => Frontier | undefined;
  readonly readModels: () => Promise<Pick<ReadModels, 'readRecord' | 'putRecord'>>;
  /** Settles when the store or the follower finds that the log was altered. */
  readonly alteredStore: Promise<string>;
}

/** Watches the log while the service runs. */
export async function openIntegrity(start: IntegrityStart, parts: IntegrityParts): Promise<Integrity> {
  const { settings, alteredStore } = parts;
  const { promise: altered, resolve } = Promise.withResolvers<AlteredLogError>();
  const end = (error: AlteredLogError): void => resolve(withAdvice(error, settings));
  void alteredStore.then((message) => end(new AlteredLogError(message)));
  const watched =
    start.embedded === undefined ? await onServers(start, parts, end) : embedded(start.embedded, parts, end);
  return { ...watched, altered };
}

function embedded(
  opened: NonNullable<IntegrityStart['embedded']>,
  context: IntegrityContext,
  end: (error: AlteredLogError) => void,
): Omit<Integrity, 'altered'> {
  const { store } = opened;
  const watch = watchOf(opened, context);
  return {
    subscriber: watch.subscriber,
    seals: watch.seals,
    readBack: watch.status,
    report(message) {
      store.refuse(message);
      end(new AlteredLogError(message));
    },
    startChecks: watch.start,
    close: watch.close,
  };
}

function watchOf(
  { check, sealer, store }: NonNullable<IntegrityStart['embedded']>,
  context: IntegrityContext,
): LogWatch {
  const { config, settings, secret, logger, clock, monotonic } = context;
  return watchLog({
    file: settings.events.kind === 'embedded' ? settings.events.file : '',
    ...{ store, sealer, every: config.seals.every, isClean: check.isClean },
    ...{ restoredKey: deriveRestoredKey(secret), logger, clock, monotonic },
  });
}

async function onServers(
  { key, keys }: IntegrityStart,
  parts: IntegrityParts,
  end: (error: AlteredLogError) => void,
): Promise<Omit<Integrity, 'altered'>> {
  const { config, roles, store, logId, tree, reached, secret, openLease, readModels, logger, clock, monotonic } = parts;
  const isSealing = roles.has('projector');
  const watch = watchServerLog({
    ...{ log: store, tree, reached, logId, key, keys, logger, clock, monotonic },
    places: { dataDir: config.dataDir, copies: config.seals.copies },
    every: config.seals.every,
    restoredKey: deriveRestoredKey(secret),
    lease: isSealing ? await openLease('seals', seldomLeaseMs) : undefined,
    readModels: await readModels(),
    onAltered: end,
  });
  return {
    subscriber: isSealing ? watch.subscriber : undefined,
    seals: watch.seals,
    readBack: undefined,
    report: (message) => end(new AlteredLogError(message)),
    startChecks: () => undefined,
    close: watch.close,
  };
}

function withAdvice({ message }: AlteredLogError, { events }: StoreSettings): AlteredLogError {
  const text = message.includes('the event log was altered') ? message : `the event log was altered: ${message}`;
  const advice =
    events.kind === 'embedded'
      ? `Keep the altered file: audience audit verify, or verify.mjs on an export, tells more. Then put ${events.file} back from the last good backup`
      : 'audience audit verify tells more';
  return new AlteredLogError(printable(`${text}. ${advice}`));
}
