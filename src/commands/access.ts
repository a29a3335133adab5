/** Who looked: each read is written down as a fact of its own, in the stream of its day. */
import { accessSchemas, type AccessEvent, type ReadKind } from '../events/access.js';
import { accessStream, undatedAccess } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler } from './command-handler.js';
import { knownBy, type Decider } from './decider.js';

export interface AuditedRead {
  /** See `RecordRead`. */
  readonly subject: string;
  readonly what: ReadKind;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Resolves when the record of the read is durable. @throws ServiceError `unavailable` */
export type RecordRead = (read: AuditedRead, context: CommandContext) => Promise<void>;

/** Two reads are two facts, so the same command yields an event each time. */
export const accessDecider: Decider<null, AuditedRead, AccessEvent> = {
  initial: null,
  isStateless: true,
  evolve: () => null,
  decide: (data) => [{ type: 'RecordRead', data }],
  knows: knownBy<AccessEvent>(accessSchemas),
};

/** Creates the recorder. `datedNow` returns the milliseconds since 1970, or undefined while the clock may be wrong, because a wrong day would hide the record. */
export const createRecordRead =
  (
    handler: Pick<CommandHandler<null, AuditedRead, AccessEvent>, 'execute'>,
    datedNow: () => number | undefined,
  ): RecordRead =>
  async (command, context) => {
    const now = datedNow();
    const stream = accessStream(now === undefined ? undatedAccess : dayOf(now));
    await handler.execute({ stream, command, context });
  };

/** In UTC. */
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
