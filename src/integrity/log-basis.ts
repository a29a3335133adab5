/** Where a log ends and which seal covers its events: what answers of auditors rest on. */
import type { LogBasis, SealOfAnswer } from '../audit/answers.js';
import type { AuditSources } from '../audit/basis.js';
import type { EventReader, Position } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { fingerprintOf, type KnownSeal } from './seal.js';

interface LogBasisSources {
  readonly log: Pick<EventReader, 'readStream' | 'head'>;
  /** Returns the number of the event at this position, or undefined if it has not been counted. */
  readonly ordinalAt: (position: Position) => Promise<number | undefined>;
  /** Returns the newest seal that holds. */
  readonly newestSeal: () => Promise<KnownSeal | undefined>;
}

export function createLogBasis({
  log,
  ordinalAt,
  newestSeal,
}: LogBasisSources): Pick<AuditSources, 'logBasis' | 'sealOf'> {
  let logId: string | undefined;
  return {
    async logBasis(): Promise<LogBasis> {
      logId ??= await readLogId(log);
      const position = await log.head();
      // On servers another process counts the events, and the newest may not be counted yet.
      return { log_id: logId ?? null, position, count: (await ordinalAt(position)) ?? null };
    },
    async sealOf(position) {
      const seal = await newestSeal();
      if (seal === undefined) return null;
      const ordinal = await ordinalAt(position);
      return ordinal !== undefined && ordinal <= seal.count ? sealOfAnswerFrom(seal) : null;
    },
  };
}

export function sealOfAnswerFrom({ seq, restores, count, root, sealed_at, public_key }: KnownSeal): SealOfAnswer {
  return { seq, restores: restores ?? 0, count, root, sealed_at, key_fingerprint: fingerprintOf(public_key) };
}
