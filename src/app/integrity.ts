/** Composes integrity: the comparison with the newest seal at the start, then read-back, checks and seals while the service runs. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import type { Logger } from 'pino';
import { deriveRestoredKey } from '../events/streams.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { Frontier, TreeSource } from '../eventstore/tree.js';
import type { Clocks } from '../flow/subscriber.js';
import { printable } from '../events/printable.js';
import { watchLog } from '../integrity/embedded.js';
import type { LogWatch } from '../integrity/log-watch.js';
import { watchServerLog } from '../integrity/on-servers.js';
import { publicKeyOf, SealError, type KnownSeal } from '../integrity/seal.js';
import {
  findSeals,
  openSealKey,
  reportIgnored,
  sealKeyName,
  sealsByOthers,
  sealsName,
  whyIgnored,
  type FoundSeal,
  type SealKeys,
} from '../integrity/seal-store.js';
import { createSealer } from '../integrity/sealer.js';
import { checkStart } from '../integrity/start-check.js';
import type { ReadModels } from '../readmodels/read-models.js';
import { ConfigurationError, type Config } from '../stores/config.js';
import { seldomLeaseMs, type OpenLease } from '../stores/own-lease.js';
import type { RestoredMark } from '../recovery/restored-mark.js';
import type { EmbeddedLog, OpenEventStore } from '../stores/stores.js';

interface IntegrityContext extends Clocks {
  readonly config: Pick<Config, 'dataDir'> & { readonly seals: Config['seals'] };
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
  readonly watch: LogWatch | undefined;
}

export interface Integrity extends LogWatch {
  /** Reports that another part of the service has found the log altered. */
  report(message: string): void;
  /** Settles only when the log turns out to be altered. */
  readonly altered: Promise<AlteredLogError>;
}

/**
 * Compares the embedded log with its newest seal. Call this before anything is appended.
 * @throws AlteredLogError if the log is not the sealed one @throws ConfigurationError if SEAL_KEY cannot be used
 */
export async function startIntegrity(store: OpenEventStore, context: IntegrityContext): Promise<IntegrityStart> {
  const { config, restored } = context;
  const logId = (await readLogId(store)) ?? '';
  const found = await findAllSeals(context);
  const key = keyOfService(context, sealsByOthers(found, new Set(config.seals.keysBefore), logId));
  const keys = new Set([publicKeyOf(key), ...config.seals.keysBefore]);
  if (restored !== undefined) refuseUncounted(sealsByOthers(found, keys, logId), config.dataDir);
  if (isEmbedded(store)) return { key, keys, ...(await startEmbedded(store, { ...context, logId, found, key, keys })) };
  const newest = found.find((one) => whyIgnored(one, keys) === undefined);
  return { superseded: newest?.seal ?? undefined, key, keys, watch: undefined };
}

const isEmbedded = (store: OpenEventStore): store is OpenEventStore & EmbeddedLog => store.file !== undefined;

async function findAllSeals({ config, restored, logger }: IntegrityContext): Promise<readonly FoundSeal[]> {
  return await findSeals({ dataDir: config.dataDir, copies: config.seals.copies }, (notice) => {
    // The restore is recorded with the newest seal, and a seal that turns up later would accuse the log.
    if (restored !== undefined)
      throw new ConfigurationError(
        `${notice}. The first start after a restore needs the newest seal: make SEAL_DIR readable, or unset SEAL_DIR if it is lost`,
      );
    logger.warn(notice);
  });
}

interface EmbeddedStart extends IntegrityContext, Pick<IntegrityStart, 'key' | 'keys'> {
  readonly logId: string;
  readonly found: readonly FoundSeal[];
}

async function startEmbedded(store: OpenEventStore & EmbeddedLog, start: EmbeddedStart) {
  const { config, logId, found, key, keys, restored, secret, logger, clock, monotonic } = start;
  const restoredKey = deriveRestoredKey(secret);
  const log = { log: store, tree: store.tree, logId };
  const known = await checkStart({ ...log, found, keys, pending: restored, restoredKey }).catch((error: unknown) => {
    throw error instanceof AlteredLogError ? withAdvice(error, store) : error;
  });
  const { isClean, superseded, listed } = known;
  reportIgnored(listed, logger);
  for (const { seal, state, reason } of listed)
    if (state === 'excused')
      logger.warn(
        { sealed_at: seal?.sealed_at, count: seal?.count, reason },
        'a seal covers events that a restore removed',
      );
  const { copies, every } = config.seals;
  const clocks = { clock, monotonic };
  const sealer = createSealer({
    ...{ ...log, ...clocks, places: { dataDir: config.dataDir, copies }, every, key, known, logger },
  });
  // While a final seal is the newest, a log with more events is refused. So the first append needs a seal that is not final.
  if (isClean) await sealer.seal(store.opened);
  return {
    superseded,
    watch: watchLog({ ...clocks, file: store.file, store, sealer, every, isClean, restoredKey, logger }),
  };
}

/** @throws ConfigurationError if the key is missing or cannot be used */
function keyOfService(
  { config, logger }: Pick<IntegrityContext, 'config' | 'logger'>,
  orphans: readonly FoundSeal[],
): KeyObject {
  const onMade = (): void =>
    logger.info({ file: sealKeyName }, 'a key for seals was made in the data folder: keep a copy of it');
  try {
    return openSealKey(config, { orphans, onMade });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new ConfigurationError(config.seals.key === undefined ? error.message : `SEAL_KEY: ${error.message}`);
  }
}

/**
 * Refuses the first start after a restore if a seal of the data folder does not count. The restore is recorded with the newest
 * seal, so a seal that counts only from a later start on would accuse the log. Seals in SEAL_DIR alone may be of a stranger.
 * @throws ConfigurationError
 */
function refuseUncounted(seals: readonly FoundSeal[], dataDir: string): void {
  const own = path.join(dataDir, sealsName);
  const file = seals.flatMap(({ files }) => files).find((one) => path.dirname(one) === own);
  if (file !== undefined)
    throw new ConfigurationError(
      `${file} is signed with a key that is neither the key of this service nor in SEAL_KEYS_BEFORE, but the first start after a restore needs the newest seal. Put the key back, or name its public key in SEAL_KEYS_BEFORE. Remove the seal if this service did not make it. Nothing was changed`,
    );
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
  const { store, alteredStore } = parts;
  const { promise: altered, resolve } = Promise.withResolvers<AlteredLogError>();
  const end = (error: AlteredLogError): void => resolve(withAdvice(error, store));
  void alteredStore.then((message) => end(new AlteredLogError(message)));
  return {
    ...(start.watch ?? (await watchOnServers(start, parts, end))),
    altered,
    report(message) {
      store.refuse?.(message);
      end(new AlteredLogError(message));
    },
  };
}

async function watchOnServers(
  { key, keys }: IntegrityStart,
  parts: IntegrityParts,
  onAltered: (error: AlteredLogError) => void,
): Promise<LogWatch> {
  const { config, roles, store, logId, tree, reached, secret, openLease, readModels, logger, clock, monotonic } = parts;
  const { copies, every } = config.seals;
  const isSealing = roles.has('projector');
  return watchServerLog({
    ...{ log: store, tree, reached, logId, key, keys, every, isSealing, onAltered, logger, clock, monotonic },
    places: { dataDir: config.dataDir, copies },
    restoredKey: deriveRestoredKey(secret),
    lease: isSealing ? await openLease('seals', seldomLeaseMs) : undefined,
    readModels: await readModels(),
  });
}

function withAdvice({ message }: AlteredLogError, { file }: Pick<OpenEventStore, 'file'>): AlteredLogError {
  const text = message.includes('the event log was altered') ? message : `the event log was altered: ${message}`;
  const advice =
    file === undefined
      ? 'audience audit verify tells more'
      : `Keep the altered file: audience audit verify, or verify.mjs on an export, tells more. Then put ${file} back from the last good backup`;
  return new AlteredLogError(printable(`${text}. ${advice}`));
}
