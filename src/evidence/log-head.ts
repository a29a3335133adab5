/** The end of a log and of its chain, of one moment: what an answer from the log rests on. */
import { readLogId } from '../eventstore/log-id.js';
import type { LogHead } from '../audit/answers.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader } from '../eventstore/event-store.js';

type Log = Pick<EventReader, 'readStream' | 'head'> & { chainHead?(): ChainHead | undefined };

const none = { count: null, head: null, position: undefined };

/** `kept`: where the log has no chain of its own, the one that is kept beside the views; undefined where there is none. */
export function logHeads(log: Log, kept: () => Promise<ChainHead | undefined>): () => Promise<LogHead> {
  let logId: string | undefined;
  return async () => {
    logId ??= await readLogId(log);
    const log_id = logId ?? null;
    const own = log.chainHead?.();
    if (own !== undefined) return { log_id, position: own.position, ordinal: own.count, head: own.head };
    // Before the end of the log: so the chain is never beyond it.
    const { count: ordinal, head, position: end } = (await kept()) ?? none;
    const position = await log.head();
    return { log_id, position, ordinal, head, ...(end === position ? {} : { unlinked: true }) };
  };
}
