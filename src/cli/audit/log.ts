/** The auditor's answers on the command line: the same functions as behind HTTP, over a log that is only read. */
import { z } from 'zod';
import { createAudit, type Audit } from '../../audit/audit.js';
import { jsonOrText } from '../../audit/feed.js';
import { contactStream } from '../../events/streams.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { contacts, type ContactDocument } from '../../projections/contacts.js';
import { contactIn } from './options.js';
import type { CommandLine } from '../command-line.js';
import { CommandFailedError } from '../../transfer/failures.js';
import { createProgressBar } from '../progress-bar.js';

export interface Auditing {
  readonly line: CommandLine;
  readonly log: EventReader;
  readonly audit: Audit;
}

/** Opens the log for as long as the action runs. @throws CommandFailedError @throws UnreadableHistoryError */
export async function auditing<Result>(
  line: CommandLine,
  action: (auditing: Auditing) => Promise<Result>,
): Promise<Result> {
  const log = await line.openLog();
  try {
    return await action({ line, log, audit: createAudit(log) });
  } finally {
    await log.close();
  }
}

export interface FoundContact {
  readonly stream: string;
  readonly contactId?: string;
}

/** The stream follows from an address; for an id it is found in the views, else in the log. @throws UsageError @throws CommandFailedError */
export async function findContact(text: string, { line, log }: Auditing): Promise<FoundContact> {
  const contact = contactIn(text);
  if ('email' in contact) return { stream: contactStream((await line.streamKeys(log)).contactKey(contact.email)) };
  const { contactId } = contact;
  const shown = await streamInViews(contactId, line);
  // The views may belong to another log, or be older than this one.
  if (shown !== undefined && (await isBegunIn(log, shown, contactId))) return { stream: shown, contactId };
  const stream = await streamInLog(contactId, { line, log });
  if (stream === undefined) throw nothingKnown();
  return { stream, contactId };
}

export const nothingKnown = (): CommandFailedError =>
  new CommandFailedError('No such contact or list.', { type: 'not_found' });

/** A view only makes it faster: where it cannot be read, the log is searched. */
async function streamInViews(contactId: string, line: CommandLine): Promise<string | undefined> {
  try {
    const views = await line.openViews();
    try {
      return (await views.get<ContactDocument>(contacts, contactId))?.document.stream;
    } finally {
      await views.close();
    }
  } catch {
    line.signal.throwIfAborted();
    return undefined;
  }
}

async function isBegunIn(log: EventReader, stream: string, contactId: string): Promise<boolean> {
  for await (const events of log.readStream(stream)) if (events.some((event) => begins(event, contactId))) return true;
  return false;
}

async function streamInLog(contactId: string, { line, log }: Pick<Auditing, 'line' | 'log'>) {
  const bar = createProgressBar(line.stderr, () => line.monotonic());
  let done = 0;
  try {
    for await (const events of log.readAll({ signal: line.signal })) {
      const found = events.find((event) => begins(event, contactId));
      if (found !== undefined) return found.stream;
      bar.report({ phase: 'looking for the contact', done: (done += events.length) });
    }
    line.signal.throwIfAborted();
    return undefined;
  } finally {
    bar.clear();
  }
}

const created = z.object({ contact_id: z.string() });

/** Nearly no event needs to be parsed. */
function begins({ type, data }: { readonly type: string; readonly data: string }, contactId: string): boolean {
  if (type !== 'ContactCreated' || !data.includes(contactId)) return false;
  return created.safeParse(jsonOrText(data)).data?.contact_id === contactId;
}
