/** Compares a log with seals while it is read. After one that does not match nothing is known of the events before it, but what an older seal says. */
import { toHex, type Hash } from '../eventstore/chain.js';
import { missingSealed, type Restore } from './restores.js';
import { ofAnotherLog, type Seal } from './seal.js';
import { nowhere, type Difference } from './verify-difference.js';

export type SealContent = Pick<Seal, 'log_id' | 'count' | 'head' | 'root' | 'sealed_at'>;

interface ChainPoint {
  readonly logId: string | null;
  readonly count: number;
  readonly link: Hash;
  readonly root: () => Hash | undefined;
}

export function createSealChecks(seals: readonly SealContent[]) {
  const waiting = [...seals].sort((one, other) => one.count - other.count);
  const restores: Restore[] = [];
  let foreign: Difference | undefined;
  let holding: SealContent | undefined;
  let failing: { readonly seal: SealContent; readonly message: string } | undefined;

  return {
    take(reached: ChainPoint): void {
      if (reached.count === 1) foreign = foreignOf(seals, reached.logId);
      for (let [seal] = waiting; seal?.count === reached.count; [seal] = waiting) {
        waiting.shift();
        const message = wrongIn(seal, reached);
        // What fits after one that does not is of the altered log.
        if (failing !== undefined) continue;
        if (message === undefined) holding = seal;
        else failing = { seal, message: missingSealed(seal, restores) ?? `${message}${whence(seal, holding)}` };
      }
    },
    /** The log says so of itself. */
    restored: (restore: Restore | undefined): void => void (restore && restores.push(restore)),
    /** One of them is of another log. Known from the first event on. */
    foreign: () => foreign,
    /** The newest that fits, of those that were reached. */
    holding: () => holding,
    /** The oldest that does not fit, where it was reached. */
    difference(): Difference | undefined {
      if (failing === undefined) return undefined;
      const { seal, message } = failing;
      return { ...nowhere({ kind: 'sealed', ordinal: null, message }), until: seal.count };
    },
    /** The log ends before one of them. */
    shortened(count: number): Difference | undefined {
      const longest = waiting.at(-1);
      if (longest === undefined) return undefined;
      const lost = missingSealed(longest, restores);
      const message =
        lost ??
        `the log ends after event ${count}, the seal is of ${longest.count} events: it was shortened, or is an older copy`;
      return nowhere({ kind: 'shortened', ordinal: count + 1, message });
    },
  };
}

function foreignOf(seals: readonly SealContent[], logId: string | null): Difference | undefined {
  const [message] = seals.flatMap((seal) => ofAnotherLog(seal, logId ?? undefined) ?? []);
  return message === undefined ? undefined : nowhere({ kind: 'log', ordinal: null, message });
}

function wrongIn(seal: SealContent, { link, root }: ChainPoint): string | undefined {
  if (seal.head === toHex(link) && seal.root === toHex(root() ?? '')) return undefined;
  return `the history up to event ${seal.count} is not the one that was sealed at ${seal.sealed_at}: it was altered, and its links were computed again`;
}

function whence({ count }: SealContent, holding: SealContent | undefined): string {
  const until = `. The difference lies at or before event ${count}`;
  return holding === undefined
    ? `${until}; where, cannot be said without an older seal`
    : `${until} and after event ${holding.count}, for the seal of ${holding.sealed_at} holds`;
}
