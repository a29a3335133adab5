/** Erasures of a process: takes requests, keeps the register beside the log, and carries through what is unfinished where this process folds the views. */
import path from 'node:path';
import type { Logger } from 'pino';
import type { ErasuresOfApi } from '../api/privacy.js';
import { unfinishedOf, type ErasuresState } from '../commands/erasures.js';
import { ServiceError } from '../errors.js';
import { isUnreadable } from '../events/codec.js';
import { erasuresStream, type StreamKeys } from '../events/streams.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { removeFromOutbox } from '../mailer/outbox.js';
import { complete, erase, type Erased, type EraseOptions } from '../privacy/erase.js';
import { takesAll } from '../privacy/reach.js';
import { missingErasures, openRegister, readRegister, RegisterError, registerName } from '../privacy/register.js';
import { demandLogId } from '../projector/start.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { OpenEventStore, StoreSettings } from '../stores/stores.js';
import type { Commands } from './commands.js';
import { openLease } from './own-lease.js';
import type { Views } from './views.js';

/** How often unfinished erasures are looked for, in milliseconds. */
const lookMs = 500;
/** After a failure. */
const restMs = 2_000;
/** A start waits for an erasure that fails until it was tried this often. */
const triesOfStart = 3;

type Places = Pick<Config, 'dataDir'> & { readonly seals: Pick<Config['seals'], 'copies'> };

interface ErasuresOptions {
  readonly config: Places & Pick<Config, 'roles'>;
  readonly folder: Pick<DataFolder, 'outbox'>;
  readonly settings: StoreSettings;
  readonly store: OpenEventStore;
  readonly streamKeys: StreamKeys;
  readonly commands: Pick<Commands, 'contacts' | 'emails' | 'erasures' | 'newId'>;
  readonly views: Pick<Views, 'hasOtherStorages' | 'ownWrites' | 'queries' | 'scrub'>;
  readonly logger: Logger;
}

export interface WaitingErasure {
  readonly erasure_id: string;
  readonly reason: 'email_being_sent' | 'view_being_built' | 'unreadable_event' | 'unavailable' | 'failed';
}

export interface Erasures extends ErasuresOfApi {
  /** Who was to be erased before the start is gone from the views and from the log, or left to another process, or it failed several times. */
  isCaughtUp(): boolean;
  /** What this process carries through and cannot complete yet; undefined: it carries none through. */
  waiting(): readonly WaitingErasure[] | undefined;
  close(): Promise<void>;
}

/** In the register of the data folder or in its copy, and not in the log. @throws RegisterError @throws ServiceError `unavailable` */
export async function erasuresMissing(
  store: OpenEventStore,
  { config, commands }: { readonly config: Places; readonly commands: Pick<Commands, 'erasures'> },
) {
  const logId = await demandLogId(store);
  const registered = placesOf(config).flatMap((file) => readRegister(file, logId));
  return registered.length === 0
    ? []
    : missingErasures(registered, (await commands.erasures.fresh(erasuresStream)).state);
}

const placesOf = ({ dataDir, seals: { copies } }: Places): readonly string[] =>
  [dataDir, ...(copies === undefined ? [] : [copies])].map((folder) => path.join(folder, registerName));

/** A log that was put back from before an erasure would serve who was erased. @throws RegisterError @throws ServiceError `unavailable` */
export async function refuseRestored(...[store, known]: Parameters<typeof erasuresMissing>): Promise<void> {
  const { length } = await erasuresMissing(store, known);
  if (length === 0) return;
  throw new RegisterError(
    `the event log lacks ${length === 1 ? 'an erasure' : `${length} erasures`} of the register (${registerName}): it was put back from a backup of before. Nothing was served. Run: audience privacy reapply. It asks for the same erasures again, and the next start carries them through`,
  );
}

/** @throws RegisterError @throws ReadModelsUnavailableError */
export async function openErasures(options: ErasuresOptions): Promise<Erasures> {
  const { config, streamKeys, commands } = options;
  const keep = await registerOf(options);
  const steps = stepsOf(options);

  /** The unfinished erasure of this person, where there is something that it does not take. */
  async function passed(subjectKey: string): Promise<string | undefined> {
    const open = unfinishedOf((await commands.erasures.fresh(erasuresStream)).state, subjectKey);
    const { store } = options;
    const isServed = open === undefined || (await takesAll({ store, views: steps.views }, open.erasure_id));
    return isServed ? undefined : open.erasure_id;
  }

  const runner = config.roles.has('projector') ? await startRunner(options, keep, steps) : undefined;
  return {
    async request({ email, reason }, context) {
      const subject_key = streamKeys.contactKey(email);
      const erasure_id = commands.newId('ers');
      const after = await passed(subject_key);
      const command = { type: 'Request', erasure_id, subject_key, reason, after } as const;
      const { state, position } = await commands.erasures.execute({ stream: erasuresStream, command, context });
      const erasure = state.all.get(erasure_id) ?? unfinishedOf(state, subject_key);
      if (erasure === undefined) throw new Error('a requested erasure is missing');
      await keep(state);
      runner?.look();
      return { erasure, position };
    },
    all: async () => (await commands.erasures.fresh(erasuresStream)).state.all,
    isCaughtUp: () => runner?.isCaughtUp() ?? true,
    waiting: () => runner?.waiting(),
    close: async () => runner?.close(),
  };
}

type Keep = (state: ErasuresState) => Promise<void>;

/** A copy that fails is made with the next. */
async function registerOf({ config, store, logger }: ErasuresOptions): Promise<Keep> {
  const logId = await demandLogId(store);
  const [own, ...copies] = placesOf(config).map((file) => openRegister(file, logId));
  let isFailing = false;
  return async ({ all }) => {
    await own?.keep(all.values());
    try {
      for (const copy of copies) await copy.keep(all.values());
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'the register of erasures cannot be copied to SEAL_DIR');
      isFailing = true;
    }
  };
}

async function startRunner(options: ErasuresOptions, keep: Keep, steps: EraseOptions) {
  const { settings, commands, logger } = options;
  const now = (): number => performance.now();
  const lease = await openLease(settings, 'erasures');
  const closing = new AbortController();
  const { signal } = closing;
  let looking: Promise<void> | undefined;
  let completing: Promise<void> | undefined;
  let again = false;
  /** What was logged since everything went well. */
  const failures = new Set<string>();
  let isCaughtUp = false;
  let restUntil = 0;
  /** By id: what is left of them is their completion. */
  const erased = new Map<string, Erased>();
  /** By id, with how often it failed. */
  const waiting = new Map<string, Pick<WaitingErasure, 'reason'> & { readonly failed: number }>();

  function fail(error: unknown): void {
    restUntil = now() + restMs;
    const reason = String(error);
    if (!failures.has(reason) && !signal.aborted) logger.error({ err: error }, 'an erasure cannot go on: tried again');
    failures.add(reason);
  }

  /** One that fails does not keep the others from going on. */
  async function attempt(id: string): Promise<void> {
    try {
      const one = await erase(steps, id);
      if (one === undefined) waiting.set(id, { reason: 'email_being_sent', failed: 0 });
      else {
        waiting.delete(id);
        erased.set(id, one);
      }
    } catch (error) {
      waiting.set(id, { reason: reasonOf(error), failed: (waiting.get(id)?.failed ?? 0) + 1 });
      fail(error);
    }
  }

  async function turn(): Promise<void> {
    if (lease !== undefined && (await lease.hold(signal)) === null) return;
    const { state } = await commands.erasures.fresh(erasuresStream);
    await keep(state);
    for (const id of waiting.keys()) if (!state.unfinished.has(id)) waiting.delete(id);
    for (const id of [...state.unfinished.keys()].filter((one) => !erased.has(one))) {
      if (signal.aborted || lease?.isHeld() === false) return;
      await attempt(id);
    }
    completeAll();
    settle();
  }

  function settle(): void {
    const failing = [...waiting.values()].filter(({ failed }) => failed > 0);
    isCaughtUp ||= failing.every(({ failed }) => failed >= triesOfStart);
    if (failing.length === 0 && erased.size === 0) failures.clear();
  }

  /** Takes seconds with many contacts: turns go on meanwhile, and who is erased in them is completed next. */
  function completeAll(): void {
    completing ??= completeSome()
      .catch((error: unknown) => {
        for (const id of erased.keys()) waiting.set(id, { reason: reasonOf(error), failed: 0 });
        fail(error);
      })
      .finally(() => {
        completing = undefined;
      });
  }

  /** Not while other storages of a view hold who was erased. */
  async function completeSome(): Promise<void> {
    const some = [...erased];
    if (some.length === 0) return;
    const isBuilding = await options.views.hasOtherStorages();
    for (const [id] of isBuilding ? some : []) waiting.set(id, { reason: 'view_being_built', failed: 0 });
    if (isBuilding) return;
    await complete(
      steps,
      some.map(([, one]) => one),
    );
    for (const [id, { counts }] of some) {
      logger.info(counts, 'an erasure is completed');
      waiting.delete(id);
      erased.delete(id);
    }
  }

  function look(): void {
    again = looking !== undefined;
    if (again || signal.aborted) return;
    looking = turn()
      .catch(fail)
      .finally(() => {
        looking = undefined;
        if (again) look();
      });
  }

  const timer = setInterval(() => now() >= restUntil && look(), lookMs);
  look();
  return {
    look,
    // Where another process has the lease, it is that one's work.
    isCaughtUp: () => isCaughtUp || lease?.isHeld() === false,
    waiting: () =>
      lease?.isHeld() === false ? undefined : [...waiting].map(([erasure_id, { reason }]) => ({ erasure_id, reason })),
    async close() {
      clearInterval(timer);
      closing.abort();
      await looking;
      await lease?.close();
    },
  };
}

function reasonOf(error: unknown): WaitingErasure['reason'] {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isUnreadable(cause)) return 'unreadable_event';
  const isOutage = error instanceof ServiceError || cause instanceof StoreUnavailableError;
  return isOutage || cause instanceof ReadModelsUnavailableError ? 'unavailable' : 'failed';
}

function stepsOf({ store, commands, views, folder }: ErasuresOptions): EraseOptions {
  const { contacts, emails, erasures } = commands;
  return {
    store,
    contacts,
    emails,
    erasures,
    views: {
      shown: async (position) => views.ownWrites.visible([], position),
      emailsTo: (key) => views.queries.emailsTo(key),
      scrub: () => views.scrub(),
    },
    removeFiles: (emailIds) => removeFromOutbox(folder.outbox, emailIds),
  };
}
