/** The events themselves, as they are stored: what can be imported, verified by others, and asked with SQL. */
import type { LinkedEvent } from '../eventstore/chain.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { CommandFailedError } from './failures.js';
import { name } from './copied-event.js';
import { createOrigins, everyLinkedEvent, hadHappened, type ExportLog } from './export-log.js';
import type { Column, ExportSource } from './export-source.js';

interface Numbered {
  /** Of the whole log, from 1. */
  readonly ordinal: number;
  readonly event: LinkedEvent;
}

const columns: readonly Column[] = [
  { name: 'ordinal', type: 'integer' },
  { name: 'position', type: 'text' },
  { name: 'stream', type: 'text' },
  { name: 'revision', type: 'integer' },
  { name: 'event_id', type: 'text' },
  { name: 'type', type: 'text' },
  { name: 'at', type: 'time' },
  { name: 'actor', type: 'text' },
  { name: 'request_id', type: 'text' },
  { name: 'correlation_id', type: 'text' },
  { name: 'causation_id', type: 'text' },
  { name: 'schema', type: 'integer' },
  { name: 'data', type: 'text', isBulky: true },
  { name: 'metadata', type: 'text', isBulky: true },
];

/** Without a time it is the whole log, and only then can it be imported. */
export function eventsSource(log: ExportLog): ExportSource<Numbered> {
  const originOf = createOrigins();
  let exported = 0;
  return {
    columns,
    async *records() {
      let ordinal = 0;
      for await (const event of everyLinkedEvent(log)) {
        ordinal += 1;
        if (log.time !== undefined && !hadHappened(event, originOf(event).at, log.time)) continue;
        exported += 1;
        yield { ordinal, event };
      }
    },
    lineOf: (numbered) => lineOf(numbered, log.time === undefined),
    rowsOf({ ordinal, event }) {
      const { position, stream, revision, id, type, data, metadata } = event;
      const { at, actor, request_id, correlation_id, causation_id, schema } = originOf(event);
      const place = [ordinal, position, stream, Number(revision), id, type];
      return [[...place, at, actor, request_id, correlation_id, causation_id, schema, data, metadata]];
    },
    // Its line has no ordinal: whoever takes a part for a whole log stumbles over it.
    trailer: () => (log.time === undefined ? undefined : JSON.stringify({ cut_at: log.time, events: exported })),
  };
}

/** Data and metadata byte for byte as they are stored: the chain is over these bytes. */
function lineOf({ ordinal, event }: Numbered, isWhole: boolean): string {
  const { position, stream, revision, id, type, data, metadata, link } = event;
  const place = `"ordinal":${ordinal},"position":${JSON.stringify(position)},"stream":${JSON.stringify(stream)}`;
  const what = `"revision":${revision},"event_id":${JSON.stringify(id)},"type":${JSON.stringify(type)}`;
  const texts = `"data":${embedded(data, event)},"metadata":${embedded(metadata, event)}`;
  // Of a part of a log nobody can compute the chain.
  return `{${place},${what},${texts}${isWhole && link !== null ? `,"chain":"${link}"` : ''}}`;
}

/** What is no JSON of one line would break the lines that follow, too. */
function embedded(text: string, event: StoredEvent): string {
  if (text.startsWith('{') && text.endsWith('}') && !/[\r\n]/.test(text)) return text;
  throw new CommandFailedError(
    `${name(event)} holds what is no JSON object on one line, and no line of NDJSON can hold it as it is. This service never writes that: see audience audit verify. CSV and Parquet take it.`,
    { type: 'unreadable_event' },
  );
}
