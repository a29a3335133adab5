/** The catalogues of a process, which stay in memory: folded at the start, from their snapshots where the log confirms them, and kept up to date where other processes write. */
import type { LoadedState } from '../commands/batch.js';
import type { CatalogueState } from '../commands/catalogue.js';
import { ServiceError } from '../errors.js';
import { isUnreadable } from '../events/codec.js';
import { within } from '../flow/abort.js';
import { repeat } from '../flow/repeat.js';
import type { Snapshots } from './catalogue-snapshots.js';

/** How often the catalogues are brought up to date where other processes write to them. */
const followMs = 1_000;
const closeTimeoutMs = 3_000;

interface Catalogue {
  readonly stream: string;
  readonly handler: {
    fresh(stream: string): Promise<LoadedState<CatalogueState>>;
    adopt(stream: string, snapshot: LoadedState<CatalogueState>): Promise<LoadedState<CatalogueState>>;
  };
}

interface CataloguesOptions {
  /** Nobody else writes to the log. */
  readonly soleWriter: boolean;
  /** Called for a catalogue that cannot be folded. The reason names the event, and nothing personal. */
  readonly onUnreadable: (stream: string, reason: string) => void;
}

export function followCatalogues(
  catalogues: readonly Catalogue[],
  { soleWriter, onUnreadable }: CataloguesOptions,
): { open(snapshots: Snapshots): Promise<void>; close(): Promise<void> } {
  const closing = new AbortController();
  let kept: Snapshots | undefined;
  const readAll = () => Promise.all(catalogues.map(({ stream, handler }) => handler.fresh(stream)));

  async function fold({ stream, handler }: Catalogue, snapshots: Snapshots): Promise<void> {
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

  return {
    /** One with an event that cannot be read is reported and left out: requests that need its names are refused. @throws ServiceError `unavailable` */
    async open(snapshots) {
      kept = snapshots;
      for (const catalogue of catalogues) await fold(catalogue, snapshots);
      if (soleWriter) return;
      // A failure is ignored here: the next command that needs the catalogue reads it again and reports it.
      void repeat(readAll, { pause: followMs, signal: closing.signal, onFault: () => undefined });
    },
    async close() {
      closing.abort();
      const snapshots = kept;
      if (snapshots === undefined) return;
      const saving = catalogues.map(async ({ stream, handler }) => snapshots.save(stream, await handler.fresh(stream)));
      // Snapshots only make the next start shorter: do not wait for a store that does not answer.
      await within(closeTimeoutMs, Promise.allSettled(saving), () => undefined);
      await snapshots.close();
    },
  };
}
