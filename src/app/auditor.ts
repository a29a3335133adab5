/** Opens the auditor of the command line: log, evidence and, where there are any, views to look into first. */
import { createAudit } from '../audit/audit.js';
import { hintsOfOne, streamOfContact, type LogSearch } from '../audit/find-in-log.js';
import type { Auditor, CommandPlace, CommandTerminal } from '../cli/shared/command-line.js';
import { createProgressBar } from '../cli/shared/progress-bar.js';
import { subjectOf } from '../commands/mustache.js';
import { contactStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { keptHead } from '../evidence/link-blocks.js';
import { logHeads } from '../evidence/log-head.js';
import { contacts, type ContactDocument } from '../projections/contacts.js';
import { createQueries } from '../projections/queries.js';
import { checkViews } from '../projector/start.js';
import { checkpointName } from '../projector/storage.js';
import { ReadModelsUnavailableError, type ReadModelReader } from '../readmodels/read-models.js';

/** Undefined: there are none, or not of this log. */
type OpenViews = () => Promise<ReadModelReader | undefined>;

/** @throws CommandFailedError @throws StoreUnavailableError */
export async function openAuditor(place: CommandPlace, terminal: CommandTerminal): Promise<Auditor> {
  const { clock, stderr, signal, monotonic } = terminal;
  const log = await place.openLog();
  let opened: Promise<ReadModelReader | undefined> | undefined;
  const views: OpenViews = () => (opened ??= viewsOf(log, place));
  const kept = async () => {
    const found = await views();
    return found && keptHead(found);
  };
  const search: LogSearch = { log, signal, bar: createProgressBar(stderr, monotonic) };
  const emails = {
    ...hintsOfOne(search, { position: () => positionOf(views), emailsTo: hintsFrom(views) }),
    subjectOf,
  };
  return {
    log,
    audit: createAudit({ reader: log, clock, logHead: logHeads(log, kept), emails }),
    async find(contact) {
      if ('email' in contact) return { stream: contactStream((await place.streamKeys(log)).contactKey(contact.email)) };
      const { contactId } = contact;
      const shown = await (await views())?.get<ContactDocument>(contacts, contactId).catch(() => undefined);
      return { stream: await streamOfContact(contactId, search, shown?.document.stream), contactId };
    },
    async close() {
      try {
        await (await opened)?.close();
      } finally {
        await log.close();
      }
    },
  };
}

/** A view only makes it faster: where there are none that can be read, the log is searched. */
async function viewsOf(log: EventReader, { openViews, signal }: CommandPlace): Promise<ReadModelReader | undefined> {
  try {
    const views = await openViews();
    try {
      await checkViews(log, views);
      if ((await views.checkpoint(checkpointName)) !== null) return views;
    } catch (error) {
      await views.close();
      throw error;
    }
    await views.close();
  } catch {
    signal.throwIfAborted();
  }
  return undefined;
}

const positionOf = async (views: OpenViews): Promise<string | undefined> =>
  (await (await views())?.checkpoint(checkpointName))?.position;

const hintsFrom = (views: OpenViews) =>
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
