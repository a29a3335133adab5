/** The auditor's answers on the command line: the same functions as behind HTTP, over a log that is only read. */
import { createAudit, type Audit } from '../../audit/audit.js';
import { hintsOfOne, streamOfContact, type LogSearch } from '../../audit/find-in-log.js';
import { subjectOf } from '../../commands/mustache.js';
import { contactStream } from '../../events/streams.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { keptHead } from '../../evidence/link-blocks.js';
import { logHeads } from '../../evidence/log-head.js';
import { contacts, type ContactDocument } from '../../projections/contacts.js';
import { createQueries } from '../../projections/queries.js';
import { checkViews } from '../../projector/start.js';
import { checkpointName } from '../../projector/storage.js';
import { ReadModelsUnavailableError, type ReadModelReader } from '../../readmodels/read-models.js';
import type { CommandLine } from './command-line.js';
import { contactIn } from './options.js';
import { createProgressBar } from './progress-bar.js';
import { whileOpen } from './while-open.js';

export interface AuditSession {
  readonly line: CommandLine;
  readonly log: EventReader;
  /** Undefined: there are none, or not of this log. */
  views(): Promise<ReadModelReader | undefined>;
  readonly audit: Audit;
}

type Opened = Omit<AuditSession, 'audit'>;

/** Opens the log for as long as the action runs. @throws CommandFailedError @throws UnreadableHistoryError */
export async function auditing<Result>(
  line: CommandLine,
  action: (auditing: AuditSession) => Promise<Result>,
): Promise<Result> {
  return await whileOpen(line.openLog(), async (log) => {
    let opened: Promise<ReadModelReader | undefined> | undefined;
    const views = (): Promise<ReadModelReader | undefined> => (opened ??= viewsOf(log, line));
    const kept = async () => {
      const found = await views();
      return found && keptHead(found);
    };
    const search = searchOf({ line, log, views });
    const emails = {
      ...hintsOfOne(search, { position: () => positionOf(views), emailsTo: hintsFrom(views) }),
      subjectOf,
    };
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
export async function findContact(text: string, open: Opened): Promise<FoundContact> {
  const { line, log, views } = open;
  const contact = contactIn(text);
  if ('email' in contact) return { stream: contactStream((await line.streamKeys(log)).contactKey(contact.email)) };
  const { contactId } = contact;
  const shown = await (await views())?.get<ContactDocument>(contacts, contactId).catch(() => undefined);
  return { stream: await streamOfContact(contactId, searchOf(open), shown?.document.stream), contactId };
}

const searchOf = ({ line, log }: Opened): LogSearch => ({
  log,
  signal: line.signal,
  bar: createProgressBar(line.stderr, () => line.monotonic()),
});

const positionOf = async (views: AuditSession['views']): Promise<string | undefined> =>
  (await (await views())?.checkpoint(checkpointName))?.position;

const hintsFrom = (views: AuditSession['views']) =>
  async function* (recipientKey: string) {
    const found = await views();
    if (found === undefined) return false;
    try {
      yield* createQueries(found).emailsTo(recipientKey);
      return true;
    } catch (error) {
      if (!(error instanceof ReadModelsUnavailableError)) throw error;
      return false;
    }
  };
