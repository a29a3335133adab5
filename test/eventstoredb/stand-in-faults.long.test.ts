/** What the stand-in for EventStoreDB does on command, where the adapter's own tests would not notice. */
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ANY, END, EventStoreDBClient, jsonEvent, NO_STREAM, START } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import messages from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStandIn, type StandIn, type StandInOptions } from './stand-in/stand-in.js';

interface Started {
  readonly server: StandIn;
  readonly client: EventStoreDBClient;
  /** The generated client, without what the other makes of it. */
  readonly raw: StreamsClient;
}

async function start(options: StandInOptions = {}): Promise<Started> {
  const server = await startStandIn(options);
  const client = EventStoreDBClient.connectionString(server.url);
  const raw = new streams.StreamsClient(new URL(server.url).host, credentials.createInsecure());
  onTestFinished(async () => {
    raw.close();
    await client.dispose();
    await server.close();
  });
  return { server, client, raw };
}

const until = (condition: () => boolean): Promise<boolean> => vi.waitUntil(condition, { interval: 5, timeout: 60_000 });
const said = (count: number) => Array.from({ length: count }, (_, at) => jsonEvent({ type: 'Said', data: { at } }));
const identifier = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
const uuid = () => new shared.UUID().setString(crypto.randomUUID());

type Proposal = InstanceType<
  typeof messages.AppendReq.ProposedMessage | typeof messages.BatchAppendReq.ProposedMessage
>;
function filled<Message extends Proposal>(message: Message): Message {
  message.setId(uuid()).setData(Buffer.from('{}'));
  message.getMetadataMap().set('type', 'Said').set('content-type', 'application/json');
  return message;
}

/**
 * Not so when the client gives the call up between two messages: its last words then look like the end of the request, and
 * a real server, too, writes what came. Who appends writes all messages and ends the request before anything else can happen.
 */
it('an append whose connection breaks half-way through the request writes nothing', async () => {
  const { server, raw } = await start();
  for (let turns = 0; turns < 60; turns += 1) {
    const call = raw.append(() => undefined);
    call.on('error', () => undefined);
    const ended = once(call, 'status');
    const options = new messages.AppendReq.Options().setStreamIdentifier(identifier('half'));
    call.write(new messages.AppendReq().setOptions(options.setAny(new shared.Empty())));
    for (let n = 0; n < 2; n += 1) {
      const event = filled(new messages.AppendReq.ProposedMessage());
      call.write(new messages.AppendReq().setProposedMessage(event));
    }
    await until(() => server.connections() > 0);
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    server.resetConnections();
    await ended;
  }
  expect(server.events('half')).toEqual([]);
});

describe('on the shared append stream', () => {
  function append(raw: StreamsClient) {
    const answers: BatchAppendResp[] = [];
    const errors: ServiceError[] = [];
    const call = raw.batchAppend(new Metadata(), { deadline: Infinity });
    call.on('data', (answer: BatchAppendResp) => answers.push(answer));
    call.on('error', (error: ServiceError) => errors.push(error));
    onTestFinished(() => call.cancel());
    return {
      answers,
      errors,
      send(stream: string) {
        const options = new messages.BatchAppendReq.Options().setStreamIdentifier(identifier(stream));
        const request = new messages.BatchAppendReq().setCorrelationId(uuid()).setIsFinal(true);
        request.addProposedMessages(filled(new messages.BatchAppendReq.ProposedMessage()));
        call.write(request.setOptions(options.setStreamPosition('0')));
      },
    };
  }

  it('duplicate_reply answers twice', async () => {
    const { server, raw } = await start();
    server.inject({ kind: 'append', type: 'duplicate_reply', times: 1 });
    const { answers, send } = append(raw);
    send('one');
    send('two');
    await until(() => answers.length === 3);
    const ids = answers.map((answer) => answer.getCorrelationId()?.getString());
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[1]);
  });

  it('not_ready is an answer, after which the stream goes on', async () => {
    const { server, raw } = await start();
    server.inject({ kind: 'append', type: 'not_ready', times: 1 });
    const { answers, errors, send } = append(raw);
    send('one');
    send('two');
    await until(() => answers.length === 2);
    expect(answers.map((answer) => answer.getError()?.getMessage())).toEqual([
      'Server Is Not Ready',
      'WrongExpectedVersion',
    ]);
    expect(errors).toEqual([]);
  });

  it('not_leader ends the stream and names the leader', async () => {
    const { server, raw } = await start({ leader: 'elsewhere.example:2113' });
    server.inject({ kind: 'append', type: 'not_leader', times: 1 });
    const { answers, errors, send } = append(raw);
    send('one');
    await until(() => errors.length === 1);
    expect(answers).toEqual([]);
    expect(errors[0]?.metadata.getMap()).toMatchObject({
      exception: 'not-leader',
      'leader-endpoint-host': 'elsewhere.example',
      'leader-endpoint-port': '2113',
    });
  });
});

describe('a live subscription', () => {
  async function follow({ client }: Started) {
    const seen: bigint[] = [];
    const errors: unknown[] = [];
    const subscription = client.subscribeToAll({ fromPosition: END });
    subscription.on('error', (error) => errors.push(error));
    subscription.on('data', ({ event }) => {
      if (event?.streamId === 'burst') seen.push(event.revision);
    });
    await once(subscription, 'caughtUp');
    return { seen, errors };
  }

  it('lives through as many events at once as it holds', async () => {
    const started = await start({ liveBuffer: 32 });
    const { seen, errors } = await follow(started);
    await started.client.appendToStream('burst', said(31));
    await until(() => seen.length === 31);
    expect(errors).toEqual([]);
  });

  it('hands on what it holds and is dropped when there are more', async () => {
    const started = await start({ liveBuffer: 32 });
    const { seen, errors } = await follow(started);
    await started.client.appendToStream('burst', said(100));
    await until(() => errors.length === 1);
    expect(seen.length).toBeLessThanOrEqual(32);
    expect(errors[0]).toMatchObject({
      type: 'timeout',
      code: 10,
      message: expect.stringContaining('Consumer too slow to handle event while live') as unknown,
    });
  });
});

it('a restart keeps the log and forgets what only memory knew', async () => {
  const { server, client } = await start();
  const [one, two] = [said(1), said(1)];
  const first = await client.appendToStream('one', one, { expectedRevision: NO_STREAM });
  await client.appendToStream('two', two, { expectedRevision: ANY });
  const before = server.events();
  await server.stop();
  await expect(client.appendToStream('one', one, { expectedRevision: NO_STREAM })).rejects.toThrow();
  await server.start();
  expect(server.events()).toEqual(before);
  const again = EventStoreDBClient.connectionString(server.url);
  onTestFinished(() => again.dispose());
  expect(await again.appendToStream('one', one, { expectedRevision: NO_STREAM })).toEqual(first);
  expect(await again.appendToStream('two', two, { expectedRevision: ANY })).toMatchObject({ nextExpectedRevision: 1n });
});

it('the log holds events of the server itself, and positions that are not dense', async () => {
  const { client } = await start({ systemEventEvery: 5 });
  for (let at = 0; at < 20; at += 1) await client.appendToStream('mine', said(1));
  const names: string[] = [];
  const positions: bigint[] = [];
  for await (const { event } of client.readAll({ fromPosition: START })) {
    names.push(event?.streamId ?? '');
    positions.push(event?.position?.commit ?? 0n);
  }
  expect(names.filter((name) => name.startsWith('$stats'))).toHaveLength(4);
  expect(positions.every((position, at) => at === 0 || position > (positions[at - 1] ?? 0n) + 1n)).toBe(true);
  const between = (positions[3] ?? 0n) + 1n;
  const reading = client.readAll({ fromPosition: { commit: between, prepare: between } })[Symbol.asyncIterator]();
  await expect(reading.next()).rejects.toMatchObject({
    code: 2,
    message: '2 UNKNOWN: Unexpected ReadAllResult: Error',
  });
});
