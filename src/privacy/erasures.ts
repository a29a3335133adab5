/** Erasures of a process: takes requests and carries through what is unfinished where this process folds the views. */
import type { Logger } from 'pino';
import type { Audience } from '../commands/audience.js';
import type { CommandContext } from '../commands/batch.js';
import { unfinishedOf, type Erasure, type ErasuresState } from '../commands/erasures.js';
import { ServiceError } from '../errors.js';
import { erasuresStream, type StreamKeys } from '../events/streams.js';
import { removeFromOutbox } from '../mailer/outbox.js';
import { endContact, takesAll, type EraseOptions } from './erase.js';
import { createEraser, type Eraser } from './eraser.js';
import type { RegisterKeeper } from '../commands/command-handler.js';
import { createSerialQueue } from '../flow/serial.js';
import type { Clocks, SubscriberRunner } from '../flow/subscriber.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { OpenEventStore } from '../stores/stores.js';
import { seldomLeaseMs, type OpenLease } from '../stores/own-lease.js';

interface ErasuresOptions extends Clocks {
  readonly config: Pick<Config, 'roles'>;
  readonly folder: Pick<DataFolder, 'outbox'>;
  readonly openLease: OpenLease;
  readonly store: OpenEventStore;
  readonly register: Pick<RegisterKeeper, 'keepStream'>;
  readonly streamKeys: StreamKeys;
  readonly commands: Pick<EraseOptions, 'contacts' | 'emails' | 'suppressions' | 'erasures'> & {
    readonly audience: Pick<Audience, 'suppressions'>;
    newId(prefix: string): string;
  };
  readonly views: Pick<EraseOptions['views'], 'scrub'> & {
    readonly ownWrites: Pick<OwnWrites, 'shows' | 'reached'>;
    readonly worklist: Pick<EraseOptions['views'], 'emailsTo'>;
    /** Whether storages that are not read, beside the live ones, may still hold an erased person. */
    hasOtherStorages(): Promise<boolean>;
    /** Reports damage by which an email is not found by its recipient. @throws ReadModelsUnavailableError */
    checkRecipients(): Promise<void>;
    /** How often damage was found since the start. */
    damageFound(): number;
  };
  /** Of this process, where it has one. */
  readonly mailer: { cutOff(stream: string): boolean } | undefined;
  readonly logger: Logger;
}

export interface Erasures {
  /** When it resolves the request is durable: what is asked for will be done. @throws ServiceError `unavailable` */
  request(
    person: {
      readonly email: string;
      readonly reason: string | undefined;
      /** What the person refuses is not refused any more. Default: it stays, under the key. */
      readonly forget_suppression?: boolean | undefined;
    },
    context: CommandContext,
  ): Promise<{ readonly erasure: Erasure; readonly position: string }>;
  /** By id, as of now. @throws ServiceError `unavailable` */
  all(): Promise<ErasuresState['all']>;
  /** Every person whose erasure was open at the start is erased, or another process does it, or it has failed several times. */
  isCaughtUp(): boolean;
  /** What this process carries through and cannot complete yet; undefined: it carries none through. */
  waiting: Eraser['waiting'];
  /** Carries them through. Undefined: left to the processes that fold the views. */
  readonly eraser: Eraser | undefined;
}

/** @throws ReadModelsUnavailableError */
export async function openErasures(options: ErasuresOptions): Promise<Erasures> {
  const { config, streamKeys, commands } = options;
  const keep = (): Promise<void> => options.register.keepStream(erasuresStream);
  const steps = stepsOf(options);
  const end = (id: string): Promise<void> => endContact(steps, id);

  /** The unfinished erasure of this person, where there is something that it does not take. */
  async function passed(subjectKey: string): Promise<string | undefined> {
    const open = unfinishedOf((await commands.erasures.fresh(erasuresStream)).state, subjectKey);
    const { store } = options;
    const isServed =
      open === undefined ||
      (await takesAll({ store, suppressions: commands.suppressions, views: steps.views }, open.erasure_id));
    return isServed ? undefined : open.erasure_id;
  }

  // A process may have been killed between the request of an erasure and the end of the contact. The eraser tries again what fails here.
  for (const id of (await commands.erasures.fresh(erasuresStream)).state.unfinished.keys())
    await keep()
      .then(() => end(id))
      .catch(() => undefined);
  let runner: SubscriberRunner | undefined;
  const eraser = config.roles.has('projector')
    ? createEraser({
        ...{ steps, keep, mailer: options.mailer, logger: options.logger },
        lease: await options.openLease('erasures', seldomLeaseMs),
        hasOtherStorages: () => options.views.hasOtherStorages(),
        checkRecipients: () => options.views.checkRecipients(),
        damageFound: () => options.views.damageFound(),
        areViewsReached: () => options.views.ownWrites.reached(),
        now: options.monotonic,
      })
    : undefined;
  const requests = createSerialQueue();

  async function request(subject_key: string, reason: string | null, context: CommandContext) {
    const { state, position } = await commands.erasures.fresh(erasuresStream);
    const after = await passed(subject_key);
    const open = unfinishedOf(state, subject_key);
    if (open !== undefined && after === undefined) {
      await keep();
      await end(open.erasure_id);
      return { erasure: open, position };
    }
    const erasure_id = commands.newId('ers');
    const command = { type: 'Request', erasure_id, subject_key, reason: reason ?? undefined, after } as const;
    const result = await commands.erasures.execute({ stream: erasuresStream, command, context });
    const erasure = result.state.all.get(erasure_id) ?? unfinishedOf(result.state, subject_key);
    if (erasure === undefined) throw new Error('a requested erasure is missing');
    // End the contact before the answer, because a contact that is created afterwards has another id and is not erased.
    await end(erasure.erasure_id);
    runner?.wake();
    return { erasure, position: result.position };
  }

  return {
    async request({ email, reason = null, forget_suppression: isForgotten = false }, context) {
      const key = streamKeys.contactKey(email);
      // One after the other: two requests for one person are one erasure.
      const answer = await requests.run(() => request(key, reason, context)).catch(refuse);
      // Last: until the erasure is stored the refusal keeps mail from the person.
      if (isForgotten) await commands.audience.suppressions.forget(key, context);
      return answer;
    },
    all: async () => (await commands.erasures.fresh(erasuresStream)).state.all,
    isCaughtUp: () => eraser?.isCaughtUp() ?? true,
    waiting: () => eraser?.waiting(),
    eraser: eraser && { ...eraser, attach: (given) => void (runner = given) },
  };
}

/** A register that cannot be written is a store that cannot be written. */
function refuse(error: unknown): never {
  throw error instanceof ServiceError ? error : new ServiceError('unavailable', {}, { cause: error, retryAfter: 1 });
}

function stepsOf({ store, commands, views, folder }: ErasuresOptions): EraseOptions {
  const { contacts, emails, suppressions, erasures } = commands;
  return {
    store,
    contacts,
    emails,
    suppressions,
    erasures,
    views: {
      shown: async (position) => views.ownWrites.shows(position),
      emailsTo: (key) => views.worklist.emailsTo(key),
      scrub: () => views.scrub(),
    },
    removeFiles: (emailIds) => removeFromOutbox(folder.outbox, emailIds),
  };
}
