/** Leases in MongoDB: each one document. Several processes measure by the server's clock, so that theirs may differ. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document as BsonDocument, Filter } from 'mongodb';
import { isDuplicate, type MongoConnection } from './client.js';
import { byId } from './documents.js';
import { longestLeaseMs, type ReadModels } from '../read-models.js';

interface StoredLease {
  readonly _id: string;
  readonly holder: string;
  readonly epoch: number;
  readonly expires_at: Date;
}

interface WantedLease {
  readonly name: string;
  readonly holder: string;
  /** Milliseconds. */
  readonly ttl: number;
}

type HeldLease = WantedLease & { readonly epoch: number };

/** Milliseconds that a renewal waits for others: leases of one duration are renewed at the same time. */
const gatherMs = 10;

/**
 * Renewals of one moment are one command. A lease counts from a moment before the call: a holder must, too. A wrong clock
 * of a server could at most cost a change of holder, since the epoch fences the writes.
 */
export function createLeases(
  { db, run, runInOrder }: MongoConnection,
  now?: () => number,
): Pick<ReadModels, 'lease' | 'fenceOff'> {
  const leases = db.collection<StoredLease>('leases');
  /** As they were last given here, by name. */
  const held = new Map<string, HeldLease>();
  let gathered: HeldLease[] = [];
  let renewing: Promise<boolean> | undefined;

  /** In an expression. */
  const time = (): Date | string => (now === undefined ? '$$NOW' : new Date(now()));
  const expiry = (ttl: number): BsonDocument => ({ $add: [time(), ttl] });
  /** Returns an expression that tells whether a lease has run out. An absent lease has run out, too. */
  const isOver = (): BsonDocument => {
    const expiresAt = { $ifNull: ['$expires_at', new Date(0)] };
    return { $or: [{ $lte: [expiresAt, time()] }, { $gt: [expiresAt, expiry(longestLeaseMs)] }] };
  };

  /** Undecided between them where not all could be renewed: each is then asked for by itself. */
  function renew(lease: HeldLease): Promise<boolean> {
    gathered.push(lease);
    return (renewing ??= sleep(gatherMs).then(renewGathered));
  }

  async function renewGathered(): Promise<boolean> {
    const renewed = gathered;
    gathered = [];
    renewing = undefined;
    const operations = renewed.map(({ name, holder, epoch, ttl }) => {
      const filter: Filter<StoredLease> = {
        _id: { $eq: name },
        holder: { $eq: holder },
        epoch: { $eq: epoch },
        // If the clock of the server was set back, the holder may still renew its lease.
        $expr: { $gt: ['$expires_at', time()] },
      };
      return { updateOne: { filter, update: [{ $set: { expires_at: expiry(ttl) } }] } };
    });
    const { matchedCount } = await runInOrder('reading', ({ session }) =>
      leases.bulkWrite(operations, { ordered: false, session }),
    );
    return matchedCount === operations.length;
  }

  async function take({ name, holder, ttl }: WantedLease): Promise<{ readonly epoch: number } | null> {
    const isFree = isOver();
    const isOurs = { $or: [isFree, { $eq: ['$holder', { $literal: holder }] }] };
    const change = {
      epoch: { $cond: [isFree, { $add: [{ $ifNull: ['$epoch', 0] }, 1] }, '$epoch'] },
      holder: { $cond: [isOurs, { $literal: holder }, '$holder'] },
      expires_at: { $cond: [isOurs, expiry(ttl), '$expires_at'] },
    };
    try {
      const stored = await runInOrder('reading', ({ session }) =>
        leases.findOneAndUpdate(byId(name), [{ $set: change }], { upsert: true, returnDocument: 'after', session }),
      );
      return stored?.holder === holder ? { epoch: stored.epoch } : null;
    } catch (error) {
      // Somebody else was first.
      if (isDuplicate(error)) return null;
      throw error;
    }
  }

  return {
    async lease(name, holder, ttl) {
      const wanted = { name, holder, ttl };
      const last = held.get(name);
      if (ttl > 0 && last?.holder === holder) {
        if (await renew({ ...wanted, epoch: last.epoch })) return { epoch: last.epoch };
        // Given back meanwhile: it is not to be taken again.
        if (held.get(name) !== last) return null;
      }
      held.delete(name);
      const taken = await take(wanted);
      if (taken !== null && ttl > 0) held.set(name, { ...wanted, ...taken });
      return taken;
    },
    fenceOff: (name, epoch) =>
      run('reading', async () => {
        const lapsed = { _id: { $eq: name }, epoch: { $gte: epoch }, $expr: isOver() };
        return (await leases.updateOne(lapsed, { $inc: { epoch: 1 } })).matchedCount > 0;
      }),
  };
}
