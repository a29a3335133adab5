/** Reads a log from its first event to its head before it is copied: it must be a log of this service, whole, and of events that the target takes. */
import { codec } from '../events/codec.js';
import { serviceStream } from '../events/streams.js';
import { logStart, type EventReader, type Position, type StoredEvent } from '../eventstore/event-store.js';
import { name, sizeOf } from './copied-event.js';
import { MigrationRefusedError, type Report } from './migration.js';
import { eventsOf, patiently, type Patience } from './with-retry.js';

/** So many streams are remembered; one that was forgotten is looked up in the log. Keeps memory constant. */
const rememberedStreams = 100_000;
/** Where the log cannot be asked, there is nothing to be gained: what follows a forgotten one is left to the target to refuse. */
const rememberedWithoutLog = 25_000;

export interface ExaminedLog {
  readonly events: number;
  /** Position of the last event that was examined. */
  readonly head: Position;
  readonly logId: string;
  readonly secretFingerprint: string;
}

export interface Examination {
  /** Without `readStream`, streams that were forgotten are not asked about: the target refuses an event that does not follow. */
  readonly source: Pick<EventReader, 'readAll' | 'head'> & Partial<Pick<EventReader, 'readStream'>>;
  /** Bytes of type, data and metadata that the target takes in one event. */
  readonly largestEvent: number;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** @throws MigrationRefusedError in words; nothing was written. */
export async function examineLog({
  source,
  largestEvent,
  patience,
  signal,
  report,
}: Examination): Promise<ExaminedLog> {
  const head = await patiently(() => source.head(), { patience, signal });
  if (head === logStart) throw new MigrationRefusedError('the source holds no events: there is nothing to copy');
  const look: Look = (stream, revision) => patiently(() => eventAt(source, stream, revision), { patience, signal });
  const assertFollows = createHoleFinder(source.readStream === undefined ? undefined : look);
  let beginning: Pick<ExaminedLog, 'logId' | 'secretFingerprint'> | undefined;
  let events = 0;
  for await (const event of eventsOf({ reader: source, until: head, patience, signal })) {
    beginning ??= beginningOf(event);
    await assertFollows(event);
    if (sizeOf(event) > largestEvent)
      throw new MigrationRefusedError(
        `${name(event)} has ${sizeOf(event)} bytes; the target takes at most ${largestEvent} in one event`,
      );
    events += 1;
    report({ phase: 'reading the source', done: events });
  }
  if (beginning === undefined) throw new MigrationRefusedError('the source has a head, but no events could be read');
  return { events, head, ...beginning };
}

/** Every log begins with its name. */
function beginningOf(first: StoredEvent): Pick<ExaminedLog, 'logId' | 'secretFingerprint'> {
  const refused = (why: string): MigrationRefusedError =>
    new MigrationRefusedError(`the source does not begin as a log of this service: ${why}`);
  if (first.stream !== serviceStream || first.type !== 'ServiceInitialised' || first.revision !== 0n)
    throw refused(`its first event is ${name(first)}, not ServiceInitialised at revision 0 of ${serviceStream}`);
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

type Look = (stream: string, revision: bigint) => Promise<StoredEvent | undefined>;

/** Demands that each event follows the one before it in its stream. */
function createHoleFinder(look: Look | undefined): (event: StoredEvent) => Promise<void> {
  let young = new Map<string, bigint>();
  let old = new Map<string, bigint>();
  let hasForgotten = false;
  const most = look === undefined ? rememberedWithoutLog : rememberedStreams;

  async function previousOf({ stream, revision, position }: StoredEvent): Promise<bigint | undefined> {
    const known = young.get(stream) ?? old.get(stream);
    if (known !== undefined || revision === 0n) return known;
    if (look === undefined) return hasForgotten ? revision - 1n : undefined;
    const previous = await look(stream, revision - 1n);
    return previous !== undefined && previous.position < position ? previous.revision : undefined;
  }

  return async (event) => {
    const previous = (await previousOf(event)) ?? -1n;
    if (event.revision !== previous + 1n)
      throw new MigrationRefusedError(
        `the source has a hole: ${name(event)} is not preceded by revision ${event.revision - 1n} of its stream`,
      );
    if (young.size >= most) {
      hasForgotten ||= old.size > 0;
      old = young;
      young = new Map();
    }
    young.set(event.stream, event.revision);
  };
}

async function eventAt(
  source: Examination['source'],
  stream: string,
  revision: bigint,
): Promise<StoredEvent | undefined> {
  for await (const batch of source.readStream?.(stream, { from: revision, limit: 1 }) ?? [])
    return batch.find((event) => event.revision === revision);
  return undefined;
}
