/** Looks at a MongoDB before a start relies on it: is it there, does it let us in, may we write. */
import { MongoAPIError, MongoCompatibilityError, MongoParseError, type MongoClient } from 'mongodb';
import { checkpointsOf } from './checkpoints.js';
import {
  causesOf,
  describeError,
  mongoTimeouts,
  openClient,
  serverCode,
  within,
  type MongoTimeouts,
} from './client.js';

/**
 * `unreachable`: it may still come. `refused`: it refuses the user, or what the user has to do. `unusable`: the URL, or what
 * it leads to, such as a server that is too old for the driver. Reasons hold no value, credential or address.
 */
export type MongoVerdict =
  { readonly status: 'ready' } | { readonly status: 'unreachable' | 'refused' | 'unusable'; readonly reason: string };

/** Reads and writes as the service will, and changes nothing. Never rejects. */
export async function checkMongo(url: string, timeouts?: Partial<MongoTimeouts>): Promise<MongoVerdict> {
  const { connecting, reading, writing } = { ...mongoTimeouts, ...timeouts };
  let client: MongoClient | undefined;
  try {
    const opened = openClient(url, { connecting, reading, writing });
    client = opened.client;
    const checkpoints = checkpointsOf(opened.db);
    await within(connecting + reading, async () => {
      await checkpoints.findOne({ _id: '' });
      // Matches nothing: no checkpoint is called so.
      await checkpoints.updateOne({ _id: '' }, { $set: { epoch: 0 } });
    });
    return { status: 'ready' };
  } catch (error) {
    return judge(error);
  } finally {
    await client?.close().catch(() => undefined);
  }
}

/** Unauthorized, AuthenticationFailed, UserNotFound, and what Atlas says instead. */
const refusals: ReadonlySet<number | undefined> = new Set([13, 18, 11, 8000]);

function judge(error: unknown): MongoVerdict {
  if (error instanceof TypeError) return { status: 'unusable', reason: error.message };
  const reason =
    error instanceof Error && error.name === 'ReadModelsUnavailableError' ? error.message : describeError(error);
  if (refusals.has(serverCode(error))) return { status: 'refused', reason };
  const isTooOld = [...causesOf(error)].some((cause) => cause instanceof MongoCompatibilityError);
  const isUnusable = isTooOld || error instanceof MongoAPIError || error instanceof MongoParseError;
  return { status: isUnusable ? 'unusable' : 'unreachable', reason };
}
