/** One connection to MongoDB: how long it waits, and what its errors mean. */
import {
  BSON,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  ReadConcern,
  type ClientSession,
  type Db,
  type DbOptions,
  type MongoClientOptions,
  type Timestamp,
} from 'mongodb';
import { within } from '../../flow/abort.js';
import { measured, type Observe } from '../../flow/observe.js';
import { CommitConflictError, InvalidCursorError, ReadModelsUnavailableError } from '../read-models.js';

/** Milliseconds. */
export const mongoTimeouts = {
  /** Until a server that takes writes is found and connected to. */
  connecting: 3_000,
  /** For each round trip that reads, and for a lease. */
  reading: 5_000,
  /** For each round trip that writes: up to a thousand documents, on the disks of a majority. */
  writing: 10_000,
};
export type MongoTimeouts = Readonly<typeof mongoTimeouts>;

/** The server was silent for too long; what it was asked to do, it may still do. */
export class NoAnswerError extends ReadModelsUnavailableError {}

type Kind = 'reading' | 'writing';

/** Options of a command that reads. */
export interface MongoCallOptions {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** The server gives up after this time, too: the caller does not wait any longer. */
  readonly maxTimeMS: number;
}

/** Options of a command in order with those before it. What writes takes the session alone. */
export interface MongoSessionCallOptions extends MongoCallOptions {
  readonly session: ClientSession;
  readonly readConcern: ReadConcern;
}

export interface MongoConnection {
  readonly db: Db;
  /** Runs the action within the time allowed. What reads may be run twice. @throws ReadModelsUnavailableError */
  run<T>(kind: Kind, action: (call: MongoCallOptions) => Promise<T>): Promise<T>;
  /**
   * As `run`, for what a fold starts from, and what a commit relies on. It sees only what a majority has: what one member
   * alone has may be taken back, and a checkpoint must not move on it. It sees at least what this connection was told
   * before: a member that has just become primary would else answer from an earlier moment.
   */
  runInOrder<T>(kind: Kind, action: (call: MongoSessionCallOptions) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const ofMajority = new ReadConcern('majority');

/** Connects when first used. @throws TypeError when the URL cannot be used; its message holds nothing of the URL. */
export function connectMongo(url: string, timeouts: MongoTimeouts, observe?: Observe): MongoConnection {
  const { client, db } = openClient(url, timeouts);
  let closing: Promise<void> | undefined;
  /** The latest cluster time that a command in order has received; a standalone server sends none. */
  let seen: Timestamp | undefined;

  async function run<T>(kind: Kind, action: (call: MongoCallOptions) => Promise<T>): Promise<T> {
    if (closing !== undefined) throw new ReadModelsUnavailableError('the connection to MongoDB is closed');
    const ask = (signal: AbortSignal): Promise<T> => action({ signal, maxTimeMS: timeouts[kind] });
    try {
      return await measured(observe, { store: 'mongodb', operation: kind === 'reading' ? 'read' : 'write' }, () =>
        answeredWithin(timeouts[kind], kind === 'reading' ? onceMore(ask) : ask),
      );
    } catch (error) {
      throw translated(error);
    }
  }

  return {
    db,
    run,
    runInOrder: (kind, action) =>
      run(kind, async (call) => {
        const session = client.startSession({ causalConsistency: true });
        if (seen !== undefined) session.advanceOperationTime(seen);
        try {
          return await action({ ...call, session, readConcern: ofMajority });
        } finally {
          const { operationTime } = session;
          if (operationTime !== undefined && (seen === undefined || operationTime.greaterThan(seen)))
            seen = operationTime;
          await session.endSession();
        }
      }),
    // The result no longer matters: the server may hang.
    close: () => (closing ??= answeredWithin(timeouts.connecting, () => client.close()).catch(() => undefined)),
  };
}

/** Of the database, not the client: there, what the URL says would be mixed in. */
const guarantees: DbOptions = {
  // What is acknowledged outlives the loss of the primary. A server without a replica set is a majority by itself.
  writeConcern: { w: 'majority', journal: true },
  // For queries: a primary shows its own acknowledged writes to everybody. What is written upon is read by `runInOrder`.
  readPreference: 'primary',
  readConcern: new ReadConcern('local'),
};

/** @throws TypeError as `connectMongo`. */
export function openClient(url: string, { connecting, writing }: MongoTimeouts): { client: MongoClient; db: Db } {
  const options: MongoClientOptions = {
    appName: 'audience-ledger',
    ignoreUndefined: true,
    serverSelectionTimeoutMS: connecting,
    connectTimeoutMS: connecting,
    waitQueueTimeoutMS: writing,
    // The driver's `timeoutMS` does nothing in 7.8: `answeredWithin` keeps the time, and this frees what hangs.
    socketTimeoutMS: writing + 5_000,
  };
  try {
    const client = new MongoClient(url, options);
    return { client, db: client.db(databaseOf(url), guarantees) };
  } catch (error) {
    // The driver's messages quote the URL.
    throw new TypeError(`the MongoDB URL cannot be used (${nameOf(error)})`);
  }
}

/** The driver would take `test` where the URL names none. A slash in a password is written %2F. */
function databaseOf(url: string): string {
  const name = /^[a-z+]+:\/\/[^/?]*\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? 'audience' : decodeURIComponent(name);
}

/** @throws ReadModelsUnavailableError when it takes longer than `timeout` milliseconds. */
export async function answeredWithin<T>(timeout: number, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  return await within(timeout, action(controller.signal), () => {
    controller.abort();
    throw new NoAnswerError(`MongoDB gave no answer within ${timeout} ms`);
  });
}

/**
 * The driver repeats reads over broken connections by itself, save where the socket is found broken in the middle of
 * writing the request: then the socket's own error comes through.
 */
const onceMore =
  <T>(action: (signal: AbortSignal) => Promise<T>) =>
  async (signal: AbortSignal): Promise<T> => {
    try {
      return await action(signal);
    } catch (error) {
      if (signal.aborted || error instanceof MongoError || systemCode(error) === undefined) throw error;
      return await action(signal);
    }
  };

/** Own errors and wrong calls pass; all that the driver says means that the read models are out of reach. */
function translated(error: unknown): unknown {
  if (error instanceof CommitConflictError || error instanceof InvalidCursorError) return error;
  if (error instanceof ReadModelsUnavailableError) return error;
  // No cause: the driver's own messages quote values, hosts and users.
  if (error instanceof MongoError || error instanceof BSON.BSONError || systemCode(error) !== undefined)
    return new ReadModelsUnavailableError(`${describeError(error)}${isServerRefusal(error) ? `: ${lasting}` : ''}`);
  return error;
}

const lasting = 'no repeat mends this, MongoDB refuses the user or what it is to do';

/** Unauthorized, AuthenticationFailed, UserNotFound, and what Atlas says instead. */
const refusals: ReadonlySet<number | undefined> = new Set([13, 18, 11, 8000]);
export const isServerRefusal = (error: unknown): boolean => refusals.has(serverCode(error));

export function describeError(error: unknown): string {
  const { code, codeName } = fieldsOf(error);
  const number = typeof code === 'number' ? ` ${code}` : '';
  const label = typeof codeName === 'string' && /^\w+$/.test(codeName) ? ` ${codeName}` : '';
  const system = systemCode(error);
  return `${nameOf(error)}${number}${label}${system === undefined ? '' : ` ${system}`}`;
}

/** The number the server gave the error, also where the driver wraps it. */
function serverCode(error: unknown): number | undefined {
  for (const one of causesOf(error)) {
    const { code } = fieldsOf(one);
    if (typeof code === 'number') return code;
  }
  return undefined;
}

/** E11000; `_id` is the only unique index there is. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoError && !(error instanceof MongoBulkWriteError) && error.code === 11_000;

export function systemCode(error: unknown): string | undefined {
  for (const one of causesOf(error)) {
    const { code } = fieldsOf(one);
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}

/** The error, its causes, and what each server of a failed selection said. */
export function* causesOf(error: unknown, depth = 0): Generator {
  if (error === undefined || error === null || depth > 8) return;
  yield error;
  const { cause, reason, error: of } = fieldsOf(error);
  yield* causesOf(cause, depth + 1);
  yield* causesOf(of, depth + 1);
  const { servers } = fieldsOf(reason);
  if (servers instanceof Map) for (const server of servers.values()) yield* causesOf(server, depth + 1);
}

type Field = 'code' | 'codeName' | 'cause' | 'reason' | 'error' | 'servers' | 'setName' | 'syscall' | 'type';
type Fields = Readonly<Partial<Record<Field, unknown>>>;
export const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : {});
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unexpected failure');
