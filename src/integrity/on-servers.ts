/** Watches over a log on EventStoreDB: compares it with the newest seal, seals what the follower has read, and verifies the whole log once a week. One process at a time does this. */
import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { EventReader } from '../eventstore/event-store.js';
import { AlteredLogError, logSourceOf } from '../eventstore/log-source.js';
import { frontierAt, rootOf, type Frontier, type TreeSource } from '../eventstore/tree.js';
import { pause } from '../flow/abort.js';
import { backOff } from '../flow/backoff.js';
import { takeTurns, type Clocks, type WorkLease } from '../flow/subscriber.js';
import { ReadModelsUnavailableError, type ReadModels } from '../readmodels/read-models.js';
import { inWords } from './findings.js';
import type { LogWatch } from './log-watch.js';
import { createSealer, type Sealer } from './sealer.js';
import type { Seal } from './seal.js';
import { findSeals, reportIgnored, type SealKeys, type SealPlaces } from './seal-store.js';
import { checkStart } from './start-check.js';
import { verifyLog } from './verify.js';

const verifyEveryMs = 7 * 24 * 60 * 60_000;
const verifyShare = 0.25;
const mostPauseMs = 60_000;
const recordName = 'verified';
const verifiedRecord = z.object({ log_id: z.string(), at: z.number(), count: z.number() });

interface ServerLogWatchOptions extends Clocks {
  readonly log: EventReader;
  readonly tree: TreeSource;
  /** The tree that the follower of this process has grown; undefined if another process follows. */
  readonly reached: () => Frontier | undefined;
  readonly logId: string;
  readonly places: SealPlaces;
  readonly every: number;
  readonly key: KeyObject;
  /** The public keys whose seals count. */
  readonly keys: SealKeys;
  readonly restoredKey: KeyObject;
  /** Whether this process seals and verifies the log, when it has the lease. */
  readonly isSealing: boolean;
  readonly lease: WorkLease | undefined;
  readonly readModels: Pick<ReadModels, 'readRecord' | 'putRecord'>;
  /** Called once when the log is not what was sealed or read. */
  readonly onAltered: (error: AlteredLogError) => void;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export function watchServerLog(options: ServerLogWatchOptions): LogWatch {
  const { log, tree, reached, logId, places, every, key, keys, restoredKey, isSealing, lease } = options;
  const { readModels, onAltered, logger, clock, monotonic } = options;
  const stopping = new AbortController();
  let sealer: Sealer | undefined;
  let isReady = false;

  /**
   * Compares the log with its newest seal. Reads the seals again each time, because other processes may have made some.
   * Returns the sealer, or undefined while the follower has not stored the tree up to that seal.
   * @throws AlteredLogError
   */
  async function comparedSealer(): Promise<Sealer | undefined> {
    const found = await findSeals(places);
    const known = await checkStart({
      ...{ log, tree, logId, found, keys, restoredKey, pending: undefined, isShared: true },
    }).catch((error: unknown) => {
      if (error instanceof ReadModelsUnavailableError) return undefined;
      throw error;
    });
    if (known === undefined) return undefined;
    if (sealer !== undefined) sealer.learn(known);
    else {
      reportIgnored(known.listed, logger);
      sealer = createSealer({ places, every, key, logId, log, tree, known, logger, clock, monotonic });
    }
    return sealer;
  }

  /** Reads the log back: the events after the last stored block must be those that the follower has read. @throws AlteredLogError */
  async function readBack(): Promise<Frontier> {
    const followed = reached();
    const read = await frontierAt(tree, followed?.count ?? (await tree.count()));
    if (followed !== undefined && rootOf(read) !== rootOf(followed))
      throw new AlteredLogError(
        `an event among the last ones, up to event ${read.count}, is not the one that was read before`,
      );
    return read;
  }

  async function sealNow(): Promise<Seal | undefined> {
    try {
      const found = await comparedSealer();
      return await found?.seal(await readBack());
    } catch (error) {
      if (error instanceof AlteredLogError) onAltered(error);
      throw error;
    }
  }

  /** Each process compares once at its start, also if another process seals. */
  async function compareAtStart(): Promise<void> {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      try {
        if ((await comparedSealer()) !== undefined) return;
      } catch (error) {
        if (error instanceof AlteredLogError) return onAltered(error);
        logger.warn({ err: error }, 'the log cannot be compared with its newest seal; this is repeated');
      }
      await pause(backOff(round, { first: 1_000, most: mostPauseMs }), stopping.signal);
    }
  }

  const isYoung = (last: z.output<typeof verifiedRecord> | undefined): boolean =>
    last?.log_id === logId && clock() - last.at < verifyEveryMs;

  async function verifyWeekly(signal: AbortSignal): Promise<void> {
    const record = await readModels.readRecord(recordName);
    if (isYoung(verifiedRecord.safeParse(record?.value).data)) return;
    const source = logSourceOf(log, tree);
    const seals = (await sealer?.counted()) ?? [];
    const { difference, count, ...verified } = await verifyLog({
      ...{ source, seals, restoredKey, share: verifyShare, signal },
    });
    sealer?.note(verified.seals);
    if (difference !== null) throw new AlteredLogError(`the event log was altered: ${inWords(difference)}`);
    await readModels.putRecord({
      name: recordName,
      value: { log_id: logId, at: clock(), count },
      previous: record?.version ?? null,
    });
    logger.info({ count }, 'the event log was verified');
  }

  async function turn(signal: AbortSignal): Promise<void> {
    try {
      if (every > 0 && (sealer === undefined || sealer.isDue())) {
        const found = await comparedSealer();
        if (found?.isDue() === true) await found.seal(await readBack());
      }
      if (isReady) await verifyWeekly(signal);
    } catch (error) {
      if (error instanceof AlteredLogError) onAltered(error);
      throw error;
    }
  }

  const comparing = compareAtStart();
  const subscriber = takeTurns({
    name: 'seals',
    lease,
    pause: every === 0 ? mostPauseMs : Math.min(every, mostPauseMs),
    monotonic,
    turn,
    async close(signal) {
      if (lease?.isHeld() !== false && !signal.aborted) await sealNow();
    },
  });
  return {
    subscriber: isSealing ? subscriber : undefined,
    seals: { newest: () => sealer?.newest(), listed: () => sealer?.listed() ?? [], sealNow },
    readBack: undefined,
    start: () => void (isReady = true),
    async close() {
      stopping.abort();
      await comparing;
      await sealer?.close();
    },
  };
}
