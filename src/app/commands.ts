/** The write side of a process: the handlers of all commands, the catalogues in memory, and what clients can ask for. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshots } from './catalogue-snapshots.js';
import { createAudience, type Audience } from '../commands/audience.js';
import type { Sources } from '../commands/batch.js';
import { contactDecider } from '../commands/contact.js';
import type { Decider } from '../commands/decider.js';
import { emailDecider, type EmailCommand, type EmailState } from '../commands/email.js';
import { groupDecider } from '../commands/group.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { createCommandHandler } from '../commands/handle.js';
import { listDecider } from '../commands/list.js';
import { serviceDecider } from '../commands/service.js';
import { tagDecider } from '../commands/tag.js';
import { ServiceError } from '../errors.js';
import { initialise } from './first-start.js';
import { isUnreadable, type DomainEvent } from '../events/codec.js';
import type { EmailEvent } from '../events/email.js';
import type { Appended } from '../events/envelope.js';
import { groupsStream, listsStream, tagsStream, type StreamKeys } from '../events/streams.js';
import type { EventStore } from '../eventstore/event-store.js';
import { createSaltSource } from './salt.js';
import { createUlidSource } from './ulid.js';
import { createUuidSource } from './uuid.js';

/** Folded contacts and e-mails kept in memory. */
const cachedContacts = 20_000;
const cachedEmails = 1_000;
/** How often the catalogues are read on, where other processes write to them. */
const followMs = 1_000;
/** How long a stop waits for snapshots. */
const closePatienceMs = 3_000;

const sources: Sources = {
  now: Date.now,
  newEventId: createUuidSource(),
  newSalt: createSaltSource(),
};

export interface WriteSide {
  readonly audience: Audience;
  readonly emails: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  /**
   * Folds the catalogues, from their snapshots where these are true, and goes on following them. One that holds an event
   * which cannot be read is told of and left: what rests on it is refused, everything else goes on. @throws ServiceError `unavailable`
   */
  openCatalogues(snapshots: Snapshots): Promise<void>;
  /** Keeps what has been folded for the next start. */
  close(): Promise<void>;
}

export interface WriteSideOptions {
  readonly store: EventStore;
  readonly keys: StreamKeys;
  /** Told of each append before its commands are answered. */
  readonly onAppended: (append: Appended<DomainEvent>) => void;
  /** Told of the position that an answer without an event rests on. */
  readonly onUnchanged: (position: string) => void;
  /** Told of a catalogue that cannot be folded. The reason names the event, and nothing personal. */
  readonly onUnreadable: (stream: string, reason: string) => void;
}

/** Begins the log where it is empty. @throws ConfigurationError when the log was begun with another secret. @throws ServiceError `unavailable` */
export async function openWriteSide(options: WriteSideOptions): Promise<WriteSide> {
  const { store, keys, onAppended, onUnchanged, onUnreadable } = options;
  const handlerOf = <State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    cacheSize: number,
  ): CommandHandler<State, Command, Event> =>
    createCommandHandler({
      store,
      decider,
      sources,
      cacheSize,
      random: Math.random,
      sleep: (milliseconds) => sleep(milliseconds),
      onAppended,
      onUnchanged,
    });

  await initialise(handlerOf(serviceDecider, 1), keys);
  const groups = handlerOf(groupDecider, 1);
  const lists = handlerOf(listDecider, 1);
  const tags = handlerOf(tagDecider, 1);
  const emails = handlerOf(emailDecider, cachedEmails);
  const catalogues = [
    { stream: groupsStream, handler: groups },
    { stream: listsStream, handler: lists },
    { stream: tagsStream, handler: tags },
  ];
  const nextUlid = createUlidSource(Date.now);
  const audience = createAudience({
    groups,
    lists,
    tags,
    contacts: handlerOf(contactDecider, cachedContacts),
    emails,
    keys,
    newId: (prefix) => `${prefix}_${nextUlid()}`,
  });

  let kept: Snapshots | undefined;
  let following: NodeJS.Timeout | undefined;

  /** What fails here shows where somebody waits for it: a follower only makes that rarer. */
  async function follow(): Promise<void> {
    await Promise.allSettled(catalogues.map(({ stream, handler }) => handler.fresh(stream)));
    following?.refresh();
  }

  return {
    audience,
    emails,
    async openCatalogues(snapshots) {
      kept = snapshots;
      for (const { stream, handler } of catalogues) {
        const snapshot = await snapshots.load(stream);
        try {
          const folded = snapshot === undefined ? await handler.fresh(stream) : await handler.adopt(stream, snapshot);
          await snapshots.save(stream, folded);
        } catch (error) {
          const cause = error instanceof ServiceError ? error.cause : error;
          if (!isUnreadable(cause)) throw error;
          onUnreadable(stream, cause.message);
        }
      }
      if (!store.soleWriter) following = setTimeout(() => void follow(), followMs);
    },
    async close() {
      clearTimeout(following);
      following = undefined;
      const snapshots = kept;
      if (snapshots === undefined) return;
      const saving = catalogues.map(async ({ stream, handler }) => snapshots.save(stream, await handler.fresh(stream)));
      // Snapshots make the next start shorter; a store that does not answer is not waited for.
      await Promise.race([Promise.allSettled(saving), sleep(closePatienceMs)]);
      await snapshots.close();
    },
  };
}
