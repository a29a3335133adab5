/** Holds e-mails that have waited for too long while the relay takes none from anybody: meanwhile nothing else is written for them. */
import type { EmailCommand } from '../commands/email.js';
import { isUnreadable } from '../events/codec.js';
import { contextOf, iso, type AttemptOptions } from './job.js';
import { loadEmail } from './load.js';
import type { EndingReason } from './reasons.js';

export interface HoldOverdueOptions extends Pick<
  AttemptOptions,
  'reader' | 'handler' | 'clock' | 'timings' | 'report'
> {
  /** Streams of open e-mails that wait since before this time, the longest first. Only a hint: the e-mail's stream decides. */
  readonly overdue: (before: string, limit: number) => Promise<readonly { readonly stream: string }[]>;
}

const portion = 500;
/** Each is read whole, with its content. */
const atOnce = 10;

/** One portion, and how many of it are held now: while there are any, there may be more. @throws what the view and the log throw */
export async function holdOverdue(
  options: HoldOverdueOptions,
  reason: EndingReason,
  signal: AbortSignal,
): Promise<number> {
  const { overdue, clock, timings, report } = options;
  const before = iso(clock() - timings.giveUp);
  const streams = (await overdue(before, portion)).values();
  let held = 0;
  const work = async (): Promise<void> => {
    for (const { stream } of streams) {
      if (signal.aborted) return;
      if (await holdOne(options, stream, { type: 'HoldEmail', reason, waiting_before: before })) held += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (held > 0) report({ type: 'held_overdue', emails: held, reason });
  return held;
}

async function holdOne(
  { reader, handler }: HoldOverdueOptions,
  stream: string,
  command: Extract<EmailCommand, { type: 'HoldEmail' }>,
): Promise<boolean> {
  try {
    const email = await loadEmail(reader, stream);
    if (email === undefined) return false;
    const { events } = await handler.execute({ stream, command, context: contextOf({ email }, email.lastEventId) });
    return events.length > 0;
  } catch (error) {
    // Told of when it is due. Others must not wait for it.
    if (isUnreadable(error)) return false;
    throw error;
  }
}
