/** The readers of queries: what a read waits for and when it is refused follows from what it reads. */
import { ServiceError } from '../errors.js';
import { catalogueStreams } from '../events/streams.js';
import type { QueryReader, QueryViews } from '../projections/query-reader.js';
import type {
  DocumentPage,
  DocumentsById,
  FindQuery,
  PrefixQuery,
  ReadModelReader,
  StoredDocument,
  View,
  WantedDocuments,
} from '../readmodels/read-models.js';
import { readTimeoutMs, type OwnWrites } from './read-your-writes.js';
import { streamsKey, wholeView } from './touched.js';

/** A stream that a view cannot fold at present. */
export interface StreamOfView {
  readonly view: string;
  readonly stream: string;
}

interface Sources {
  readonly reader: Pick<ReadModelReader, 'get' | 'getMany' | 'getEach' | 'find' | 'search'>;
  readonly ownWrites: OwnWrites;
  readonly parked: () => readonly StreamOfView[];
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export const createQueryViews = (sources: Sources): QueryViews => ({
  open: (views) => new WaitingReader(sources, views, true),
  openAsStored: (view) => new WaitingReader(sources, [view], false),
});

/** Creates the refusal of a parked stream. Only a rebuild folds the stream again, so an early repeat is useless. */
const unfolded = (): ServiceError => new ServiceError('unavailable', {}, { retryAfter: 60 });

class WaitingReader implements QueryReader {
  /** The query waits for no later write, so that it waits only once while writes keep coming. */
  private readonly upTo: string;
  /** Milliseconds that the reads of the query may still wait, all together. */
  private timeLeft = readTimeoutMs;

  constructor(
    private readonly sources: Sources,
    private readonly views: readonly View[],
    private readonly refusesCatalogues: boolean,
  ) {
    this.upTo = sources.ownWrites.newest();
  }

  get<D>(view: View, id: string): Promise<StoredDocument<D> | undefined> {
    const wait = this.ready(view, this.pending(view, id));
    const { reader } = this.sources;
    return wait === undefined ? reader.get<D>(view, id) : wait.then(() => reader.get<D>(view, id));
  }

  getMany<D>(view: View, ids: readonly string[]): Promise<DocumentsById<D>> {
    const wait = this.ready(view, this.pendingOf(view, ids));
    const { reader } = this.sources;
    return wait === undefined ? reader.getMany<D>(view, ids) : wait.then(() => reader.getMany<D>(view, ids));
  }

  async getEach<D>(wanted: readonly WantedDocuments[]): Promise<readonly DocumentsById<D>[]> {
    for (const { view, ids } of wanted) {
      const wait = this.ready(view, this.pendingOf(view, ids));
      if (wait !== undefined) await wait;
    }
    return await this.sources.reader.getEach<D>(wanted);
  }

  find<D>(view: View, query: FindQuery): Promise<DocumentPage<D>> {
    const wait = this.ready(view, this.pending(view, partOf(query)));
    const { reader } = this.sources;
    return wait === undefined ? reader.find<D>(view, query) : wait.then(() => reader.find<D>(view, query));
  }

  async findInStream<D>(view: View, stream: string, query: Omit<FindQuery, 'where'>): Promise<DocumentPage<D>> {
    await this.ready(view, this.sources.ownWrites.pending(streamsKey, stream, this.upTo));
    return await this.sources.reader.find<D>(view, { ...query, where: { stream } });
  }

  async search<D>(view: View, query: PrefixQuery): Promise<readonly StoredDocument<D>[]> {
    await this.settle(view);
    return await this.sources.reader.search<D>(view, query);
  }

  settle(view: View): Promise<void> | undefined {
    return this.ready(view, this.pending(view, wholeView));
  }

  isIncomplete(): boolean {
    const parked = this.sources.parked();
    return parked.length > 0 && parked.some((one) => this.views.some(({ name }) => name === one.view));
  }

  isParked({ name }: View, stream: string): boolean {
    const parked = this.sources.parked();
    return parked.length > 0 && parked.some((one) => one.view === name && one.stream === stream);
  }

  refuseParked(view: View, stream: string): void {
    if (this.isParked(view, stream)) throw unfolded();
  }

  refuseIncomplete(): void {
    if (this.isIncomplete()) throw unfolded();
  }

  /** Returns the position to wait for, or undefined if the view shows what was written. */
  private pending({ name }: View, key: string): string | undefined {
    return this.sources.ownWrites.pending(name, key, this.upTo);
  }

  private pendingOf(view: View, ids: readonly string[]): string | undefined {
    let last = '';
    for (const id of ids) {
      const position = this.pending(view, id) ?? '';
      if (position > last) last = position;
    }
    return last === '' ? undefined : last;
  }

  private ready(view: View, position: string | undefined): Promise<void> | undefined {
    if (!this.views.includes(view)) throw new Error(`the query reads the view ${view.name}, which it has not opened`);
    if (position === undefined) {
      this.refuseCatalogues();
      return undefined;
    }
    return this.wait(position);
  }

  private async wait(position: string): Promise<void> {
    const { ownWrites, now } = this.sources;
    const begun = now();
    const isShown = await ownWrites.wait(position, Math.max(0, this.timeLeft));
    this.timeLeft -= now() - begun;
    if (!isShown) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
    this.refuseCatalogues();
  }

  /** Refuses the query if a catalogue is parked, because its events concern any document. */
  private refuseCatalogues(): void {
    if (!this.refusesCatalogues || this.sources.parked().length === 0) return;
    for (const view of this.views) for (const stream of catalogueStreams) this.refuseParked(view, stream);
  }
}

/** Returns the part of the ids that the query is about, or the whole view. */
const partOf = ({ idPrefix = wholeView }: FindQuery): string => (idPrefix.includes('/') ? idPrefix : wholeView);
