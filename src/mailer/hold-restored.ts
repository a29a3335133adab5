/** After a restore from a backup: every e-mail that was open then is held, because it may have been sent since. Before the mailer begins, so nothing else changes them meanwhile. */
import type { EmailCommand, EmailState } from '../commands/email.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { isUnreadable } from '../events/codec.js';
import type { EmailEvent } from '../events/email.js';
import { isEmailStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { contextOf, iso } from './job.js';
import { loadEmail } from './load.js';
import type { EndingReason } from './reasons.js';

interface HoldRestoredOptions {
  readonly reader: Pick<EventReader, 'readAll' | 'readStream'>;
  readonly handler: Pick<CommandHandler<EmailState, EmailCommand, EmailEvent>, 'execute'>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
  /** Of an e-mail that cannot be read, which no mailer sends either. */
  readonly onUnreadable: (stream: string) => void;
}

const restored: EndingReason = 'restored';
/** Each is read whole, with its content. */
const atOnce = 10;

/** When it resolves none is open; how many were held. @throws StoreUnavailableError @throws ServiceError `unavailable`; the signal's reason */
export async function holdRestored(options: HoldRestoredOptions): Promise<number> {
  const streams = (await mayBeOpen(options)).values();
  let held = 0;
  const work = async (): Promise<void> => {
    for (const stream of streams) {
      options.signal.throwIfAborted();
      if (await holdOne(options, stream)) held += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return held;
}

const ends: ReadonlySet<string> = new Set<EmailEvent['type']>([
  'EmailSent',
  'EmailFailed',
  'EmailHeld',
  'EmailCancelled',
  'EmailErased',
]);

/** By the last event of each, without what is in it. The e-mail's stream decides. */
async function mayBeOpen({ reader, signal }: HoldRestoredOptions): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for await (const events of reader.readAll({ signal }))
    for (const { stream, type } of events)
      if (ends.has(type)) open.delete(stream);
      else if (isEmailStream(stream)) open.add(stream);
  signal.throwIfAborted();
  return open;
}

async function holdOne({ reader, handler, clock, onUnreadable }: HoldRestoredOptions, stream: string) {
  try {
    const email = await loadEmail(reader, stream);
    if (email === undefined) return false;
    const context = contextOf({ email }, email.lastEventId);
    const { running, attempts: attempt } = email.state;
    const now = iso(clock());
    const ended = { reason: 'run_ended' satisfies EndingReason, judge: 'restore', run_ended: true, now } as const;
    if (running !== null) {
      const command = { type: 'RecordInDoubt', attempt, next_attempt_at: now, ...ended } as const;
      await handler.execute({ stream, command, context });
    }
    const command = { type: 'HoldEmail', reason: restored } as const;
    return (await handler.execute({ stream, command, context })).events.length > 0;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    onUnreadable(stream);
    return false;
  }
}
