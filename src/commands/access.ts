/** Who looked: each read is written down as a fact of its own, in the stream of its day. */
import { accessSchemas, type AccessEvent, type ReadKind } from '../events/access.js';
import { accessStream } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler } from './command-handler.js';
import { knownBy, type Decider } from './decider.js';

export interface Read {
  /** See `RecordRead`. */
  readonly subject: string;
  readonly what: ReadKind;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Resolves when it is durable who read what. @throws ServiceError `unavailable` */
export type RecordRead = (read: Read, context: CommandContext) => Promise<void>;

/** Asked twice is read twice, so the same command yields an event each time. */
export const accessDecider: Decider<null, Read, AccessEvent> = {
  initial: null,
  isStateless: true,
  evolve: () => null,
  decide: (data) => [{ type: 'RecordRead', data }],
  knows: knownBy<AccessEvent>(accessSchemas),
};

/** `now`: milliseconds since the epoch. */
export const createRecordRead =
  (handler: Pick<CommandHandler<null, Read, AccessEvent>, 'execute'>, now: () => number): RecordRead =>
  async (command, context) => {
    await handler.execute({ stream: accessStream(dayOf(now())), command, context });
  };

/** In UTC. */
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
