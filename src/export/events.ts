/** The events themselves, as they are stored: what can be imported, verified by others, and asked with SQL. */
import { originOf } from '../audit/origin.js';
import { leafOf, toHex } from '../eventstore/leaf.js';
import { createGrowingTree } from '../eventstore/tree.js';
import { eventInWords, type StoredEvent } from '../eventstore/event-store.js';
import { CommandFailedError } from '../failures.js';
import { everyStoredEvent, hadHappened, type ExportLog } from './log.js';
import type { Columns, ExportSource } from './source.js';

const columns: Columns = {
  ordinal: 'integer',
  position: 'text',
  stream: 'text',
  revision: 'integer',
  event_id: 'text',
  type: 'text',
  at: 'time',
  actor: 'text',
  request_id: 'text',
  correlation_id: 'text',
  causation_id: 'text',
  schema: 'integer',
  data: 'long_text',
  metadata: 'long_text',
};

/** Exports events. Without a time the export is the whole log, and only then can it be imported. */
export function eventsSource(log: ExportLog): ExportSource {
  const { time } = log;
  const tree = createGrowingTree();
  let exported = 0;
  return {
    columns,
    async *records() {
      let ordinal = 0;
      for await (const event of everyStoredEvent(log)) {
        ordinal += 1;
        const place = ordinal;
        const origin = originOf(event.metadata);
        if (time === undefined) tree.add(leafOf(place, event));
        else if (!hadHappened(event, origin.at, time)) continue;
        exported += 1;
        yield {
          line: () => lineOf(event, place),
          rows() {
            const { position, stream, revision, id, type, data, metadata } = event;
            const { at, actor, request_id, correlation_id, causation_id, schema } = origin;
            const about = [place, position, stream, Number(revision), id, type];
            return [[...about, at, actor, request_id, correlation_id, causation_id, schema, data, metadata]];
          },
        };
      }
    },
    // The last line has no ordinal, so that no program takes a part for a whole log.
    trailer: () => (time === undefined ? undefined : JSON.stringify({ cut_at: time, events: exported })),
    tree() {
      const root = tree.root();
      return root === undefined ? undefined : { count: tree.count(), root: toHex(root) };
    },
  };
}

/** Embeds data and metadata byte for byte as they are stored, because the leaf of the event is a hash over these bytes. */
function lineOf(event: StoredEvent, ordinal: number): string {
  const { position, stream, revision, id, type, data, metadata } = event;
  const place = `"ordinal":${ordinal},"position":${JSON.stringify(position)},"stream":${JSON.stringify(stream)}`;
  const what = `"revision":${revision},"event_id":${JSON.stringify(id)},"type":${JSON.stringify(type)}`;
  const texts = `"data":${embedded(data, event)},"metadata":${embedded(metadata, event)}`;
  return `{${place},${what},${texts}}`;
}

/** Text that is not JSON of one line would break the following lines. */
function embedded(text: string, event: StoredEvent): string {
  if (text.startsWith('{') && text.endsWith('}') && !/[\r\n]/.test(text)) return text;
  throw new CommandFailedError(
    `${eventInWords(event)} holds what is no JSON object on one line, and no line of NDJSON can hold it as it is. This service never writes that: see audience audit verify. CSV and Parquet take it.`,
    { type: 'unreadable_event' },
  );
}
