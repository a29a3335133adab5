// A process of its own that works on an embedded event log: `node event-log-child.mjs <mode> <file> [count]`. Prints one line of JSON for each thing that happened.
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { openSqliteEventReader } from '../../dist/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../dist/eventstore/sqlite/event-store.js';

const [mode, file, count] = process.argv.slice(2);
// Synchronous for pipes; fs.writeSync would fail with EAGAIN when nobody reads fast enough.
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const event = (text = '') => ({ id: randomUUID(), type: 'Said', data: JSON.stringify({ text }), metadata: '{}' });
const open = () => openSqliteEventStore({ file, clock: Date.now, onFault: (error) => say({ fault: error.message }) });

const modes = {
  /** Holds the writer lock until it is killed. */
  async hold() {
    const store = await open();
    say({ open: true });
    setInterval(() => store.head(), 1_000);
  },

  /** Appends with 16 writers until it is killed, and says what was acknowledged. */
  async append() {
    const store = await open();
    const writer = async (_, at) => {
      const stream = `${at}-${randomUUID()}`;
      for (let revision = -1n; ; revision += 1n) {
        const one = event();
        await store.append(stream, [one], { expectedRevision: revision < 0n ? 'no_stream' : revision });
        say({ acked: one.id });
      }
    };
    await Promise.all(Array.from({ length: 16 }, writer));
  },

  /** Appends one after the other; what is in doubt is asked again with the same ids. */
  async sequence() {
    const store = await open();
    for (let at = 0; at < Number(count); at += 1) {
      const one = event();
      const options = { expectedRevision: at === 0 ? 'no_stream' : BigInt(at - 1) };
      for (let acked = false; !acked;) {
        try {
          await store.append('sequence', [one], options);
          acked = true;
          say({ acked: one.id });
        } catch (error) {
          say({ refused: error.name });
        }
      }
    }
    await store.close();
  },

  /** Redacts the stream `one`. */
  async redact() {
    const store = await open();
    say({ open: true });
    await store.redact('one', BigInt(count));
    await store.close();
  },

  /** Follows the log until it has seen so many events. */
  async follow() {
    const reader = openSqliteEventReader({ file });
    const abort = new AbortController();
    say({ open: true });
    const seen = [];
    for await (const message of reader.subscribe({ after: '', signal: abort.signal })) {
      if (message.type === 'events') seen.push(...message.events.map(({ id }) => id));
      if (seen.length >= Number(count)) abort.abort();
    }
    say({ seen });
    await reader.close();
  },

  /** Fills a small disk, makes room, goes on. */
  async fill() {
    const filler = `${file}.filler`;
    writeFileSync(filler, Buffer.alloc(1024 * 1024));
    let store = await open();
    const append = async (text) => {
      const one = event(text);
      try {
        await store.append('full', [one], { expectedRevision: 'any' });
        say({ acked: one.id });
        return true;
      } catch (error) {
        say({ refused: error.name });
        return false;
      }
    };
    while (await append('x'.repeat(64 * 1024)));
    await append('x'.repeat(64 * 1024));
    rmSync(filler);
    await append('again');
    await store.close();
    store = await open();
    const stored = [];
    for await (const batch of store.readStream('full')) stored.push(...batch.map(({ id }) => id));
    say({ stored });
    await store.close();
  },
};

await modes[mode]();
