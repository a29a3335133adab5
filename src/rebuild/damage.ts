/** Handles damaged views: refuses their reads at once, and rebuilds them once from the log. */
import type { Logger } from 'pino';
import type { LiveReader } from '../projector/live-reader.js';
import type { Storages } from '../projector/storage.js';
import { storageOf, type StoredView, type ViewDamagedError } from '../readmodels/read-models.js';

/** Plain data, because it crosses threads. Nothing in it is personal. */
export interface Damage {
  readonly message: string;
  /** Undefined if the whole file is damaged. */
  readonly view: StoredView | undefined;
}

export function damageOf({ message, view }: ViewDamagedError): Damage {
  return { message, view: view && { name: view.name, version: view.version, storage: storageOf(view) } };
}

interface DamageControlOptions {
  readonly views: Pick<LiveReader, 'used' | 'refuse' | 'allow'>;
  /** The names of all views. */
  readonly names: readonly string[];
  /** Has the projector give up these storages, so that the coordinator rebuilds their views. */
  readonly discard: (storages: Storages) => void;
  /** Replaces the file by an empty one, in which all views are built. */
  readonly replaceFile: () => Promise<void>;
  readonly logger: Pick<Logger, 'error' | 'info'>;
}

/**
 * Answers for the damage that reads, the projector, rebuilds and checks report. A damaged document or index concerns one view,
 * which the coordinator rebuilds. Damage of the file, such as a corrupt page, may concern them all, so the file is replaced.
 */
export function createDamageControl({ views, names, discard, replaceFile, logger }: DamageControlOptions) {
  /** The damaged storage of each view; undefined once the projector has given it up. */
  const damaged = new Map<string, number | undefined>();
  let replacing: Promise<void> | undefined;
  let seen: Storages | null = null;
  let isClosed = false;
  let found = 0;

  function refuse(name: string, storage: number | undefined): void {
    damaged.set(name, storage);
    views.refuse(name);
  }

  function reportFile(message: string): void {
    if (replacing !== undefined || isClosed) return;
    found += 1;
    logger.error({ reason: message }, 'views.db is damaged: all views are being rebuilt from the log');
    for (const name of names) refuse(name, undefined);
    replacing = replaceFile()
      .catch((error: unknown) => logger.error({ err: error }, 'views.db could not be replaced: restart the service'))
      .finally(() => (replacing = undefined));
  }

  function rebuilt(name: string): void {
    damaged.delete(name);
    views.allow(name);
    logger.info({ view: name }, 'a damaged view was rebuilt');
  }

  return {
    report({ message, view }: Damage): void {
      if (view === undefined || !names.includes(view.name)) return reportFile(message);
      const { name } = view;
      const storage = storageOf(view);
      // The storage is not read any more, or its damage is known.
      if (replacing !== undefined || damaged.has(name) || views.used()?.[name] !== storage) return;
      found += 1;
      logger.error({ view: name, reason: message }, 'a view is damaged: it is being rebuilt from the log');
      refuse(name, storage);
      discard({ [name]: storage });
    },
    /** The projector folds into these storages. */
    onLive(live: Storages | null): void {
      if (replacing !== undefined || live === null) return;
      const isNew = live !== seen;
      seen = live;
      for (const [name, storage] of damaged) {
        if (live[name] === undefined) damaged.set(name, undefined);
        // A projector that has started again does not know.
        else if (live[name] === storage && isNew) discard({ [name]: storage });
        else if (live[name] !== storage) rebuilt(name);
      }
    },
    damaged: (): readonly string[] => [...damaged.keys()],
    /** Number of times that damage was found since the start. */
    found: (): number => found,
    /** Resolves when no file is being replaced, and none will be. */
    async close(): Promise<void> {
      isClosed = true;
      await replacing;
    },
  };
}
