/** The words of the stand-in for EventStoreDB: requests taken apart, and answers as a real 23.10 puts them. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { errors, maxAppendSize } from './errors.js';
import type { Expected, LoggedEvent, NewEvent, Outcome } from './log.js';

const require = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client/package.json'));
const any = require('google-protobuf/google/protobuf/any_pb.js') as {
  Any: new () => AnyMessage & { pack(bytes: Uint8Array, name: string): void };
};
const empties = require('google-protobuf/google/protobuf/empty_pb.js') as { Empty: new () => BatchEmpty };
type AnyMessage = NonNullable<ReturnType<InstanceType<typeof statuses.Status>['getDetails']>>;
type BatchEmpty = NonNullable<ReturnType<BatchAppendReq.Options['getAny']>>;

export const nameOf = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

interface Expectation {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** Of appends and deletions alike; `revision` is what stands in the request where it is none of the words. */
export function expectedOf(options: Expectation, revision: string): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : BigInt(revision);
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws CallError what a real server cannot take */
export function proposed(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): NewEvent {
  const id = message.getId()?.getString() ?? '';
  const type = message.getMetadataMap().get('type') ?? '';
  if (!uuid.test(id) || type === '') throw errors.handler();
  return {
    id,
    type,
    json: message.getMetadataMap().get('content-type') === 'application/json',
    // Copied: the bytes are a view of a whole message.
    data: Buffer.from(message.getData_asU8()),
    metadata: Buffer.from(message.getCustomMetadata_asU8()),
  };
}

/** @throws CallError when the stream is deleted */
export function appendAnswer(outcome: Outcome, stream: string, expected: Expected): AppendResp {
  const answer = new messages.AppendResp();
  if (outcome.type === 'deleted') throw errors.deleted(stream);
  if (outcome.type === 'wrong') {
    const wrong = new messages.AppendResp.WrongExpectedVersion();
    if (outcome.actual === 'no_stream') wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(`${outcome.actual}`);
    if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
    else if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
    else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
    else wrong.setExpectedRevision(`${expected}`);
    return answer.setWrongExpectedVersion(wrong);
  }
  const success = new messages.AppendResp.Success();
  if (outcome.revision === 'no_stream') success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(`${outcome.revision}`);
  success.setPosition(placed(new messages.AppendResp.Position(), outcome.position));
  return answer.setSuccess(success);
}

export function batchAnswer(outcome: Outcome, expected: Expected): BatchAppendResp {
  const answer = new messages.BatchAppendResp();
  if (outcome.type === 'deleted') return answer.setError(packed('StreamDeleted', new shared.StreamDeleted()));
  if (outcome.type === 'wrong') {
    const wrong = new shared.WrongExpectedVersion();
    if (outcome.actual === 'no_stream') wrong.setCurrentNoStream(new empties.Empty());
    else wrong.setCurrentStreamRevision(`${outcome.actual}`);
    if (expected === 'no_stream') wrong.setExpectedNoStream(new empties.Empty());
    else if (expected === 'any') wrong.setExpectedAny(new empties.Empty());
    else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new empties.Empty());
    else wrong.setExpectedStreamPosition(`${expected}`);
    return answer.setError(packed('WrongExpectedVersion', wrong));
  }
  const success = new messages.BatchAppendResp.Success();
  if (outcome.revision === 'no_stream') success.setNoStream(new empties.Empty());
  else success.setCurrentRevision(`${outcome.revision}`);
  return answer.setSuccess(success.setPosition(placed(new shared.AllStreamPosition(), outcome.position)));
}

/** Errors of the shared append stream are answers: they do not end it. */
export const batchErrors = {
  tooLarge: () =>
    packed('MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(maxAppendSize)),
  timeout: () => packed('Timeout', new shared.Timeout()),
  accessDenied: () => packed('AccessDenied', new shared.AccessDenied()),
  badRequest: () => packed('BadRequest', new shared.BadRequest()),
  notReady: () => packed('Empty', new shared.Empty()).setMessage('Server Is Not Ready'),
};

function packed(name: string, details: { serializeBinary(): Uint8Array }) {
  const wrapped = new any.Any();
  wrapped.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new statuses.Status().setMessage(name).setDetails(wrapped);
}

interface Position {
  setCommitPosition(value: string): unknown;
  setPreparePosition(value: string): unknown;
}
export function placed<Message extends Position>(message: Message, position: number): Message {
  message.setCommitPosition(`${position}`);
  message.setPreparePosition(`${position}`);
  return message;
}

const ticksAtEpoch = 10_000n;
const written = new WeakMap<LoggedEvent, Buffer>();

/** As bytes, made once: the same events are read again and again. */
export function eventBytes(event: LoggedEvent): Buffer {
  const known = written.get(event);
  if (known !== undefined) return known;
  const recorded = placed(new messages.ReadResp.ReadEvent.RecordedEvent(), event.position);
  recorded.setId(new shared.UUID().setString(event.id));
  recorded.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)));
  recorded.setStreamRevision(`${event.revision}`);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('created', `${BigInt(event.created.getTime()) * ticksAtEpoch}`)
    .set('content-type', event.json ? 'application/json' : 'application/octet-stream');
  recorded.setData(event.data);
  recorded.setCustomMetadata(event.metadata);
  const read = new messages.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(`${event.position}`);
  const bytes = Buffer.from(new messages.ReadResp().setEvent(read).serializeBinary());
  written.set(event, bytes);
  return bytes;
}

export const notFound = (stream: string): ReadResp =>
  new messages.ReadResp().setStreamNotFound(
    new messages.ReadResp.StreamNotFound().setStreamIdentifier(
      new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
    ),
  );
export const confirmation = (): ReadResp =>
  new messages.ReadResp().setConfirmation(
    new messages.ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID()),
  );
export const caughtUp = (): ReadResp => new messages.ReadResp().setCaughtUp(new messages.ReadResp.CaughtUp());
export const checkpoint = (position: number): ReadResp =>
  new messages.ReadResp().setCheckpoint(placed(new messages.ReadResp.Checkpoint(), position));
