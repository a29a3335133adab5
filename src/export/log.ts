/** The log that an export is made of: up to one position, and cut at a time where one is given. */
import type { Metadata } from '../events/envelope.js';
import { type CataloguesAsOf, type NamedKind, type NameVersion, versionAt } from '../audit/names.js';
import { timeOfUnreadable, unreadableEvent, type UnreadableNotes } from '../audit/unreadable.js';
import type { LogSource } from '../eventstore/log-source.js';
import { eventInWords, logStart, type EventReader, type StoredEvent } from '../eventstore/event-store.js';
import { CommandFailedError } from '../failures.js';
import { eventsOf, type RetriedRead, type RetryOptions } from '../eventstore/with-retry.js';

export interface ExportLog extends RetryOptions {
  readonly reader: EventReader;
  /** All rows of the log, also those that other reads hide. */
  readonly source: LogSource;
  /** The catalogues, and the last position that is looked at. */
  readonly moment: CataloguesAsOf;
  /** Every stream is cut after its last event at or before it. Undefined: nothing is cut. */
  readonly time: string | undefined;
  /** Events that the export needs and that cannot be read. */
  readonly unreadable: UnreadableNotes;
  readonly onRead: () => void;
}

/** No event comes later. */
const endOfTime = '9999-12-31T23:59:59.999Z';

export const timeOf = ({ time }: ExportLog): string => time ?? endOfTime;

/** Every event up to the horizon, cut or not, in log order. @throws the signal's reason when it aborts */
export const everyEvent = (log: ExportLog): AsyncGenerator<StoredEvent> => upToHorizon(log, log.reader);

/** Reads every event up to the horizon as it is stored, also rows that other reads hide. @throws the signal's reason when it aborts */
export const everyStoredEvent = (log: ExportLog): AsyncGenerator<StoredEvent> =>
  upToHorizon(log, {
    readAll: ({ after = logStart, signal }) => log.source.readEvents({ after, ...(signal && { signal }) }),
  });

async function* upToHorizon<Event extends StoredEvent>(
  { moment, retry, signal, onRead }: ExportLog,
  reader: RetriedRead<Event>['reader'],
): AsyncGenerator<Event> {
  for await (const event of eventsOf({ reader, until: moment.horizon, retry, signal })) {
    onRead();
    yield event;
  }
}

/** Whether the event had happened by then. Times never run backwards in a stream, so this cuts each. @throws CommandFailedError an event without a time */
export function hadHappened(event: StoredEvent, at: Metadata['at'] | null, time: string): boolean {
  if (at !== null) return at <= time;
  throw new CommandFailedError(`${eventInWords(event)} has metadata that cannot be read, so it has no time`, {
    type: 'unreadable_event',
  });
}

/** Not if it happened later, as far as its time can be read. */
export function noteUnreadable(log: ExportLog, stored: StoredEvent): void {
  const time = timeOf(log);
  if ((timeOfUnreadable(stored) ?? time) <= time) log.unreadable.note(unreadableEvent(stored, null));
}

/** What a list or tag was at the time of the export; undefined before its creation. */
export function versionThen(log: ExportLog, kind: NamedKind, id: string): NameVersion | undefined {
  const versions = log.moment.versions(kind, id);
  return versions && versionAt(versions, timeOf(log));
}
