/** The stand-in for EventStoreDB earns its trust: it answers the conversations of converse.mjs as a real server did. */
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeEventStoreDb } from '../../src/eventstore/eventstoredb/server-info.js';
import { startStandIn, type StandIn } from './stand-in/stand-in.js';

type Answers = Readonly<Record<string, unknown>>;

const script = fileURLToPath(new URL('converse.mjs', import.meta.url));
const recorded = JSON.parse(readFileSync(new URL('recorded-23.10.6.json', import.meta.url), 'utf8')) as Answers;
const realServer = process.env['TEST_EVENTSTORE_URL'] ?? '';
const recordedLine = '23.10.';

/** The recording was made on a server that had been used: one checkpoint comes only where more events stand in the log. */
async function fill(url: string): Promise<void> {
  const client = EventStoreDBClient.connectionString(url);
  const events = Array.from({ length: 64 }, (_, at) => jsonEvent({ type: 'Filled', data: { at } }));
  await client.appendToStream(`filled-${crypto.randomUUID()}`, events, { expectedRevision: 'no_stream' });
  await client.dispose();
}

async function converse(url: string): Promise<Answers> {
  await fill(url);
  const { stdout } = await promisify(execFile)(process.execPath, [script, url], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    timeout: 300_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Answers;
}

describe('the stand-in for EventStoreDB answers as a real 23.10.6 did', () => {
  let standIn: StandIn | undefined;
  let answers: Answers = {};
  beforeAll(async () => {
    standIn = await startStandIn();
    answers = await converse(standIn.url);
  }, 90_000);
  afterAll(() => standIn?.close());

  it('holds all 55 conversations, and no others', () => {
    expect(Object.keys(recorded)).toHaveLength(55);
    expect(Object.keys(answers)).toEqual(Object.keys(recorded));
  });
  for (const name of Object.keys(recorded)) it(name, () => expect(answers[name]).toEqual(recorded[name]));
});

describe('a real EventStoreDB still answers as recorded', () => {
  let answers: Answers = {};
  let version = '';
  beforeAll(async () => {
    if (realServer === '') return;
    version = (await seeEventStoreDb(realServer)).version ?? '';
    if (version.startsWith(recordedLine)) answers = await converse(realServer);
    // The script reads the whole log four times, and a server that others use has a long one.
  }, 310_000);

  for (const name of Object.keys(recorded))
    it(name, ({ skip }) => {
      if (realServer === '') skip('TEST_EVENTSTORE_URL names no server');
      if (!version.startsWith(recordedLine))
        skip(`the answers were recorded from ${recordedLine}6, not from ${version}`);
      expect(answers[name]).toEqual(recorded[name]);
    });
});
