/** Opens the auditor of the command line: the log, its seals and, if there are any, views to look into first. */
import { createAudit } from '../audit/audit.js';
import { createLogSearch } from '../audit/find-in-log.js';
import type { Auditor, CommandPlace, CommandTerminal } from '../cli/shared/command-line.js';
import { createProgressBar } from '../cli/shared/progress-bar.js';
import { subjectOf } from '../commands/mustache.js';
import { contactStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { logSourceOf } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { firstHolding } from '../integrity/compare-seals.js';
import { recordedRestores } from '../integrity/restores.js';
import { readKeptSeals } from '../integrity/seal-store.js';
import { createLogBasis } from '../integrity/log-basis.js';
import type { KnownSeal } from '../integrity/seal.js';
import { storedTree } from '../integrity/server-blocks.js';
import { contacts, type ContactDocument } from '../projections/contacts.js';
import { emailsTo } from '../projections/email-worklist.js';
import { checkViews } from '../projector/start.js';
import { checkpointName, hasStorages } from '../projector/storage.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';

/** @throws ConfigurationError @throws CommandFailedError @throws StoreUnavailableError */
export async function openAuditor(place: CommandPlace, terminal: CommandTerminal): Promise<Auditor> {
  const { clock, stderr, signal, monotonic } = terminal;
  // Refuse incomplete settings before anything is read.
  place.stores();
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
  // A log on EventStoreDB keeps its tree beside the views.
  async function inTree<Answer>(ask: (tree: TreeSource) => Promise<Answer>): Promise<Answer | undefined> {
    const { tree } = logSourceOf(log);
    return tree === undefined ? await search.inViews((views) => ask(views.tree)) : await ask(tree);
  }
  const ordinalAt = async (position: string) => (await inTree((tree) => tree.ordinalsAt([position])))?.[0];
  let holding: Promise<KnownSeal | undefined> | undefined;
  const newestSeal = () => (holding ??= inTree((tree) => newestHolding(log, place, { tree, stderr })));
  const emails = { ...search.hintsOfOne(), subjectOf };
  return {
    log,
    audit: createAudit({ reader: log, clock, ...createLogBasis({ log, ordinalAt, newestSeal }), emails }),
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

interface SealsOf extends Pick<CommandTerminal, 'stderr'> {
  readonly tree: TreeSource;
}

/** Returns the newest seal of the service that fits the stored tree. */
async function newestHolding(log: EventReader, place: CommandPlace, { tree, stderr }: SealsOf) {
  const onNotice = (notice: string): void => void stderr.write(`${notice}\n`);
  const { counted } = await readKeptSeals(log, place, { onNotice }).catch((error: unknown) => {
    // Another user may read the log and not the seals. The answer is the same, and names no seal.
    onNotice(`The seals of the service cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return { counted: [] };
  });
  const seals = counted.map(({ seal }) => seal);
  const restores = await recordedRestores(log, await place.restoredKey(log));
  return await firstHolding(seals, { log, tree, restores });
}

/** Returns undefined if nothing has been folded yet. */
async function openViews(log: EventReader, place: CommandPlace) {
  const views = await place.openViews();
  const close = () => views.close();
  try {
    await checkViews(log, views);
    if (hasStorages(await views.checkpoint(checkpointName)))
      return {
        position: async () => (await views.checkpoint(checkpointName))?.position,
        streamOf: async (contactId: string) => (await views.get<ContactDocument>(contacts, contactId))?.document.stream,
        emailsTo: (recipientKey: string) => emailsTo(views, recipientKey),
        tree: storedTree({ readModels: views, reader: log }),
        close,
      };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}
