/** E-mails that are just being sent: what an unfinished erasure of their recipient waits for. */
import type { Erasure } from '../../commands/erasures.js';
import { emails, type EmailDocument } from '../../projections/emails.js';
import { everyPage } from '../../projections/every-page.js';
import type { ReadModelReader } from '../../readmodels/read-models.js';
import type { CommandLine } from '../command-line.js';
import { whileOpen } from '../while-open.js';

export interface SendingEmail {
  readonly email_id: string;
  /** When the attempt is over at the latest. */
  readonly until: string | null;
}

/** By erasure id. The views are opened only where an erasure is unfinished. */
export async function emailsBeingSent(
  erasures: readonly Erasure[],
  line: Pick<CommandLine, 'openViews'>,
): Promise<ReadonlyMap<string, readonly SendingEmail[]>> {
  const unfinished = erasures.filter(({ completed }) => completed === null);
  if (unfinished.length === 0) return new Map();
  return await whileOpen(line.openViews(), async (views) => {
    const found = new Map<string, readonly SendingEmail[]>();
    for (const { erasure_id, subject_key } of unfinished) found.set(erasure_id, await sendingTo(subject_key, views));
    return found;
  });
}

async function sendingTo(recipient_key: string, views: ReadModelReader): Promise<readonly SendingEmail[]> {
  const found: SendingEmail[] = [];
  const query = { where: { recipient_key }, sort: 'requested_position' };
  for await (const page of everyPage<EmailDocument>(views, emails, query))
    for (const { document } of page)
      if (document.state === 'sending') found.push({ email_id: document.email_id, until: document.deadline });
  return found;
}
