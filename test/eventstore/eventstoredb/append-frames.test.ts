/** What goes over the wire for an append, read back with the generated classes of EventStoreDB's client. */
import messages from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExpectedRevision } from '../../../src/eventstore/event-store.js';
import { appendFrames } from '../../../src/eventstore/eventstoredb/append-frames.js';

function readBack(frames: Buffer) {
  const read = [];
  for (let at = 0; at < frames.length;) {
    expect(frames[at]).toBe(0);
    const end = at + 5 + frames.readUInt32BE(at + 1);
    read.push(messages.AppendReq.deserializeBinary(frames.subarray(at + 5, end)));
    at = end;
  }
  return read;
}

function expectationOf(options: ReturnType<InstanceType<typeof messages.AppendReq>['getOptions']>): ExpectedRevision {
  if (options?.hasNoStream() === true) return 'no_stream';
  if (options?.hasAny() === true) return 'any';
  if (options?.hasStreamExists() === true) return 'stream_exists';
  return BigInt(options?.getRevision() ?? '-1');
}

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8');
const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc.constantFrom('x'.repeat(127), 'x'.repeat(128), 'é'.repeat(8_192), 'x'.repeat(70_000)),
);
const expectation: fc.Arbitrary<ExpectedRevision> = fc.oneof(
  fc.constantFrom<ExpectedRevision>('no_stream', 'any', 'stream_exists', 0n, 127n, 128n, 2n ** 63n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
);

test('an append is read by the generated classes as it was meant', () => {
  const event = fc.record({ id: fc.uuid(), type: anyText, data: anyText, metadata: anyText });
  fc.assert(
    fc.property(anyText, fc.array(event, { minLength: 1, maxLength: 4 }), expectation, (stream, events, expected) => {
      const [options, ...proposed] = readBack(appendFrames(stream, events, expected));
      expect(text(options?.getOptions()?.getStreamIdentifier()?.getStreamName_asU8())).toBe(stream);
      expect(expectationOf(options?.getOptions())).toBe(expected);
      const seen = proposed.map((message) => message.getProposedMessage());
      expect(
        seen.map((one) => ({
          id: one?.getId()?.getString(),
          type: one?.getMetadataMap().get('type'),
          data: text(one?.getData_asU8()),
          metadata: text(one?.getCustomMetadata_asU8()),
        })),
      ).toEqual(events);
      for (const one of seen) expect(one?.getMetadataMap().get('content-type')).toBe('application/json');
    }),
    { numRuns: 60 },
  );
});
