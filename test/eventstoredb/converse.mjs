#!/usr/bin/env node
// Holds a fixed set of conversations with an EventStoreDB-compatible server through @eventstore/db-client and prints what came back, normalised, as JSON.
// Usage: node converse.mjs esdb://127.0.0.1:2113?tls=false > answers.json     (resolve @eventstore/db-client from the working directory)
// recorded-*.json beside this file are its answers from real servers. A stand-in for the server is right as far as it answers the same.
import { createRequire } from 'node:module';
import { randomUUID } from 'node:crypto';
import path from 'node:path';

const require = createRequire(path.join(process.cwd(), 'package.json'));
const esdb = require('@eventstore/db-client');
const { EventStoreDBClient, jsonEvent, binaryEvent, NO_STREAM, ANY, STREAM_EXISTS, START, END, FORWARDS, BACKWARDS } =
  esdb;

const url = process.argv[2] ?? 'esdb://127.0.0.1:2113?tls=false';
const client = EventStoreDBClient.connectionString(url);
const prefix = `conv${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const credentials = { username: 'admin', password: 'changeit' };
const ids = new Map(); // a readable label → the uuid used in this run
const id = (label) => ids.get(label) ?? ids.set(label, randomUUID()).get(label);
const s = (name) => `${prefix}-${name}`;
const event = (label, data = { label }, type = 'Said') =>
  jsonEvent({ id: id(label), type, data, metadata: { $correlationId: label } });

const answers = {};
const tidy = (value) => {
  if (value === undefined) return 'undefined';
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') {
    let text = value.replaceAll(prefix, 'PREFIX');
    for (const [label, uuid] of ids) text = text.replaceAll(uuid, `id:${label}`);
    return text;
  }
  if (value instanceof Date) return 'DATE';
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(tidy);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'position' && inner ? position(inner) : key === 'created' ? typeof inner : tidy(inner),
    ]),
  );
};
const position = (p) =>
  typeof p === 'object'
    ? `POSITION(${Object.entries(p)
        .map(([k, v]) => `${k}:${typeof v}`)
        .join(',')})`
    : tidy(p);
const fault = (error) => ({
  thrown: error?.constructor?.name,
  type: tidy(error?.type),
  code: tidy(error?.code),
  message: tidy(String(error?.message)).slice(0, 200),
  fields: tidy(
    Object.fromEntries(
      Object.entries(error ?? {}).filter(([key]) => !['_raw', 'type', 'code', 'metadata', 'details'].includes(key)),
    ),
  ),
});
async function say(name, action) {
  try {
    answers[name] = { answer: tidy(await action()) };
  } catch (error) {
    answers[name] = fault(error);
  }
}
const append = (stream, events, expectedRevision, extra = { credentials }) =>
  client.appendToStream(stream, events, { expectedRevision, ...extra });
async function collect(reader) {
  const out = [];
  try {
    for await (const resolved of reader)
      out.push(
        resolved.event
          ? {
              streamId: resolved.event.streamId,
              revision: resolved.event.revision,
              type: resolved.event.type,
              id: resolved.event.id,
              data: resolved.event.data,
              metadata: resolved.event.metadata,
              isJson: resolved.event.isJson,
              position: resolved.event.position,
              commitPosition: typeof resolved.commitPosition,
            }
          : tidy(resolved),
      );
  } finally {
    await reader.cancel?.();
  }
  return out;
}

// 1. Appends and expectations
await say('append/no_stream on a new stream', () => append(s('a'), event('a0'), NO_STREAM));
await say('append/no_stream again, other id', () => append(s('a'), event('a-other'), NO_STREAM));
await say('append/no_stream again, same id', () => append(s('a'), event('a0'), NO_STREAM));
await say('append/right revision', () => append(s('a'), event('a1'), 0n));
await say('append/revision too low, other id', () => append(s('a'), event('a-low'), 0n));
await say('append/revision too low, same id', () => append(s('a'), event('a1'), 0n));
await say('append/revision too high', () => append(s('a'), event('a-high'), 9n));
await say('append/revision on a missing stream', () => append(s('missing'), event('m'), 0n));
await say('append/stream_exists on a missing stream', () => append(s('missing'), event('m2'), STREAM_EXISTS));
await say('append/stream_exists on a stream', () => append(s('a'), event('a2'), STREAM_EXISTS));
await say('append/any', () => append(s('a'), event('a3'), ANY));
await say('append/any, same id at once', () => append(s('a'), event('a3'), ANY));
await say('append/several', () => append(s('b'), [event('b0'), event('b1'), event('b2')], NO_STREAM));
await say('append/several again, all the same', () =>
  append(s('b'), [event('b0'), event('b1'), event('b2')], NO_STREAM),
);
await say('append/several again, after a later append', async () => {
  await append(s('b'), event('b3'), 2n);
  return append(s('b'), [event('b0'), event('b1'), event('b2')], NO_STREAM);
});
await say('append/several again, only a prefix', () => append(s('b'), [event('b0'), event('b1')], NO_STREAM));
await say('append/several again, the last one new', () => append(s('b'), [event('b0'), event('b-new')], NO_STREAM));
await say('append/several again, reaching past the end', () => append(s('b'), [event('b3'), event('b4')], 2n));
await say('append/nothing, new stream', () => append(s('empty'), [], NO_STREAM));
await say('append/nothing, stream with events', () => append(s('b'), [], 3n));
await say('append/same id in two streams', async () => {
  await append(s('c'), event('shared'), NO_STREAM);
  return append(s('d'), event('shared'), NO_STREAM);
});
await say('append/same id twice in one append', () => append(s('twice'), [event('twin'), event('twin')], NO_STREAM));
await say('append/900 KiB', () => append(s('big'), event('big', { text: 'x'.repeat(900 * 1024) }), NO_STREAM));
await say('append/1.2 MiB', () => append(s('bigger'), event('bigger', { text: 'x'.repeat(1200 * 1024) }), NO_STREAM));
await say('append/binary', () =>
  append(s('bin'), binaryEvent({ id: id('bin'), type: 'Bytes', data: Buffer.from([0, 1, 255]) }), NO_STREAM),
);
await say('append/without credentials (batch path)', () => append(s('e'), event('e0'), NO_STREAM, {}));
await say('append/without credentials, conflict', () => append(s('e'), event('e-other'), NO_STREAM, {}));
await say('append/empty stream name', () => append('', event('noname'), NO_STREAM));
await say('append/64 racing no_stream', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 64 }, (_, i) => append(s('race'), event(`race${i}`), NO_STREAM)),
  );
  const lost = results.filter((r) => r.status === 'rejected');
  return {
    won: results.length - lost.length,
    lost: lost.length,
    lostTypes: [...new Set(lost.map((r) => r.reason.type))],
  };
});
await say('append/deadline 1 ms', () =>
  append(s('late'), event('late'), NO_STREAM, { credentials, deadline: 1 }).then(
    () => 'answered in time',
    (error) => {
      if (error.type === 'deadline-exceeded' || error.code === 4) return 'deadline exceeded';
      throw error;
    },
  ),
);

// 2. Reads
await say('read/missing stream', () => collect(client.readStream(s('nothing'))));
await say('read/forwards', () => collect(client.readStream(s('a'), { fromRevision: START, direction: FORWARDS })));
await say('read/forwards, two', () =>
  collect(client.readStream(s('a'), { fromRevision: START, direction: FORWARDS, maxCount: 2 })),
);
await say('read/from beyond the end', () =>
  collect(client.readStream(s('a'), { fromRevision: 99n, direction: FORWARDS })),
);
await say('read/backwards, one', () =>
  collect(client.readStream(s('a'), { fromRevision: END, direction: BACKWARDS, maxCount: 1 })),
);
await say('read/backwards from 1', () =>
  collect(client.readStream(s('a'), { fromRevision: 1n, direction: BACKWARDS })),
);
await say('read/binary', () => collect(client.readStream(s('bin'))));
await say('read/all backwards, one: shape', async () => {
  const [last] = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }));
  return { hasPosition: typeof last.position, revision: typeof last.revision };
});
await say('read/all from a position is inclusive', async () => {
  const r = await append(s('pos'), [event('p0'), event('p1')], NO_STREAM);
  const mine = (await collect(client.readAll({ fromPosition: START }))).filter((e) => e.streamId === s('pos'));
  const again = await collect(client.readAll({ fromPosition: mine[1].position, maxCount: 1 }));
  return {
    positionOfAppendIsLastEvent: r.position.commit === mine[1].position.commit,
    bothEventsOneCommit: mine[0].position.commit === mine[1].position.commit,
    firstRead: again[0]?.id,
  };
});

await say('position/answered by an append, by its repeat, and seen in the stream are the one in $all', async () => {
  const events = [event('same0'), event('same1')];
  const first = await append(s('same'), events, NO_STREAM);
  const repeat = await append(s('same'), events, NO_STREAM);
  const repeatOfOne = await append(s('same'), [events[0]], NO_STREAM);
  const inAll = (await collect(client.readAll({ fromPosition: START })))
    .filter((e) => e.streamId === s('same'))
    .map((e) => e.position);
  const inStream = (await collect(client.readStream(s('same')))).map((e) => e.position);
  const equal = (a, b) => Boolean(a && b) && a.commit === b.commit && a.prepare === b.prepare;
  return {
    first: equal(first.position, inAll[1]),
    repeat: equal(repeat.position, inAll[1]),
    repeatOfThePrefix: equal(repeatOfOne.position, inAll[0]),
    stream: inStream.every((p, i) => equal(p, inAll[i])),
  };
});

// 3. Subscriptions
async function follow(subscription, stop, ms = 4000) {
  const seen = [];
  const timer = setTimeout(() => {
    seen.push('TIMEOUT');
    subscription.unsubscribe().catch(() => {});
  }, ms);
  for (const name of ['confirmation', 'caughtUp', 'fellBehind', 'error', 'end', 'close'])
    subscription.on(name, (arg) => seen.push(name === 'error' ? fault(arg) : name));
  try {
    for await (const resolved of subscription) {
      if (resolved.event?.streamId?.startsWith(prefix))
        seen.push(`${resolved.event.streamId.replace(prefix, 'PREFIX')}@${resolved.event.revision}`);
      if (stop(seen)) break;
    }
  } catch (error) {
    seen.push(fault(error));
  } finally {
    clearTimeout(timer);
    await Promise.race([
      subscription.unsubscribe(),
      new Promise((resolve) => setTimeout(resolve, 1000, 'unsubscribe hangs')),
    ]).then(
      (r) => r && seen.push(r),
      (error) => seen.push(fault(error)),
    );
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  return seen;
}
const data = (seen, n) => seen.filter((x) => typeof x === 'string' && x.includes('@')).length >= n;
await say('subscribe/stream from start', () =>
  follow(client.subscribeToStream(s('b'), { fromRevision: START }), (seen) => data(seen, 4)),
);
await say('subscribe/stream from revision is exclusive', () =>
  follow(client.subscribeToStream(s('b'), { fromRevision: 1n }), (seen) => data(seen, 2)),
);
await say('subscribe/missing stream, then it appears', async () => {
  setTimeout(() => append(s('soon'), event('soon'), NO_STREAM).catch(() => {}), 300);
  return follow(client.subscribeToStream(s('soon'), { fromRevision: START }), (seen) => data(seen, 1));
});
await say('subscribe/stream from end, then live', async () => {
  setTimeout(() => append(s('b'), event('b-live'), ANY).catch(() => {}), 300);
  return follow(client.subscribeToStream(s('b'), { fromRevision: END }), (seen) => data(seen, 1));
});
await say('subscribe/all with stream prefix filter, from start, checkpoints', async () => {
  let checkpoints = 0;
  const filter = esdb.streamNameFilter({
    prefixes: [s('a'), s('c')],
    checkpointInterval: 1,
    checkpointReached: async () => {
      checkpoints += 1;
    },
  });
  const seen = await follow(client.subscribeToAll({ fromPosition: START, filter }), (all) => data(all, 5));
  return { seen, someCheckpoints: checkpoints > 0 };
});
await say('subscribe/all from the position of an event is exclusive', async () => {
  const mine = (await collect(client.readAll({ fromPosition: START }))).filter((e) => e.streamId === s('pos'));
  return follow(
    client.subscribeToAll({ fromPosition: mine[0].position, filter: esdb.streamNameFilter({ prefixes: [s('pos')] }) }),
    (seen) => data(seen, 1),
    2000,
  );
});
await say('subscribe/unsubscribe ends with', async () => {
  const subscription = client.subscribeToStream(s('a'), { fromRevision: END });
  const seen = [];
  for (const name of ['confirmation', 'caughtUp', 'error', 'end', 'close'])
    subscription.on(name, () => seen.push(name));
  subscription.on('data', () => {});
  await new Promise((resolve) => setTimeout(resolve, 500));
  await subscription.unsubscribe();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return seen;
});

// 4. Deleted streams
await say('delete/soft', () => client.deleteStream(s('c'), { expectedRevision: 0n, credentials }));
await say('delete/read a soft-deleted stream', () => collect(client.readStream(s('c'))));
await say('delete/append no_stream to a soft-deleted stream', () => append(s('c'), event('c-again'), NO_STREAM));
// the server lifts the deletion a moment after the append: a read at once may still say that there is no stream
await say('delete/read half a second after that', async () => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  return collect(client.readStream(s('c')));
});
await say('delete/missing stream', () => client.deleteStream(s('nothing'), { expectedRevision: ANY, credentials }));
await say('tombstone/stream', () => client.tombstoneStream(s('d'), { expectedRevision: ANY, credentials }));
await say('tombstone/read', () => collect(client.readStream(s('d'))));
await say('tombstone/append', () => append(s('d'), event('d-again'), ANY));

console.log(JSON.stringify(answers, null, 1));
await client.dispose();
process.exit(0);
