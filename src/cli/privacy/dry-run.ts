/** What an erasure would take away, counted in the log and the views without changing them. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readableContact } from '../../audit/reading.js';
import { isLaterPart } from '../../events/contact.js';
import { contactStream } from '../../events/streams.js';
import { withDigests } from '../../eventstore/chain.js';
import type { EventReader, StoredEvent } from '../../eventstore/event-store.js';
import { emails, type EmailDocument } from '../../projections/emails.js';
import { everyPage } from '../../projections/every-page.js';
import type { CommandLine } from '../command-line.js';
import { whileOpen } from '../while-open.js';
import { count } from './count.js';

export async function wouldGo(address: string, line: CommandLine): Promise<void> {
  await whileOpen(line.openLog(), async (log) => {
    const key = (await line.streamKeys(log)).contactKey(address);
    const found = { ...(await inLog(log, contactStream(key))), ...(await inViews(key, line)) };
    const { contact, events, emails: mails, open, files } = found;
    const words = `${contact ? 'A contact' : 'No contact'}, ${count(events, 'event')} with personal data, ${count(mails, 'e-mail')} (${open} to be cancelled), ${count(files, 'file')} of the outbox.`;
    await line.stdout.write(line.json ? `${JSON.stringify(found)}\n` : `${words} Nothing was changed.\n`);
  });
}

async function inLog(log: EventReader, stream: string) {
  let contact = false;
  let events = 0;
  for await (const batch of log.readStream(stream))
    for (const stored of batch) {
      contact = livesAfter(stored) ?? contact;
      const { data } = stored;
      if (withDigests(data) !== data) events += 1;
    }
  return { contact, events };
}

/** Undefined: the event says nothing of it. */
function livesAfter(stored: StoredEvent): boolean | undefined {
  if (stored.type === 'ContactCreated') return true;
  if (stored.type !== 'ContactErased') return undefined;
  const event = readableContact(stored)?.event;
  const isLater = event?.type === 'ContactErased' && isLaterPart(event.data, stored.revision);
  return isLater ? undefined : false;
}

/** E-mails whose text is there still. */
async function inViews(recipient_key: string, line: CommandLine) {
  const found = { emails: 0, open: 0, files: 0 };
  return await whileOpen(line.openViews(), async (views) => {
    const query = { where: { recipient_key }, sort: 'requested_position' };
    for await (const page of everyPage<EmailDocument>(views, emails, query))
      for (const { document } of page) {
        if (document.erased_at === null) found.emails += 1;
        if (document.open || document.state === 'held') found.open += 1;
        if (existsSync(path.join(line.dataDir, 'outbox', `${document.email_id}.eml`))) found.files += 1;
      }
    return found;
  });
}
