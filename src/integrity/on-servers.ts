/** Watches over a log on EventStoreDB: compares it with the newest seal, seals what the follower has read, and verifies the whole log once a week. One process at a time does this. */
import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { EventReader } from '../eventstore/event-store.js';
import { AlteredLogError, logSourceOf } from '../eventstore/log-source.js';
import { frontierAt, rootOf, type Frontier, type TreeSource } from '../eventstore/tree.js';
import { takeTurns, type Clocks, type Subscriber, type WorkLease } from '../flow/subscriber.js';
import type { ReadModels } from '../readmodels/read-models.js';
import { inWords } from './findings.js';
import { createSealer, type Sealer } from './sealer.js';
import type { Seal } from './seal.js';
import { chooseSeals, findSeals, type SealKeys, type SealPlaces } from './seal-store.js';
import type { ServiceSeals } from './service-proofs.js';
import { checkStart, type StartCheck } from './start-check.js';
import { verifyLog } from './verify.js';

const verifyEveryMs = 7 * 24 * 60 * 60_000;
const verifyShare = 0.25;
const mostPauseMs = 60_000;
const recordName = 'verified';
const verifiedRecord = z.object({ log_id: z.string(), at: z.number(), count: z.number() });

interface ServerLogWatch {
  readonly subscriber: Subscriber<'turn'>;
  /** `sealNow` seals what the follower has read. */
  readonly seals: ServiceSeals;
  close(): Promise<void>;
}

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
  readonly lease: WorkLease | undefined;
  readonly readModels: Pick<ReadModels, 'readRecord' | 'putRecord'>;
  /** Called once when the log is not what was sealed or read. */
  readonly onAltered: (error: AlteredLogError) => void;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export function watchServerLog(options: ServerLogWatchOptions): ServerLogWatch {
  const { log, tree, reached, logId, places, every, key, keys, restoredKey, lease, readModels } = options;
  const { onAltered, logger, clock, monotonic } = options;
  const stopping = new AbortController();
  let sealer: Sealer | undefined;

  /** Compares the log with its newest seal. Undefined while the follower has not stored the tree up to that seal. @throws AlteredLogError */
  async function compare(): Promise<StartCheck | undefined> {
    const found = await findSeals(places);
    const superseded = chooseSeals(found, keys).counted().next().value?.seal;
    const count = Math.max(superseded?.count ?? 0, await tree.count());
    if ((await tree.isBehind?.(count)) === true) return undefined;
    return await checkStart({ log, tree, logId, found, keys, restoredKey, pending: undefined, isShared: true });
  }

  /** Other processes may have made seals, so the seals are read again each time. */
  async function comparedSealer(): Promise<Sealer | undefined> {
    const compared = await compare();
    if (compared === undefined) return undefined;
    if (sealer === undefined)
      sealer = createSealer({ ...{ places, every, key, logId, log, tree, known: compared, logger, clock, monotonic } });
    else sealer.learn(compared);
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
    for (let wait = 1_000; !stopping.signal.aborted; wait = Math.min(2 * wait, mostPauseMs)) {
      try {
        if ((await comparedSealer()) !== undefined) return;
      } catch (error) {
        if (error instanceof AlteredLogError) return onAltered(error);
        logger.warn({ err: error }, 'the log cannot be compared with its newest seal; this is repeated');
      }
      await pause(wait, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  async function verifyWeekly(signal: AbortSignal): Promise<void> {
    const record = await readModels.readRecord(recordName);
    const last = verifiedRecord.safeParse(record?.value).data;
    if (last?.log_id === logId && clock() - last.at < verifyEveryMs) return;
    const source = logSourceOf(log, tree);
    const seals = (await sealer?.counted()) ?? [];
    const { difference, count } = await verifyLog({ source, seals, restoredKey, share: verifyShare, signal });
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
      await verifyWeekly(signal);
    } catch (error) {
      if (error instanceof AlteredLogError) onAltered(error);
      throw error;
    }
  }

  const comparing = compareAtStart();
  return {
    subscriber: takeTurns({
      name: 'seals',
      lease,
      pause: every === 0 ? mostPauseMs : Math.min(every, mostPauseMs),
      monotonic,
      turn,
      async close(signal) {
        if (lease?.isHeld() !== false && !signal.aborted) await sealNow();
      },
    }),
    seals: { newest: () => sealer?.newest(), listed: () => sealer?.listed() ?? [], sealNow },
    async close() {
      stopping.abort();
      await comparing;
      await sealer?.close();
    },
  };
}
