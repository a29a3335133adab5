/** Restores of a log from a backup, as it records them: a seal from between the backup and the restore is of events that are gone. */
import { z } from 'zod';
import { serviceStream } from '../eventstore/log-id.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { Seal } from './seal.js';

export interface Restore {
  /** Events that the backup had. */
  readonly count: number;
  /** When it was recorded. */
  readonly at: string;
}

const recorded = z.object({ count: z.int() });
const metadata = z.object({ at: z.string() });

/** Undefined: the event records none. */
export function restoreIn(event: Pick<StoredEvent, 'stream' | 'type' | 'data' | 'metadata'>): Restore | undefined {
  if (event.type !== 'LogRestored' || event.stream !== serviceStream) return undefined;
  try {
    return { ...recorded.parse(JSON.parse(event.data)), ...metadata.parse(JSON.parse(event.metadata)) };
  } catch {
    return undefined;
  }
}

/** @throws StoreUnavailableError */
export async function restoresOf(log: Pick<EventReader, 'readStream'>): Promise<readonly Restore[]> {
  const restores: Restore[] = [];
  for await (const events of log.readStream(serviceStream))
    for (const event of events) restores.push(...[restoreIn(event) ?? []].flat());
  return restores;
}

/** Of a seal that does not hold: what a restore explains of it. Events that somebody sealed are gone all the same. */
export function missingSealed(
  { count, sealed_at }: Pick<Seal, 'count' | 'sealed_at'>,
  restores: readonly Restore[],
): string | undefined {
  const restore = restores.find((one) => one.count < count && sealed_at <= one.at);
  if (restore === undefined) return undefined;
  const lost = count - restore.count;
  const what = lost === 1 ? '1 sealed event is missing' : `${lost} sealed events are missing`;
  return `${what}: the log was restored at ${restore.at} from a backup of ${restore.count} events`;
}
