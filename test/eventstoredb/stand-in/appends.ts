/** Writing on the stand-in for EventStoreDB: one call per append, the shared append stream, and deletions. */
import type { sendUnaryData, ServerDuplexStream, ServerReadableStream, ServerUnaryCall } from '@grpc/grpc-js';
import type { ServerHttp2Stream } from 'node:http2';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { errors, maxAppendSize, type CallError } from './errors.js';
import { errorOf, type Faults, type Strike } from './faults.js';
import type { Expected, Log, NewEvent, Outcome } from './log.js';
import { appendAnswer, batchAnswer, batchErrors, expectedOf, nameOf, placed, proposed } from './messages.js';

/** What the services share. */
export interface Parts {
  readonly log: Log;
  readonly faults: Faults;
  /** Where `not_leader` sends clients. */
  readonly leader: () => { readonly host: string; readonly port: number };
  /** Breaks the connection of a call. */
  readonly reset: (peer: string) => void;
  /** Live events that a subscription holds before it is dropped. */
  readonly liveBuffer: number;
  /** Appends that hang: each writes, whatever else becomes of it. */
  readonly held: Set<() => void>;
}

interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: readonly NewEvent[];
}

interface Answering {
  readonly peer: string;
  readonly answer: (outcome: Outcome, times: number) => void;
  readonly fail: (error: CallError, strike: Strike) => void;
}

/** Writes and answers, or what the fault makes of that. */
function write(parts: Parts, { stream, expected, events }: Append, call: Answering & { strike: Strike | undefined }) {
  const { strike } = call;
  const append = (): Outcome => parts.log.append(stream, events, expected);
  if (strike === undefined || strike.type === 'duplicate_reply') {
    call.answer(append(), strike === undefined ? 1 : 2);
    return;
  }
  const error = errorOf(strike.type, parts.leader());
  if (error !== undefined) {
    call.fail(error, strike);
    return;
  }
  if (strike.written === true || strike.type === 'lost_reply') append();
  if (strike.type !== 'hang') {
    parts.reset(call.peer);
    return;
  }
  parts.held.add(append);
  void strike.released.then(() => {
    // Not when the server has been stopped meanwhile.
    if (parts.held.delete(append)) call.answer(append(), 1);
  });
}

export function appendService(parts: Parts) {
  return (call: ServerReadableStream<AppendReq, AppendResp>, callback: sendUnaryData<AppendResp>): void => {
    let options: AppendReq.Options | undefined;
    let bytes = 0;
    const events: NewEvent[] = [];
    let refused: CallError | undefined;
    const refuse = (error: unknown): void => {
      refused ??= asCallError(error);
      callback(refused);
    };

    function take(message: AppendReq): void {
      options ??= message.getOptions();
      const proposal = message.getProposedMessage();
      if (proposal === undefined) return;
      const event = proposed(proposal);
      bytes += event.data.length;
      if (bytes > maxAppendSize) throw errors.tooLarge();
      events.push(event);
    }

    function finish(): void {
      if (isBroken(call)) return;
      const stream = nameOf(options?.getStreamIdentifier());
      if (options === undefined || stream === '') throw errors.handler();
      const expected = expectedOf(options, options.getRevision());
      const strike = parts.faults.strike({ kind: 'append', stream });
      write(
        parts,
        { stream, expected, events },
        {
          strike,
          peer: call.getPeer(),
          answer: (outcome) => attempt(() => callback(null, appendAnswer(outcome, stream, expected)), refuse),
          fail: refuse,
        },
      );
    }

    call.on('data', (message: AppendReq) => refused ?? attempt(() => take(message), refuse));
    call.on('end', () => refused ?? attempt(finish, refuse));
    call.on('error', () => undefined);
  };
}

/**
 * grpc-js ends a request that broke off half-way like one that came whole; written, it would be half an append. Only the
 * stream below knows.
 */
function isBroken(call: ServerReadableStream<AppendReq, AppendResp>): boolean {
  const { stream } = (call as unknown as { readonly call: { readonly stream?: ServerHttp2Stream } }).call;
  if (stream === undefined) throw new Error('this version of grpc-js keeps the stream of a call elsewhere');
  return stream.aborted || stream.closed || stream.destroyed;
}

interface Pending extends Append {
  readonly events: NewEvent[];
  readonly deadline: number;
}

/** The first message of an append says where to and until when. */
function open(request: BatchAppendReq): Pending | undefined {
  const options = request.getOptions();
  if (options === undefined) return undefined;
  return {
    stream: nameOf(options.getStreamIdentifier()),
    expected: expectedOf(options, options.getStreamPosition()),
    events: [],
    deadline: options.getDeadline()?.toDate().getTime() ?? Infinity,
  };
}

/** Returns why it is refused. */
function collect({ stream, events, deadline }: Pending, request: BatchAppendReq) {
  if (stream === '') return batchErrors.badRequest();
  if (deadline <= Date.now()) return batchErrors.timeout();
  try {
    events.push(...request.getProposedMessagesList().map(proposed));
  } catch {
    return batchErrors.badRequest();
  }
  const bytes = events.reduce((sum, { data }) => sum + data.length, 0);
  return bytes > maxAppendSize ? batchErrors.tooLarge() : undefined;
}

export function batchService(parts: Parts) {
  return (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    const pending = new Map<string, Pending>();

    function take(request: BatchAppendReq): void {
      const id = request.getCorrelationId()?.getString() ?? '';
      const opened = open(request);
      const append = opened ?? pending.get(id);
      if (append === undefined) return;
      pending.set(id, append);
      const refused = collect(append, request);
      if (refused === undefined && !request.getIsFinal()) return;
      pending.delete(id);
      if (refused === undefined) finish(request, append);
      else say(request, append.stream, new messages.BatchAppendResp().setError(refused));
    }

    function say(request: BatchAppendReq, stream: string, answer: BatchAppendResp): void {
      answer.setCorrelationId(request.getCorrelationId());
      answer.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
      if (!call.cancelled) call.write(answer);
    }

    function finish(request: BatchAppendReq, append: Append): void {
      const { stream, expected } = append;
      const strike = parts.faults.strike({ kind: 'append', stream, isBatch: true });
      write(parts, append, {
        strike,
        peer: call.getPeer(),
        answer(outcome, times) {
          for (let n = 0; n < times; n += 1) say(request, stream, batchAnswer(outcome, expected));
        },
        fail(error, { type }) {
          const told = type === 'not_ready' ? batchErrors.notReady() : undefined;
          const refusal = type === 'access_denied' ? batchErrors.accessDenied() : told;
          if (refusal !== undefined) say(request, stream, new messages.BatchAppendResp().setError(refusal));
          // The whole stream ends, with every append that is on its way.
          else call.emit('error', error);
        },
      });
    }

    call.on('data', take);
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };
}

export function deleteService(parts: Parts) {
  return (call: ServerUnaryCall<DeleteReq, DeleteResp>, callback: sendUnaryData<DeleteResp>): void => {
    const options = call.request.getOptions() ?? new messages.DeleteReq.Options();
    const stream = nameOf(options.getStreamIdentifier());
    const expected = expectedOf(options, options.getRevision());
    attempt(() => {
      const position = removed(parts.log.delete(stream, expected), stream, expected);
      callback(null, new messages.DeleteResp().setPosition(placed(new messages.DeleteResp.Position(), position)));
    }, callback);
  };
}

export function tombstoneService(parts: Parts) {
  return (call: ServerUnaryCall<TombstoneReq, TombstoneResp>, callback: sendUnaryData<TombstoneResp>): void => {
    const options = call.request.getOptions() ?? new messages.TombstoneReq.Options();
    const stream = nameOf(options.getStreamIdentifier());
    const expected = expectedOf(options, options.getRevision());
    attempt(() => {
      const position = removed(parts.log.tombstone(stream, expected), stream, expected);
      callback(null, new messages.TombstoneResp().setPosition(placed(new messages.TombstoneResp.Position(), position)));
    }, callback);
  };
}

/** @throws CallError */
function removed(outcome: Outcome, stream: string, expected: Expected): number {
  if (outcome.type === 'done') return outcome.position;
  if (outcome.type === 'deleted') throw errors.deleted(stream);
  const words = { no_stream: -1n, any: -2n, stream_exists: -4n };
  throw errors.wrongVersion(
    stream,
    typeof expected === 'bigint' ? expected : words[expected],
    outcome.actual === 'no_stream' ? -1n : outcome.actual,
  );
}

function attempt(action: () => void, refuse: (error: CallError) => void): void {
  try {
    action();
  } catch (error) {
    refuse(asCallError(error));
  }
}

const asCallError = (error: unknown): CallError =>
  error instanceof Error && 'details' in error ? (error as CallError) : errors.handler();
