/** Composes the commands of a process: the handlers of all streams, the catalogues in memory, and what clients can ask for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createReportReader } from '../bounces/report-reader.js';
import { createReports } from '../bounces/take-report.js';
import { accessDecider, createRecordRead } from '../commands/access.js';
import { createAudience } from '../commands/audience.js';
import { serviceContext, type Sources } from '../commands/batch.js';
import { createRecordMailboxBounce } from '../commands/bounced-mailboxes.js';
import { contactDecider } from '../commands/contact.js';
import { defaultUnclearDays } from '../commands/counted-bounces.js';
import type { Decider } from '../commands/decider.js';
import { emailDecider } from '../commands/email.js';
import { erasureDecider } from '../commands/erasures.js';
import { keyDecider } from '../commands/keys.js';
import { groupDecider, listDecider, tagDecider } from '../commands/catalogue.js';
import { createRecipientCheck } from '../commands/recipients.js';
import type { CommandHandler, RegisterKeeper } from '../commands/command-handler.js';
import { createCommandHandler } from '../commands/handle.js';
import { createRefusalRequests } from '../commands/refusals.js';
import { serviceDecider, type RecordRestored } from '../commands/service.js';
import { suppressionDecider } from '../commands/suppressions.js';
import { knowingStreams } from '../commands/written-streams.js';
import { contactAddresses } from '../stores/contact-address.js';
import { followCatalogues } from '../stores/catalogues.js';
import { initialise } from '../stores/first-start.js';
import type { DomainEvent } from '../events/codec.js';
import type { AppendedEvents } from '../events/envelope.js';
import {
  groupsStream,
  listsStream,
  suppressionPrefix,
  suppressionStream,
  tagsStream,
  type StreamKeys,
} from '../events/streams.js';
import type { EventStore } from '../eventstore/event-store.js';
import { serviceStream } from '../eventstore/log-id.js';
import type { Clocks } from '../flow/subscriber.js';
import { createErasureCheck } from '../privacy/erase.js';
import { createSaltSource, createUlidSource } from '../stores/ids.js';
import type { Observe } from '../flow/observe.js';

const cachedContacts = 20_000;
const cachedEmails = 1_000;
const cachedSuppressions = 1_000;
/** Two, because around midnight a process writes to two days. */
const cachedDays = 2;

export type Commands = Awaited<ReturnType<typeof openCommands>>;

/** Called after each append of this process. */
export interface AppendListener {
  onAppended(append: AppendedEvents<DomainEvent>): void;
  /** A command changed nothing: the state at this position is already what it asks for. */
  onUnchanged?(position: string): void;
}

export interface CommandsOptions extends Pick<Clocks, 'clock'> {
  /** Reports commands and appends. If absent, nothing is counted. */
  readonly observe?: Observe | undefined;
  readonly store: EventStore;
  readonly keys: StreamKeys;
  /** If absent, mail to the subscribers of a list is refused. */
  readonly publicUrl?: string | undefined;
  /** BOUNCE_THRESHOLD. If it is 0, refusals of mail servers are not counted. */
  readonly bounceThreshold?: number | undefined;
  /** Called for a catalogue that cannot be folded. The reason names the event, and nothing personal. */
  readonly onUnreadable: (stream: string, reason: string) => void;
  /** Called if the thread that reads reports dies unexpectedly. */
  readonly onReaderDied?: (error: string) => void;
  readonly newUuid: () => string;
  /** Returns the milliseconds since 1970, or undefined while the clock may be wrong. Default: `clock`. */
  readonly datedNow?: (() => number | undefined) | undefined;
  /** Returns 16 random bytes in hex. Default: from node:crypto. */
  readonly newSalt?: (() => string) | undefined;
}

/** Writes the first event of an empty log. @throws ConfigurationError when the log was begun with another secret. @throws ServiceError `unavailable` */
export async function openCommands(options: CommandsOptions) {
  const { store, keys, publicUrl, onUnreadable, observe, clock, newUuid } = options;
  const { newSalt = createSaltSource() } = options;
  const sources: Sources = { now: clock, newEventId: newUuid, newSalt };
  const listeners: AppendListener[] = [];
  let register: RegisterKeeper | undefined;
  const handlerOf = <State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    cacheSize: number,
    isKept?: (command: Command) => boolean,
  ): CommandHandler<State, Command, Event> =>
    createCommandHandler({
      store,
      decider,
      sources,
      register: () => register,
      ...(isKept && { isKept }),
      cacheSize,
      random: Math.random,
      sleep: (milliseconds) => sleep(milliseconds),
      observe,
      onAppended(append) {
        for (const listener of listeners) listener.onAppended(append);
      },
      onUnchanged(position) {
        for (const listener of listeners) listener.onUnchanged?.(position);
      },
    });

  await initialise(handlerOf(serviceDecider, 1), { keys, newUuid });
  const groups = handlerOf(groupDecider, 1);
  const lists = handlerOf(listDecider, 1);
  const tags = handlerOf(tagDecider, 1);
  const contacts = handlerOf(contactDecider, cachedContacts, ({ type }) => type === 'Refuse');
  const emails = handlerOf(emailDecider, cachedEmails);
  const suppressions = await knowingStreams(
    handlerOf(
      suppressionDecider,
      cachedSuppressions,
      ({ type }) => type === 'Suppress' || type === 'Release' || type === 'CountBounce',
    ),
    {
      store,
      prefix: suppressionPrefix,
      decider: suppressionDecider,
    },
  );
  const erasures = handlerOf(erasureDecider, 1, ({ type }) => type === 'Request');
  const catalogues = followCatalogues(
    [
      { stream: groupsStream, handler: groups },
      { stream: listsStream, handler: lists },
      { stream: tagsStream, handler: tags },
    ],
    { soleWriter: store.soleWriter, onUnreadable },
  );
  const isToBeErased = createErasureCheck(store, erasures);
  const { bounceThreshold: unclearDays = defaultUnclearDays } = options;
  const recordMailboxBounce = createRecordMailboxBounce({ suppressions, isToBeErased, unclearDays });
  const checkRecipient = createRecipientCheck({ lists, contacts, suppressions });
  const nextUlid = createUlidSource(clock, newUuid);
  const newId = (prefix: string): string => `${prefix}_${nextUlid()}`;
  const audience = createAudience({
    groups,
    lists,
    tags,
    contacts,
    emails,
    suppressions,
    keys,
    newId,
    newSalt,
    isToBeErased,
    checkRecipient,
    hasPublicUrl: publicUrl !== undefined,
  });
  const refusals = createRefusalRequests({
    ...{ suppressions, contacts, lists },
    addressOf: contactAddresses(store),
    keepStream: async (stream) => register?.keepStream(stream),
  });
  const reportReader = createReportReader(options.onReaderDied ?? (() => undefined));
  const reports = createReports({
    reader: store,
    reportReader,
    emails,
    keys,
    onBounce: recordMailboxBounce,
    refusals,
    isToBeErased,
  });

  return {
    audience,
    contacts,
    emails,
    suppressions,
    recordMailboxBounce,
    reports,
    refusals,
    knownRefusals: {
      isNobody: suppressions.isNoneWritten,
      refusesNothing: (contactKey: string): boolean =>
        suppressions.known(suppressionStream(contactKey))?.state.active.length === 0,
    },
    checkRecipient,
    keys: handlerOf(keyDecider, 1, ({ type }) => type === 'Rotate' || type === 'Revoke'),
    streamKeys: keys,
    recordRead: createRecordRead(handlerOf(accessDecider, cachedDays), options.datedNow ?? clock),
    erasures,
    /** Records a restore, once. @param eventId id of the first event */
    async recordRestored(eventId: string, command: RecordRestored): Promise<void> {
      const context = { ...serviceContext(eventId), eventId };
      await handlerOf(serviceDecider, 1).execute({ stream: serviceStream, command, context });
    },
    newId,
    /** From now on what a restore must not undo has its line in the register before it is answered. */
    keepIn: (kept: RegisterKeeper): void => void (register = kept),
    /** In the order in which they were given. */
    listen: (listener: AppendListener): void => void listeners.push(listener),
    openCatalogues: catalogues.open,
    async close() {
      await reportReader.close().finally(() => catalogues.close());
    },
  };
}
