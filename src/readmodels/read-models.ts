/** The read-model port: documents folded from the log, disposable and rebuildable. Its contract suite is test/contract/read-models.ts; every adapter passes it. */

export type Document = Readonly<Record<string, unknown>>;

export interface Index {
  /** Top-level fields in order: lower case letters, digits, underscores. The document id always follows as the last one. */
  readonly fields: readonly string[];
  /**
   * Its keys come in no order, as names of streams do. An embedded store would have to rewrite a page for each of them,
   * and keeps no such index: there, a query that needs it is a TypeError.
   */
  readonly scattered?: boolean;
}

/** A view, in one of its storages: two storages of a view live side by side and never touch. */
export interface View {
  /** Lower case letters and underscores. */
  readonly name: string;
  /** Of the projection, from 1. */
  readonly version: number;
  /** Number of the storage. Default: the version. */
  readonly storage?: number;
  /** A new one needs a new version. Equality and sorting work on the fields of these indexes: strings, finite numbers, booleans or null; each field of one type beside null. An absent field counts as null. */
  readonly indexes: readonly Index[];
  /** Top-level fields that hold an array of strings and can be asked for one of them, or for what begins with a text. */
  readonly arrayIndexes?: readonly string[];
  /**
   * All top-level fields of its documents, in their order. A store may then keep a document without what it can tell
   * again, and gives it back whole: an absent field as null.
   */
  readonly fields?: readonly string[];
  /** Of these, those whose texts, joined with slashes, are the id. */
  readonly idFields?: readonly string[];
}

export type StoredView = Pick<View, 'name' | 'version' | 'storage'>;

export const storageOf = ({ version, storage = version }: StoredView): number => storage;

export interface StoredDocument<D = Document> {
  readonly id: string;
  readonly document: D;
  /** Log position of the last event folded into it. */
  readonly position: string;
}

export interface FindQuery {
  /** Equality on the leading fields of one of the view's indexes. */
  readonly where?: Readonly<Record<string, string | number | boolean | null>>;
  readonly contains?: { readonly field: string; readonly value: string };
  readonly idPrefix?: string;
  /** `id` (default) or the field of an index that follows the fields of `where`; ties by id, in the same direction. Nulls sort first, strings by their UTF-8 bytes. */
  readonly sort?: string;
  readonly descending?: boolean;
  /** Ascending only: no document in which the field of `sort` is null or sorts before this. */
  readonly from?: string;
  /** At least 1. A limit below 1 is a TypeError, a query that no index of the view serves a MissingIndexError. */
  readonly limit: number;
  /** Of an earlier page of the same query. @throws InvalidCursorError when it was not made by this query's sort. */
  readonly cursor?: string;
}

export interface PrefixQuery {
  /** One of the view's `arrayIndexes`, else a MissingIndexError. */
  readonly field: string;
  /** Not empty, else a TypeError. */
  readonly prefix: string;
  /** At least 1, else a TypeError. */
  readonly limit: number;
}

export interface DocumentPage<D = Document> {
  readonly documents: readonly StoredDocument<D>[];
  /** Absent at the end. Opaque; URL-safe. */
  readonly nextCursor?: string;
}

export interface DocumentWrite {
  readonly view: View;
  readonly id: string;
  /** `null` deletes: a tombstone with the position stays. */
  readonly document: Document | null;
  readonly position: string;
  /** The position it was loaded with, `null` when there was neither document nor tombstone. */
  readonly loaded: string | null;
}

/** How far something was folded, and into which storages. What else is to be noted is a record. */
export interface Checkpoint {
  readonly logId: string;
  /** Position of the last event folded, `''` before the first. */
  readonly position: string;
  /** Id of the event there, `''` before the first: read back on start to notice another or a restored log. */
  readonly eventId: string;
  /** Storages that belong to it, by the name of their view: in `views` the live ones, in `rebuild` those that are being built. Stored as `live`. */
  readonly storages: Readonly<Record<string, number>>;
}

/** What the service notes beside the views and no commit moves, such as when a key was last used. Data from disk: its reader checks the shape. */
export interface VersionedRecord {
  readonly value: unknown;
  /** Opaque: another one after each write, and never the same again. */
  readonly version: string;
}

export interface RecordWrite {
  readonly name: string;
  /** Plain JSON, without personal data: erasures do not look for any in records. At most 16 MB. */
  readonly value: Document;
  /** The version that was read, `null` when there was no record. */
  readonly previous: string | null;
}

export interface Commit {
  readonly writes: readonly DocumentWrite[];
  readonly checkpoint: {
    readonly name: string;
    /** What the checkpoint must be now, `null` = absent. */
    readonly previous: Checkpoint | null;
    readonly next: Checkpoint;
    /** Epoch of the lease under which it is written; refused when a later epoch has written. */
    readonly epoch?: number;
  };
}

/** A checkpoint to be removed, and what the caller knows of it. */
export interface CheckpointRemoval {
  readonly name: string;
  /** What it must be now, `null` = absent. */
  readonly previous: Checkpoint | null;
  /** Epoch of the lease under which it is written; refused when a later epoch has. Absent: the caller holds another lease. */
  readonly epoch?: number | undefined;
}

export interface WantedDocuments {
  readonly view: View;
  readonly ids: readonly string[];
}

export type DocumentsById<D = Document> = ReadonlyMap<string, StoredDocument<D>>;

export interface ReadModelReader {
  /** Undefined when absent or deleted. @throws ReadModelsUnavailableError */
  get<D = Document>(view: View, id: string): Promise<StoredDocument<D> | undefined>;
  /** Those of the ids that exist, by id. @throws ReadModelsUnavailableError */
  getMany<D = Document>(view: View, ids: readonly string[]): Promise<DocumentsById<D>>;
  /** As getMany for each of several views, in their order; where the store is a server, with one command. @throws ReadModelsUnavailableError */
  getEach<D = Document>(wanted: readonly WantedDocuments[]): Promise<readonly DocumentsById<D>[]>;
  /** @throws ReadModelsUnavailableError @throws InvalidCursorError */
  find<D = Document>(view: View, query: FindQuery): Promise<DocumentPage<D>>;
  /**
   * The documents of which some string in the field begins with the prefix, each once: by the first such string in the
   * order of UTF-8 bytes; of the same string in any order. @throws ReadModelsUnavailableError
   */
  search<D = Document>(view: View, query: PrefixQuery): Promise<readonly StoredDocument<D>[]>;
  checkpoint(name: string): Promise<Checkpoint | null>;
  /** As it was last put; null: there is none. @throws ReadModelsUnavailableError */
  readRecord(name: string): Promise<VersionedRecord | null>;
  close(): Promise<void>;
}

export interface ReadModels extends ReadModelReader {
  /**
   * Makes the view's storage and indexes where missing, also for the documents that are there already. Repeatable.
   *
   * `bare`: the storage alone, so that many documents are written fast. `get`, `getMany`, `load`, `commit`, `drop` and a
   * `find` by ids work on it; what needs an index must wait for the whole `prepare`, which may then take its time.
   */
  prepare(view: View, options?: { readonly bare?: boolean }): Promise<void>;
  /** Like getMany, and tells the positions of tombstones too (`document: null`): what a fold must start from. */
  load(
    view: View,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly document: Document | null; readonly position: string }>>;
  /**
   * Writes the documents, each only over the position it was loaded with, then moves the checkpoint. When it resolves,
   * every reader sees both. After a crash half-way (adapters without multi-document transactions) the checkpoint has not moved, and folding the
   * same events again from freshly loaded documents is harmless.
   *
   * @throws CommitConflictError another process has written a document or moved the checkpoint: load and fold again.
   * @throws ReadModelsUnavailableError
   */
  commit(commit: Commit): Promise<void>;
  /**
   * Compare-and-set: writes the record if it still is of the version that was read, else nothing. Whether it was written;
   * if not, somebody else was first, and the record is to be read again.
   * @throws ReadModelsUnavailableError whether it was written is not known.
   */
  putRecord(record: RecordWrite): Promise<boolean>;
  drop(view: StoredView): Promise<void>;
  /**
   * Removes a checkpoint: the views count as never folded. One that is absent already is no fault. A first commit of that
   * name that is under way fails then.
   *
   * @throws CommitConflictError it is elsewhere, or a later epoch has written it: nothing was removed.
   * @throws ReadModelsUnavailableError
   */
  forget(checkpoint: CheckpointRemoval): Promise<void>;
  /**
   * When it resolves, the store keeps no byte of documents that were deleted from these views or replaced, nor of storages
   * of theirs that no checkpoint names. Commits and readers go on meanwhile.
   * @throws ReadModelsUnavailableError it was not done, or a reader still holds what was: ask again.
   */
  scrub(views: readonly StoredView[]): Promise<void>;
  /**
   * Takes or extends the lease of that name for `ttl` milliseconds; 0 gives it back. The epoch grows when another holder
   * takes it, and when it had run out: then another process may have held it meanwhile. `null`: another process holds it.
   * @throws ReadModelsUnavailableError
   */
  lease(name: string, holder: string, ttl: number): Promise<{ readonly epoch: number } | null>;
  /**
   * Takes the lease of that name from a holder that let it run out, and leaves it free: who held it at this epoch cannot
   * extend it any more. False: it is held, or there never was this epoch.
   * @throws ReadModelsUnavailableError
   */
  fenceOff(name: string, epoch: number): Promise<boolean>;
}

/**
 * The longest lease, in milliseconds. A lease that seems to last longer was given while the clock of the store was ahead, so
 * it has run out.
 */
export const longestLeaseMs = 60_000;

/** A query that no index of the view serves. The message names the index that it needs, and those that there are. */
export class MissingIndexError extends TypeError {
  override readonly name = 'MissingIndexError';
}

/** A cursor that no page of this query has given out. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}

/** A document or the checkpoint does not stand where it was loaded; see `commit`. */
export class CommitConflictError extends Error {
  override readonly name = 'CommitConflictError';
}

export class ReadModelsUnavailableError extends Error {
  override readonly name = 'ReadModelsUnavailableError';
}

/** Another process or thread is writing, and went on for longer than this one waits. */
export class ReadModelsBusyError extends ReadModelsUnavailableError {}

/** A view, or the whole store if `view` is undefined, is corrupt and must be rebuilt from the log. */
export class ViewDamagedError extends ReadModelsUnavailableError {
  constructor(
    message: string,
    readonly view?: StoredView,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Nothing readable of the view is live: it is built, as after an update. */
export class ViewMissingError extends ReadModelsUnavailableError {
  constructor(view: string) {
    super(`the view ${view} has not been built yet`);
  }
}
