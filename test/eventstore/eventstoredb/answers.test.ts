/** What a read is answered with, written with the generated classes of EventStoreDB's client and read by ours. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer, storedEvent, type ReadAnswer } from '../../../src/eventstore/eventstoredb/answers.js';

const { ReadResp } = messages;
const written = (answer: InstanceType<typeof ReadResp>): Buffer => Buffer.from(answer.serializeBinary());

/** In the middle of other bytes, as they come. */
function read(message: Buffer): ReadAnswer {
  const of = Buffer.concat([Buffer.from('before'), message]);
  return readAnswer({ of, from: 6, to: of.length });
}

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom('x'.repeat(127), 'x'.repeat(128), 'é'.repeat(8_192), 'x'.repeat(70_000)),
);
const number = fc.oneof(
  fc.constantFrom(0n, 127n, 128n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
);
const anyEvent = fc.record({
  id: fc.uuid(),
  stream: anyText,
  type: anyText,
  revision: number,
  commit: number,
  prepare: number,
  data: anyText,
  metadata: anyText,
});
type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer Value> ? Value : never;

function answerWith(event: AnyEvent): InstanceType<typeof ReadResp> {
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(`${event.revision}`)
    .setCommitPosition(`${event.commit}`)
    .setPreparePosition(`${event.prepare}`)
    .setData(Buffer.from(event.data))
    .setCustomMetadata(Buffer.from(event.metadata));
  recorded
    .getMetadataMap()
    .set('created', '17000000000000000')
    .set('type', event.type)
    .set('content-type', 'application/json');
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(`${event.commit}`));
}

test('an event that the generated classes wrote is read as it was meant', () => {
  fc.assert(
    fc.property(anyEvent, ({ commit, prepare, ...event }) => {
      const answer = read(written(answerWith({ commit, prepare, ...event })));
      expect(answer.kind).toBe('event');
      if (answer.kind !== 'event') return;
      const digits = (value: bigint): string => String(value).padStart(20, '0');
      expect(storedEvent(answer.event, answer.event.stream)).toEqual({
        ...event,
        position: digits(commit) + digits(prepare),
      });
    }),
    { numRuns: 100 },
  );
});

test('an answer that carries no event is told by its kind', () => {
  const position = new ReadResp.Checkpoint().setCommitPosition('5').setPreparePosition('5');
  const kinds = [
    new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId('a')),
    new ReadResp().setCheckpoint(position),
    new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound()),
    new ReadResp().setLastStreamPosition('7'),
    new ReadResp().setEvent(new ReadResp.ReadEvent().setCommitPosition('5')),
    new ReadResp(),
  ].map((answer) => read(written(answer)).kind);
  expect(kinds).toEqual(['confirmation', 'other', 'other', 'other', 'other', 'other']);
});

test('bytes that are cut short or of another kind are refused, and never read for ever', () => {
  const whole = written(
    answerWith({
      id: 'i',
      stream: 's',
      type: 't',
      revision: 300n,
      commit: 9n,
      prepare: 9n,
      data: '{}',
      metadata: '{}',
    }),
  );
  // Every cut but the one after nothing is within a field.
  for (let length = 1; length < whole.length; length += 1)
    expect(() => read(whole.subarray(0, length)), `${length} bytes`).toThrow(RangeError);
  expect(() => read(Buffer.from([0x0b]))).toThrow(RangeError);
});

test('a server that tells no positions is refused', () => {
  const none = 2n ** 64n - 1n;
  const event = { id: 'i', stream: 's', type: 't', revision: 1n, commit: none, prepare: none, data: '', metadata: '' };
  expect(() => read(written(answerWith(event)))).toThrow('tells no positions');
});
