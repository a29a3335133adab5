/** The auditor's answers on the command line: the same functions as behind HTTP, over a log that is only read. */
import { z } from 'zod';
import { createAudit, type Audit } from '../../audit/audit.js';
import type { EmailHint, EmailHints } from '../../audit/emails.js';
import { jsonOrText } from '../../audit/redaction.js';
import { subjectOf } from '../../commands/mustache.js';
import { ServiceError } from '../../errors.js';
import { contactStream } from '../../events/streams.js';
import type { EventReader, StoredEvent } from '../../eventstore/event-store.js';
import { keptHead } from '../../evidence/link-blocks.js';
import { logHeads } from '../../evidence/log-head.js';
import { contacts, type ContactDocument } from '../../projections/contacts.js';
import { createQueries } from '../../projections/queries.js';
import { checkViews } from '../../projector/start.js';
import { checkpointName } from '../../projector/storage.js';
import { ReadModelsUnavailableError, type ReadModelReader } from '../../readmodels/read-models.js';
import { contactIn } from './options.js';
import type { CommandLine } from '../command-line.js';
import { createProgressBar } from '../progress-bar.js';
import { whileOpen } from '../while-open.js';

export interface Auditing {
  readonly line: CommandLine;
  readonly log: EventReader;
  /** Undefined: there are none, or not of this log. */
  views(): Promise<ReadModelReader | undefined>;
  readonly audit: Audit;
}

/** Opens the log for as long as the action runs. @throws CommandFailedError @throws UnreadableHistoryError */
export async function auditing<Result>(
  line: CommandLine,
  action: (auditing: Auditing) => Promise<Result>,
): Promise<Result> {
  return await whileOpen(line.openLog(), async (log) => {
    let opened: Promise<ReadModelReader | undefined> | undefined;
    const views = (): Promise<ReadModelReader | undefined> => (opened ??= viewsOf(log, line));
    const kept = async () => {
      const found = await views();
      return found && keptHead(found);
    };
    const emails = emailHints({ line, log, views });
    const audit = createAudit({ reader: log, clock: line.clock, logHead: logHeads(log, kept), emails });
    return await action({ line, log, views, audit }).finally(async () => (await opened)?.close());
  });
}

/** A view only makes it faster: where there are none that can be read, the log is searched. */
async function viewsOf(log: EventReader, line: CommandLine): Promise<ReadModelReader | undefined> {
  try {
    const views = await line.openViews();
    try {
      await checkViews(log, views);
      if ((await views.checkpoint(checkpointName)) !== null) return views;
    } catch (error) {
      await views.close();
      throw error;
    }
    await views.close();
  } catch {
    line.signal.throwIfAborted();
  }
  return undefined;
}

export interface FoundContact {
  readonly stream: string;
  readonly contactId?: string;
}

/** The stream follows from an address; for an id it is found in the views, else in the log. @throws UsageError @throws ServiceError `no_such_contact` */
export async function findContact(text: string, open: Omit<Auditing, 'audit'>): Promise<FoundContact> {
  const { line, log } = open;
  const contact = contactIn(text);
  if ('email' in contact) return { stream: contactStream((await line.streamKeys(log)).contactKey(contact.email)) };
  const { contactId } = contact;
  const shown = await streamInViews(contactId, open);
  // The view may be wrong.
  if (shown !== undefined && (await isBegunIn(log, shown, contactId))) return { stream: shown, contactId };
  let stream: string | undefined;
  await searchLog('looking for the contact', open, (event) => {
    if (begins(event, contactId)) stream = event.stream;
    return stream !== undefined;
  });
  if (stream === undefined) throw new ServiceError('no_such_contact');
  return { stream, contactId };
}

async function streamInViews(contactId: string, { views }: Pick<Auditing, 'views'>): Promise<string | undefined> {
  const found = await views();
  return (await found?.get<ContactDocument>(contacts, contactId).catch(() => undefined))?.document.stream;
}

async function isBegunIn(log: EventReader, stream: string, contactId: string): Promise<boolean> {
  for await (const events of log.readStream(stream)) if (events.some((event) => begins(event, contactId))) return true;
  return false;
}

/** Until `isFound` says so, or to the end. */
async function searchLog(
  phase: string,
  { line, log }: Pick<Auditing, 'line' | 'log'>,
  isFound: (event: StoredEvent) => boolean,
): Promise<void> {
  const bar = createProgressBar(line.stderr, () => line.monotonic());
  let done = 0;
  try {
    for await (const events of log.readAll({ signal: line.signal })) {
      if (events.some(isFound)) return;
      bar.report({ phase, done: (done += events.length) });
    }
    line.signal.throwIfAborted();
  } finally {
    bar.clear();
  }
}

/** From the view where it can be read, else from one search of the log. */
function emailHints(open: Omit<Auditing, 'audit'>): EmailHints {
  let searched: Promise<readonly EmailHint[]> | undefined;
  return {
    async until() {
      const known = await (await open.views())?.checkpoint(checkpointName);
      return known?.position ?? (await open.log.head());
    },
    async *to(recipientKey) {
      const views = await open.views();
      try {
        if (views !== undefined && searched === undefined) return yield* createQueries(views).emailsTo(recipientKey);
      } catch (error) {
        if (!(error instanceof ReadModelsUnavailableError)) throw error;
      }
      yield await (searched ??= emailsInLog(recipientKey, open));
    },
    subjectOf,
  };
}

async function emailsInLog(recipientKey: string, open: Pick<Auditing, 'line' | 'log'>): Promise<readonly EmailHint[]> {
  const found = new Map<string, EmailHint>();
  await searchLog('looking for e-mails', open, ({ type, stream, position, data }) => {
    const known = found.get(stream);
    if (known !== undefined) found.set(stream, { ...known, last: position });
    else if (type === 'EmailRequested' && data.includes(recipientKey))
      found.set(stream, { stream, first: position, last: position });
    return false;
  });
  return [...found.values()];
}

const created = z.object({ contact_id: z.string() });

/** Nearly no event needs to be parsed. */
function begins({ type, data }: { readonly type: string; readonly data: string }, contactId: string): boolean {
  if (type !== 'ContactCreated' || !data.includes(contactId)) return false;
  return created.safeParse(jsonOrText(data)).data?.contact_id === contactId;
}
