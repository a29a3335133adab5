/** Reads a log from its first event to its head before it is copied: it must be a whole log of this service whose events every store takes. */
import { serviceStream } from '../eventstore/log-id.js';
import { codec } from '../events/codec.js';
import {
  eventInWords,
  InvalidAppendError,
  logStart,
  type EventReader,
  type Position,
  type StoredEvent,
} from '../eventstore/event-store.js';
import { validateAppend, validateCanonical } from '../eventstore/validate-append.js';
import { refusedError } from '../failures.js';
import type { ReportProgress } from '../flow/progress.js';
import { eventsOf, withRetry, type RetryOptions } from '../eventstore/with-retry.js';

/** At most twice this many streams are remembered, so that memory is constant. A hole in a forgotten stream is refused by the target. */
const rememberedStreams = 25_000;

export interface ExaminedLog {
  readonly events: number;
  /** Position of the last of them. */
  readonly head: Position;
  readonly logId: string;
  readonly secretFingerprint: string;
}

type Beginning = Pick<ExaminedLog, 'logId' | 'secretFingerprint'>;

interface Examination extends RetryOptions {
  readonly source: Pick<EventReader, 'readAll' | 'head'>;
  readonly report: ReportProgress;
}

/** @throws CommandFailedError in words; nothing was written. */
export async function examineLog({ source, report, ...retrying }: Examination): Promise<ExaminedLog> {
  const head = await withRetry(() => source.head(), retrying);
  if (head === logStart) throw refusedError('the source holds no events: there is nothing to copy');
  const assertFollows = createHoleFinder();
  let beginning: Beginning | undefined;
  let events = 0;
  for await (const event of eventsOf({ reader: source, until: head, ...retrying })) {
    beginning ??= beginningOf(event);
    events += 1;
    assertFollows(event);
    assertStorable(event, events);
    report({ phase: 'reading the source', done: events });
  }
  if (beginning === undefined) throw refusedError('the source has a head, but no events could be read');
  return { events, head, ...beginning };
}

/** `place` counts the events from 1. */
function assertStorable(event: StoredEvent, place: number): void {
  try {
    validateAppend(event.stream, [event], 'any');
    validateCanonical([event]);
  } catch (error) {
    if (!(error instanceof InvalidAppendError)) throw error;
    throw refusedError(`event ${place}, ${eventInWords(event)}, can be stored nowhere: ${error.message}`, error);
  }
}

/** Every log begins with its name. */
function beginningOf(first: StoredEvent): Beginning {
  const refused = (why: string): Error => refusedError(`the source does not begin as a log of this service: ${why}`);
  if (first.stream !== serviceStream || first.type !== 'ServiceInitialised' || first.revision !== 0n)
    throw refused(
      `its first event is ${eventInWords(first)}, not ServiceInitialised at revision 0 of ${serviceStream}`,
    );
  const { event } = decoded(first, refused);
  if (event.type !== 'ServiceInitialised') throw refused('its first event is of another type');
  return { logId: event.data.log_id, secretFingerprint: event.data.secret_fingerprint };
}

function decoded(first: StoredEvent, refused: (why: string) => Error) {
  try {
    return codec.decode(first);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

/** Demands that each event follows the one before it in its stream. */
function createHoleFinder(): (event: StoredEvent) => void {
  let young = new Map<string, bigint>();
  let old = new Map<string, bigint>();
  let hasForgotten = false;
  return (event) => {
    const { stream, revision } = event;
    const previous = young.get(stream) ?? old.get(stream) ?? (hasForgotten ? revision - 1n : -1n);
    if (revision !== previous + 1n)
      throw refusedError(
        `the source has a hole: ${eventInWords(event)} is not preceded by revision ${revision - 1n} of its stream`,
      );
    if (young.size >= rememberedStreams) {
      hasForgotten ||= old.size > 0;
      old = young;
      young = new Map();
    }
    young.set(stream, revision);
  };
}
