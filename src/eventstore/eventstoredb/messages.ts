/** Messages of EventStoreDB's protocol: answers to appends, and what reads ask for. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendResp, ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import {
  AppendInDoubtError,
  WrongExpectedRevisionError,
  type AppendResult,
  type ExpectedRevision,
} from '../event-store.js';
import { formatPosition, type LogPosition } from './positions.js';

/** @throws WrongExpectedRevisionError @throws AppendInDoubtError */
export function appendResult(answer: AppendResp, expectedRevision: ExpectedRevision): AppendResult {
  const wrong = answer.getWrongExpectedVersion();
  if (wrong !== undefined)
    throw new WrongExpectedRevisionError(
      expectedRevision,
      wrong.hasCurrentRevision() ? BigInt(wrong.getCurrentRevision()) : 'no_stream',
    );
  const success = answer.getSuccess();
  const position = success?.getPosition();
  if (success === undefined || position === undefined)
    throw new AppendInDoubtError('EventStoreDB: the answer to an append tells no position');
  return {
    revision: BigInt(success.getCurrentRevision()),
    position: formatPosition(position.getCommitPosition(), position.getPreparePosition()),
  };
}

export interface ReadSpan {
  readonly backwards: boolean;
  readonly count: number;
}

/** `from` is inclusive in both directions. Undefined = from the end that is read away from. */
export function streamRequest(stream: string, from: bigint | undefined, span: ReadSpan): ReadReq {
  const which = new messages.ReadReq.Options.StreamOptions().setStreamIdentifier(identifier(stream));
  if (from !== undefined) which.setRevision(`${from}`);
  else if (span.backwards) which.setEnd(new shared.Empty());
  else which.setStart(new shared.Empty());
  return counted(new messages.ReadReq.Options().setStream(which).setNoFilter(new shared.Empty()), span);
}

/**
 * `from` is inclusive forwards and exclusive backwards. Undefined = from the end that is read away from. With a prefix the
 * server looks through its log by itself and sends, and counts, events of streams with that prefix only.
 */
export function allRequest(from: LogPosition | undefined, span: ReadSpan, prefix?: string): ReadReq {
  const which = new messages.ReadReq.Options.AllOptions();
  if (from !== undefined)
    which.setPosition(
      new messages.ReadReq.Options.Position().setCommitPosition(from.commit).setPreparePosition(from.prepare),
    );
  else if (span.backwards) which.setEnd(new shared.Empty());
  else which.setStart(new shared.Empty());
  const options = new messages.ReadReq.Options().setAll(which);
  if (prefix === undefined) options.setNoFilter(new shared.Empty());
  else options.setFilter(namesFilter(prefix).setMax(eventsPerStep));
  return counted(options, span);
}

const counted = (options: ReadReq.Options, { backwards, count }: ReadSpan): ReadReq =>
  request(options.setCount(`${count}`).setReadDirection(backwards ? 1 : 0));

/** The server looks at so many events in one go. */
const eventsPerStep = 10_000;

function namesFilter(prefix: string): ReadReq.Options.FilterOptions {
  const names = new messages.ReadReq.Options.FilterOptions.Expression();
  if (prefix === '') names.setRegex('^[^$]');
  else names.setPrefixList([prefix]);
  return new messages.ReadReq.Options.FilterOptions().setStreamIdentifier(names);
}

/** Everything of streams with this prefix that is appended from now on. */
export function liveRequest(prefix: string): ReadReq {
  // Checkpoints are of no use here: seldom.
  const filter = namesFilter(prefix).setMax(1_000).setCheckpointintervalmultiplier(100);
  const options = new messages.ReadReq.Options();
  options.setAll(new messages.ReadReq.Options.AllOptions().setEnd(new shared.Empty()));
  options.setSubscription(new messages.ReadReq.Options.SubscriptionOptions()).setFilter(filter);
  return request(options);
}

function request(options: ReadReq.Options): ReadReq {
  options.setUuidOption(new messages.ReadReq.Options.UUIDOption().setString(new shared.Empty()));
  return new messages.ReadReq().setOptions(options.setResolveLinks(false));
}

const identifier = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
