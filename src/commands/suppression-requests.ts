/** What clients can ask for of refused mail: an address is suppressed, a scope released, an erased person's refusals forgotten. */
import { suppressionStream, type StreamKeys } from '../events/streams.js';
import { everyMail, forgottenReason, type Suppression, type SuppressionEvent } from '../events/suppressions.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler, CommandResult } from './command-handler.js';
import type { SuppressionCommand, SuppressionState } from './suppressions.js';

/** Of the streams of addresses. */
export type SuppressionHandler = CommandHandler<SuppressionState, SuppressionCommand, SuppressionEvent>;

interface SuppressAddress extends Pick<Suppression, 'scope' | 'reason'> {
  readonly email: string;
  readonly note?: string | undefined;
}

/** What a request has come to: whether something was written, and what is refused now. */
interface ChangedSuppressions extends Pick<SuppressionState, 'active'> {
  readonly isChanged: boolean;
  readonly position: string;
}

export interface SuppressionRequestsOptions {
  readonly suppressions: SuppressionHandler;
  readonly keys: Pick<StreamKeys, 'contactKey'>;
  /** @throws ServiceError `unknown_list` */
  readonly demandList: (listId: string) => Promise<void>;
}

/** Each of them throws a ServiceError: `unknown_list`, or `unavailable`. */
export function createSuppressionRequests({ suppressions, keys, demandList }: SuppressionRequestsOptions) {
  const streamOf = (email: string): string => suppressionStream(keys.contactKey(email));

  return {
    /** `isLikelyNew`: a guess, which saves a read where it is right, and costs an append where it is not. */
    async suppress(
      { scope, reason, email, note }: SuppressAddress,
      context: CommandContext,
      isLikelyNew = false,
    ): Promise<ChangedSuppressions> {
      if (scope !== everyMail) await demandList(scope);
      const person = note === undefined ? { email } : { email, note };
      const command = { type: 'Suppress', entries: [{ scope, reason }], person } as const;
      const stream = streamOf(email);
      return changed(await suppressions.execute({ stream, command, context, assumeNew: isLikelyNew }));
    },

    /** Also of a list that was deleted. */
    async release(
      { email, ...asked }: Pick<SuppressAddress, 'email' | 'scope' | 'note'> & { readonly reason: string },
      context: CommandContext,
    ): Promise<ChangedSuppressions> {
      const command = { type: 'Release', ...asked } as const;
      return changed(await suppressions.execute({ stream: streamOf(email), command, context }));
    },

    /** Mail to an erased person is refused no more. */
    async forget(contactKey: string, context: CommandContext): Promise<void> {
      const command = { type: 'Release', scope: everyMail, reason: forgottenReason } as const;
      await suppressions.execute({ stream: suppressionStream(contactKey), command, context });
    },
  };
}

const changed = ({ state, events, position }: CommandResult<SuppressionState, unknown>): ChangedSuppressions => ({
  isChanged: events.length > 0,
  active: state.active,
  position,
});
