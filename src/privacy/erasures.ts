/** Erasures of a process: takes requests, keeps the register beside the log, and carries through what is unfinished where this process folds the views. */
import type { Logger } from 'pino';
import type { Audience } from '../commands/audience.js';
import { serviceContext, type CommandContext } from '../commands/batch.js';
import { unfinishedOf, type Erasure, type ErasureCommand, type ErasuresState } from '../commands/erasures.js';
import { ServiceError } from '../errors.js';
import { erasuresStream, type StreamKeys } from '../events/streams.js';
import { removeFromOutbox } from '../mailer/outbox.js';
import { endContact, takesAll, type EraseOptions } from './erase.js';
import { createEraser, type Eraser } from './eraser.js';
import { entriesOfErasures, entryOfErasure } from './lasting.js';
import { missingErasures } from './missing.js';
import { placesOf, readRegister, type Register, type RegisterPlaces } from './register.js';
import type { Clocks, SubscriberRunner } from '../flow/subscriber.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { OpenEventStore } from '../stores/stores.js';
import { seldomLeaseMs, type OpenLease } from '../stores/own-lease.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { ErasureEvent } from '../events/erasures.js';

interface ErasuresOptions extends Clocks {
  readonly config: RegisterPlaces & Pick<Config, 'roles'>;
  readonly folder: Pick<DataFolder, 'outbox'>;
  readonly openLease: OpenLease;
  readonly store: OpenEventStore;
  readonly register: Register;
  /** The log's name for itself. */
  readonly logId: string;
  readonly streamKeys: StreamKeys;
  readonly commands: Pick<EraseOptions, 'contacts' | 'emails' | 'suppressions' | 'erasures'> & {
    readonly audience: Pick<Audience, 'suppressions'>;
    newId(prefix: string): string;
  };
  readonly views: Pick<EraseOptions['views'], 'scrub'> & {
    readonly ownWrites: Pick<OwnWrites, 'visible' | 'reached'>;
    readonly queries: Pick<EraseOptions['views'], 'emailsTo'>;
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

/** @throws RegisterError @throws ReadModelsUnavailableError */
export async function openErasures(options: ErasuresOptions): Promise<Erasures> {
  const { config, streamKeys, commands } = options;
  const register = {
    ...options.register,
    keep: (state: ErasuresState) => options.register.keep(entriesOfErasures(state)),
  };
  const { keep } = register;
  const steps = stepsOf(options);
  const end = (id: string): Promise<void> => endContact(steps, id);
  const begin = createBeginning({ ...commands, endContact: end, clock: options.clock }, register);

  /** The unfinished erasure of this person, where there is something that it does not take. */
  async function passed(subjectKey: string): Promise<string | undefined> {
    const open = unfinishedOf((await commands.erasures.fresh(erasuresStream)).state, subjectKey);
    const { store } = options;
    const isServed =
      open === undefined ||
      (await takesAll({ store, suppressions: commands.suppressions, views: steps.views }, open.erasure_id));
    return isServed ? undefined : open.erasure_id;
  }

  // A process was killed between the register and the log.
  for (const { erasure_id, subject_key, reason } of await intended(options)) {
    const intention = { erasure_id, subject_key, reason };
    await begin({ intention, context: serviceContext(erasure_id) });
  }
  // Or between the log and the end of the contact. One that fails is tried again, with the rest of the work.
  for (const id of (await commands.erasures.fresh(erasuresStream)).state.unfinished.keys())
    await end(id).catch(() => undefined);
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
  let requesting: Promise<unknown> = Promise.resolve();

  async function request(subject_key: string, reason: string | null, context: CommandContext) {
    const { state, position } = await commands.erasures.fresh(erasuresStream);
    const after = await passed(subject_key);
    const open = unfinishedOf(state, subject_key);
    if (open !== undefined && after === undefined) {
      await end(open.erasure_id);
      return { erasure: open, position };
    }
    const intention = { erasure_id: commands.newId('ers'), subject_key, reason };
    const result = await begin({ intention, after, context });
    if (result.erasure === undefined) throw new Error('a requested erasure is missing');
    runner?.wake();
    return { ...result, erasure: result.erasure };
  }

  return {
    async request({ email, reason = null, forget_suppression: isForgotten = false }, context) {
      const key = streamKeys.contactKey(email);
      // One after the other: two requests for one person are one erasure.
      const requested = requesting.then(() => request(key, reason, context)).catch(refuse);
      requesting = requested.catch(() => undefined);
      const answer = await requested;
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

/** What the log does not have yet. @throws RegisterError */
async function intended({ config, logId, commands }: ErasuresOptions) {
  const [own = ''] = placesOf(config);
  const { state } = await commands.erasures.fresh(erasuresStream);
  return missingErasures(readRegister(own, logId).intended, state);
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
      shown: async (position) => views.ownWrites.visible([], position),
      emailsTo: (key) => views.queries.emailsTo(key),
      scrub: () => views.scrub(),
    },
    removeFiles: (emailIds) => removeFromOutbox(folder.outbox, emailIds),
  };
}

interface Handlers {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly erasures: CommandHandler<ErasuresState, ErasureCommand, ErasureEvent>;
  /** Of what is requested. */
  readonly endContact: (erasureId: string) => Promise<void>;
}

interface BeginRequest {
  readonly intention: Pick<Erasure, 'erasure_id' | 'subject_key' | 'reason'>;
  /** The unfinished erasure of the person that does not take all. */
  readonly after?: string | undefined;
  readonly context: CommandContext;
}

/**
 * Each step is durable before the next. The register comes first: a log that is put back from a backup never lacks an erasure
 * that nothing else records. A contact that is created after the end of this one is another one, and stays.
 */
function createBeginning(
  { clock, erasures, endContact }: Handlers,
  { intend, drop, keep }: Pick<Register, 'intend' | 'drop'> & { keep(state: ErasuresState): Promise<void> },
) {
  /** @throws ServiceError `unavailable` @throws what the file system throws */
  return async ({ intention, after, context }: BeginRequest) => {
    const intended = { ...intention, requested_at: new Date(clock()).toISOString() };
    const command = { type: 'Request', ...intention, reason: intention.reason ?? undefined, after } as const;
    await intend(entryOfErasure(intended));
    const { state, position } = await erasures.execute({ stream: erasuresStream, command, context });
    const own = state.all.get(intention.erasure_id);
    if (own === undefined) await drop(entryOfErasure(intended));
    const erasure = own ?? unfinishedOf(state, intention.subject_key);
    if (erasure !== undefined) await endContact(erasure.erasure_id);
    await keep(state);
    return { erasure, position };
  };
}
