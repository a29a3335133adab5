/** Every log names itself with its first event, `ServiceInitialised`. */
import type { EventReader } from './event-store.js';

/** The stream of that event. */
export const serviceStream = 'service';

/** The log's name for itself, from its first event; empty where that does not say. */
export function logIdIn(first: { readonly type: string; readonly data: string } | undefined): string {
  if (first?.type !== 'ServiceInitialised') return '';
  try {
    const { log_id: logId } = JSON.parse(first.data) as { readonly log_id?: unknown };
    return typeof logId === 'string' ? logId : '';
  } catch {
    return '';
  }
}

/** Undefined while the log is empty. @throws StoreUnavailableError */
export async function readLogId(reader: Pick<EventReader, 'readStream'>): Promise<string | undefined> {
  for await (const [first] of reader.readStream(serviceStream, { limit: 1 })) return logIdIn(first) || undefined;
  return undefined;
}

export async function demandLogId(reader: Pick<EventReader, 'readStream'>): Promise<string> {
  const logId = await readLogId(reader);
  if (logId === undefined) throw new Error('the log does not say which log it is: it has no ServiceInitialised');
  return logId;
}
