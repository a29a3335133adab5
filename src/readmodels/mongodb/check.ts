/** Looks at a MongoDB before a start relies on it: is it there, does it let us in, may we do what we will, and is it one. */
import { MongoAPIError, MongoCompatibilityError, MongoParseError, type MongoClient } from 'mongodb';
import {
  answeredWithin,
  causesOf,
  describeError,
  fieldsOf,
  isServerRefusal,
  mongoTimeouts,
  openClient,
  systemCode,
  type MongoTimeouts,
} from './client.js';
import { ReadModelsUnavailableError } from '../read-models.js';
import { LookAlikeError, MissingRightError, tryOut } from './trial.js';

/**
 * `unreachable`: it may still come. `refused`: it refuses the user, or what the user has to do. `tls`: its certificate is
 * not trusted. `unusable`: the URL, or what it leads to, such as a server that is too old for the driver, or is no MongoDB.
 * Reasons hold no value, credential or address.
 */
export type MongoVerdict = { readonly status: 'ready' } | Refused;
interface Refused {
  readonly status: 'unreachable' | 'refused' | 'tls' | 'unusable';
  readonly reason: string;
}

/** Reads and writes as the service will, in a collection of its own that it drops again. Never rejects. */
export async function checkMongo(url: string, timeouts?: Partial<MongoTimeouts>): Promise<MongoVerdict> {
  const { connecting, reading, writing } = { ...mongoTimeouts, ...timeouts };
  let client: MongoClient | undefined;
  try {
    const opened = openClient(url, { connecting, reading, writing });
    client = opened.client;
    await answeredWithin(connecting + reading, () => opened.client.connect());
    await tryOut(opened.db, writing);
    return { status: 'ready' };
  } catch (error) {
    return judge(error);
  } finally {
    await client?.close().catch(() => undefined);
  }
}

/** `time`: of its clock, milliseconds since 1970. */
type SeenMongo = { readonly version: string | undefined; readonly time: number | undefined } | Refused;

/** What it says of itself; nothing is written, and no right is needed but to connect. Never rejects. */
export async function seeMongo(url: string): Promise<SeenMongo> {
  const { connecting, reading } = mongoTimeouts;
  let client: MongoClient | undefined;
  try {
    const opened = openClient(url, mongoTimeouts);
    client = opened.client;
    return await answeredWithin(connecting + reading, async () => {
      const { version } = await opened.db.command({ buildInfo: 1 });
      const { localTime } = await opened.db.command({ hello: 1 });
      return {
        version: typeof version === 'string' ? version : undefined,
        time: localTime instanceof Date ? localTime.getTime() : undefined,
      };
    });
  } catch (error) {
    return judge(error);
  } finally {
    await client?.close().catch(() => undefined);
  }
}

function judge(error: unknown): Refused {
  const status = statusOf(error);
  if (status !== 'unreachable') return { status, reason: reasonOf(error) };
  const hint = hintOf(error);
  return { status, reason: hint === undefined ? reasonOf(error) : `${reasonOf(error)} (${hint})` };
}

function statusOf(error: unknown): Exclude<MongoVerdict['status'], 'ready'> {
  if (error instanceof MissingRightError || isServerRefusal(error)) return 'refused';
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(systemCode(error) ?? '')) return 'tls';
  return isFile(error) || [...causesOf(error)].some((cause) => unusable.some((one) => cause instanceof one))
    ? 'unusable'
    : 'unreachable';
}

const unusable = [TypeError, LookAlikeError, MongoCompatibilityError, MongoAPIError, MongoParseError];
const isFile = (error: unknown): boolean => fieldsOf(error).syscall === 'open';

/** These messages are our own. */
function reasonOf(error: unknown): string {
  if (isFile(error)) return `a file that the URL names (such as tlsCAFile) cannot be read: ${systemCode(error)}`;
  const own = [TypeError, LookAlikeError, MissingRightError, ReadModelsUnavailableError];
  return error instanceof Error && own.some((one) => error instanceof one) ? error.message : describeError(error);
}

/** What the URL may lack, where the server cannot say. */
function hintOf(error: unknown): string | undefined {
  const messages = [...causesOf(error)].map((cause) => (cause instanceof Error ? cause.message : ''));
  if (messages.some((message) => message.includes('before secure TLS connection')))
    return 'the URL asks for TLS: does the server speak it?';
  if (messages.some((message) => /^connection .* closed$/.test(message)))
    return 'the server closed the connection: does it want TLS, tls=true?';
  const { setName, servers } = fieldsOf(fieldsOf(error).reason);
  const described: unknown[] = servers instanceof Map ? [...servers.values()] : [];
  if (described.some(awaitsInitiation)) return 'its replica set was not initiated: run rs.initiate() there';
  const isEmpty = servers instanceof Map && described.every(isOfNoSet);
  return typeof setName === 'string' && isEmpty ? 'no server there is of the replicaSet that the URL names' : undefined;
}

const awaitsInitiation = (server: unknown): boolean => fieldsOf(server).type === 'RSGhost';

/** It answers, and the driver does not count it. */
function isOfNoSet(server: unknown): boolean {
  const { type, error } = fieldsOf(server);
  return type === 'Unknown' && error === null;
}
