/** Reading on the stand-in for EventStoreDB: pages of a stream or of the whole log, in both directions, filtered or not. */
import type { ServerWritableStream } from '@grpc/grpc-js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Parts } from './appends.js';
import { errors, type CallError } from './errors.js';
import type { Log, LoggedEvent } from './log.js';
import { eventBytes, nameOf, notFound } from './messages.js';
import { createOutlet, type Outlet } from './outlet.js';
import { followLog, followStream } from './subscriptions.js';

type Filter = (event: LoggedEvent) => boolean;

/** Answers are messages, or messages that have been made into bytes before. */
export type ReadAnswer = ReadResp | Buffer;

export function readService(parts: Parts) {
  return (call: ServerWritableStream<ReadReq, ReadAnswer>): void => {
    const options = call.request.getOptions();
    if (options === undefined) {
      call.emit('error', errors.handler());
      return;
    }
    const stream = options.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : '$all';
    const strike = parts.faults.strike({ kind: options.hasSubscription() ? 'subscribe' : 'read', stream });
    const outlet = createOutlet(call, { strike, leader: parts.leader, reset: parts.reset });
    serve(parts, { options, stream, outlet }).then(outlet.end, (error: unknown) =>
      outlet.fail(error instanceof Error && 'details' in error ? (error as CallError) : errors.handler()),
    );
  };
}

export interface ReadCall {
  readonly options: ReadReq.Options;
  readonly stream: string;
  readonly outlet: Outlet;
}

async function serve(parts: Parts, read: ReadCall): Promise<void> {
  const { options, stream, outlet } = read;
  if (!(await outlet.begin())) return;
  if (stream === '') throw errors.handler();
  if (options.hasSubscription()) return options.hasStream() ? followStream(parts, read) : followLog(parts, read);
  const count = Number(options.getCount());
  if (count < 1) throw options.hasStream() ? errors.readStream() : errors.readAll();
  const backwards = options.getReadDirection() === messages.ReadReq.Options.ReadDirection.BACKWARDS;
  if (!options.hasStream()) return sendAll(logEvents(parts.log, options, backwards), count, outlet);
  demandStart(read);
  const { state } = parts.log.stream(stream);
  if (state === 'deleted') throw errors.deleted(stream);
  if (state === 'missing') await outlet.send(notFound(stream));
  else await sendAll(streamEvents(parts.log, read, backwards), count, outlet);
}

async function sendAll(events: Iterable<LoggedEvent>, count: number, outlet: Outlet): Promise<void> {
  let left = count;
  for (const event of events) {
    if (!(await outlet.sendEvent(eventBytes(event)))) return;
    left -= 1;
    if (left === 0) return;
  }
}

/** Revision 0 has to be said: as a default value that is left out, a server does not take it. */
function demandStart({ options }: ReadCall): void {
  const from = options.getStream();
  if (from?.hasRevision() !== true && from?.hasStart() !== true && from?.hasEnd() !== true) throw errors.handler();
}

/** Looks anew at each step: what is appended meanwhile is read, too. */
function* streamEvents(log: Log, { options, stream }: ReadCall, backwards: boolean): Generator<LoggedEvent> {
  const which = options.getStream() ?? new messages.ReadReq.Options.StreamOptions();
  if (!backwards) {
    yield* forwards(log, stream, which.hasRevision() ? BigInt(which.getRevision()) : 0n);
    return;
  }
  const { events } = log.stream(stream);
  const from = which.hasRevision() ? BigInt(which.getRevision()) : undefined;
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const event = events[at];
    if (event !== undefined && (from === undefined || event.revision <= from) && !which.hasStart()) yield event;
  }
}

export function* forwards(log: Log, stream: string, from: bigint): Generator<LoggedEvent> {
  for (let next = from; ;) {
    const { events } = log.stream(stream);
    const first = events[0]?.revision ?? 0n;
    const event = events[Number(next > first ? next - first : 0n)];
    if (event === undefined) return;
    yield event;
    next = event.revision + 1n;
  }
}

function* logEvents(log: Log, options: ReadReq.Options, backwards: boolean): Generator<LoggedEvent> {
  const filter = filterOf(options);
  const step = backwards ? -1 : 1;
  for (let at = startOf(log, options, backwards); at >= 0 && at < log.records().length; at += step) {
    const event = log.records()[at]?.event;
    if (event !== undefined && filter(event)) yield event;
  }
}

/** Index of the first record to be looked at. @throws CallError */
export function startOf(log: Log, options: ReadReq.Options, backwards = false): number {
  const which = options.getAll();
  const position = which?.getPosition();
  const ends = log.records().length;
  if (position === undefined) {
    if (which?.hasEnd() !== backwards) return -1;
    return backwards ? ends - 1 : 0;
  }
  const [commit, prepare] = [Number(position.getCommitPosition()), Number(position.getPreparePosition())];
  if (prepare > commit) throw errors.handler();
  return backwards ? recordBefore(log, commit, prepare) : recordFrom(log, commit);
}

function recordFrom(log: Log, commit: number): number {
  if (commit === 0) return 0;
  return commit > (log.records().at(-1)?.position ?? 0) ? log.records().length : recordAt(log, commit);
}

/** Backwards a position stands behind the record: one that ends there is read when both halves say so. */
function recordBefore(log: Log, commit: number, prepare: number): number {
  return commit === 0 ? -1 : recordAt(log, commit) - (prepare < commit ? 2 : 1);
}

/** A real server reads what stands at a position as a record, and fails where none begins. @throws CallError */
function recordAt(log: Log, position: number): number {
  const index = log.indexOf(position);
  if (index === undefined) throw errors.readAll();
  return index;
}

export function filterOf(options: ReadReq.Options): Filter {
  const filter = options.getFilter();
  if (filter === undefined) return () => true;
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex =
    expression === undefined || expression.getRegex() === '' ? undefined : new RegExp(expression.getRegex());
  const passes = (name: string): boolean => regex?.test(name) ?? prefixes.some((prefix) => name.startsWith(prefix));
  return filter.hasStreamIdentifier() ? ({ stream }) => passes(stream) : ({ type }) => passes(type);
}
