/** Opens the auditor of the command line: log, evidence and, where there are any, views to look into first. */
import { createAudit } from '../audit/audit.js';
import { createLogSearch } from '../audit/find-in-log.js';
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
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';

/** @throws CommandFailedError @throws StoreUnavailableError */
export async function openAuditor(place: CommandPlace, terminal: CommandTerminal): Promise<Auditor> {
  const { clock, stderr, signal, monotonic } = terminal;
  const log = await place.openLog();
  let closeViews = async (): Promise<void> => undefined;
  const search = createLogSearch({
    log,
    signal,
    bar: createProgressBar(stderr, monotonic),
    async openViews() {
      const views = await openViews(log, place);
      closeViews = () => views?.close() ?? Promise.resolve();
      return views;
    },
    isUnavailable: (error) => error instanceof ReadModelsUnavailableError,
    onUnreadable: (reason) => void stderr.write(`The views cannot be read, so the log is searched: ${reason}\n`),
  });
  const kept = () => search.inViews((views) => views.keptHead());
  const emails = { ...search.hintsOfOne(), subjectOf };
  return {
    log,
    audit: createAudit({ reader: log, clock, logHead: logHeads(log, kept), emails }),
    async find(contact) {
      if ('email' in contact) return { stream: contactStream((await place.streamKeys(log)).contactKey(contact.email)) };
      const { contactId } = contact;
      return { stream: await search.streamOfContact(contactId), contactId };
    },
    async close() {
      try {
        await closeViews();
      } finally {
        await log.close();
      }
    },
  };
}

/** Undefined: nothing has been folded yet. */
async function openViews(log: EventReader, place: CommandPlace) {
  const views = await place.openViews();
  const close = () => views.close();
  try {
    await checkViews(log, views);
    if ((await views.checkpoint(checkpointName)) !== null)
      return {
        position: async () => (await views.checkpoint(checkpointName))?.position,
        streamOf: async (contactId: string) => (await views.get<ContactDocument>(contacts, contactId))?.document.stream,
        emailsTo: createQueries(views).emailsTo,
        keptHead: () => keptHead(views),
        close,
      };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}
