/** Begins an erasure, up to what is answered with 202: register, log, the end of the contact. What is left is to make nothing of it readable. */
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { ContactState } from '../commands/contact-state.js';
import type { ContactCommand } from '../commands/contact.js';
import { unfinishedOf, type Erasure, type ErasureCommand, type ErasuresState } from '../commands/erasures.js';
import type { ContactEvent } from '../events/contact.js';
import type { ErasureEvent } from '../events/erasures.js';
import { contactStream, erasuresStream } from '../events/streams.js';
import type { Register } from './register.js';

interface Handlers {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly contacts: CommandHandler<ContactState, ContactCommand, ContactEvent>;
  readonly erasures: CommandHandler<ErasuresState, ErasureCommand, ErasureEvent>;
}

interface Beginning {
  readonly asked: Pick<Erasure, 'erasure_id' | 'subject_key' | 'reason'>;
  /** The unfinished erasure of the person that does not take all. */
  readonly after?: string | undefined;
  readonly context: CommandContext;
}

interface Ended {
  readonly erasure_id: string;
  readonly subject_key: string;
  readonly reason?: string | null | undefined;
}

/** Appends ContactErased: from then on the person is not there, and another contact may begin. */
export async function endContact(
  contacts: Handlers['contacts'],
  { erasure_id, subject_key, reason }: Ended,
  context: CommandContext,
): Promise<ContactState> {
  const command = { type: 'Erase', erasure_id, reason: reason ?? undefined } as const;
  return (await contacts.execute({ stream: contactStream(subject_key), command, context })).state;
}

/**
 * Each step is durable before the next. The register comes first: a log that is put back from a backup never lacks an erasure
 * that nobody knows of. Whoever is written after the end of the contact is somebody new.
 */
export function createBeginning(
  { clock, contacts, erasures }: Handlers,
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
    else if ((await contacts.fresh(contactStream(own.subject_key))).state.contactId !== null)
      await endContact(contacts, own, context);
    await keep(state);
    return { erasure: own ?? unfinishedOf(state, asked.subject_key), position };
  };
}
