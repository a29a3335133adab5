/** Begins an erasure, up to what is answered with 202: register, log, the end of the contact. What is left is to make nothing of it readable. */
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { unfinishedOf, type Erasure, type ErasureCommand, type ErasuresState } from '../commands/erasures.js';
import type { ErasureEvent } from '../events/erasures.js';
import { erasuresStream } from '../events/streams.js';
import type { Register } from './register.js';

interface Handlers {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly erasures: CommandHandler<ErasuresState, ErasureCommand, ErasureEvent>;
  /** Of what is requested. */
  readonly endContact: (erasureId: string) => Promise<void>;
}

interface Beginning {
  readonly asked: Pick<Erasure, 'erasure_id' | 'subject_key' | 'reason'>;
  /** The unfinished erasure of the person that does not take all. */
  readonly after?: string | undefined;
  readonly context: CommandContext;
}

/**
 * Each step is durable before the next. The register comes first: a log that is put back from a backup never lacks an erasure
 * that nobody knows of. Whoever is written after the end of the contact is somebody new.
 */
export function createBeginning(
  { clock, erasures, endContact }: Handlers,
  { intend, drop, keep }: Pick<Register, 'intend' | 'drop'> & { keep(state: ErasuresState): Promise<void> },
) {
  /** @throws ServiceError `unavailable` @throws what the file system throws */
  return async ({ asked, after, context }: Beginning) => {
    const intended = { ...asked, requested_at: new Date(clock()).toISOString() };
    const command = { type: 'Request', ...asked, reason: asked.reason ?? undefined, after } as const;
    await intend(intended);
    const { state, position } = await erasures.execute({ stream: erasuresStream, command, context });
    const own = state.all.get(asked.erasure_id);
    if (own === undefined) await drop(intended);
    const erasure = own ?? unfinishedOf(state, asked.subject_key);
    if (erasure !== undefined) await endContact(erasure.erasure_id);
    await keep(state);
    return { erasure, position };
  };
}
