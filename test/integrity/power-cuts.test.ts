/** Power cuts at every moment of a short life of a log with seals. A whole service loses its power in power-cuts.long.test.ts. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/database.js';
import { readSealKey } from '../../src/integrity/seal-store.js';
import { parseSeal } from '../../src/integrity/seal.js';
import { usually } from '../support/amount.js';
import { newFolder, verified } from '../support/integrity-log.js';
import { ended, noStrace, readRecording, startTraced } from '../support/power-cuts.js';

const module = (name: string): string => JSON.stringify(new URL(`../../dist/${name}.js`, import.meta.url).href);

/** Appends events and seals them, as the service does, without its other parts. */
const program = `
  import { randomUUID } from 'node:crypto';
  const { openSqliteEventStore } = await import(${module('eventstore/sqlite/event-store')});
  const { createSeal } = await import(${module('integrity/seal')});
  const { copySeals, keepSeal, openSealKey } = await import(${module('integrity/seal-store')});
  const { rootOf } = await import(${module('eventstore/tree')});
  const { toHex } = await import(${module('eventstore/leaf')});
  const [dataDir, copies] = process.argv.slice(-2);
  const store = await openSqliteEventStore({ file: dataDir + '/events.db', clock: Date.now });
  const event = (type, data) => ({ id: randomUUID(), type, data: JSON.stringify(data), metadata: '{"at":"2026-01-01T00:00:00.000Z"}' });
  await store.append('service', [event('ServiceInitialised', { log_id: 'log-1' })], { expectedRevision: 'no_stream' });
  const seals = { key: undefined, keysBefore: [], copies: undefined };
  const key = openSealKey({ dataDir, seals }, { onMade: () => undefined });
  for (let seq = 1; seq <= 4; seq += 1) {
    await store.append('said-' + seq, [event('Said', { seq }), event('Said', { seq })], { expectedRevision: 'no_stream' });
    const { count, ...nodes } = await store.frontier();
    const state = { log_id: 'log-1', seq, restores: 0, count, root: toHex(rootOf({ count, ...nodes })), final: seq === 4 };
    keepSeal(dataDir, createSeal(state, key, Date.now()));
    await copySeals({ dataDir }, copies);
  }
  await store.close();`;

/** Whether the file is a log already. A power cut may leave an empty file. */
function hasFormat(file: string): boolean {
  const db = new Database(file);
  try {
    return db.pragma('user_version') !== 0;
  } finally {
    db.close();
  }
}

const namesIn = (folder: string): readonly string[] => readdirSync(folder);

test('after a power cut at any moment every seal before the last append is there, is whole and holds, and the key is whole or absent', async (context) => {
  if (noStrace !== undefined) context.skip(noStrace);
  const top = newFolder();
  const [root, base, trace] = ['root', 'base', 'trace'].map((name) => path.join(top, name)) as [string, string, string];
  for (const name of ['root/data', 'root/copies', 'base/data', 'base/copies'])
    mkdirSync(path.join(top, name), { recursive: true });
  writeFileSync(path.join(top, 'program.mjs'), program);
  const words = ['program.mjs', 'data', 'copies'].map((name, at) => path.join(at === 0 ? top : root, name));
  const child = startTraced(trace, words, {});
  expect(await ended(child, trace)).toBe(0);
  const recording = readRecording([trace], { root, base });
  const all = [...new Set(recording.momentsOf(/seal|events/))];
  expect(all.length).toBeGreaterThan(50);
  const moments = all.filter((_, at) => at % usually(3, 1) === 0);
  const counts = new Set<number>();
  for (const [at, line] of moments.entries()) {
    const folder = path.join(top, `cut-${at}`);
    recording.writeTo(folder, { line, rest: at % 2 === 0 ? 'lost' : 'mixed', random: Math.random });
    const data = path.join(folder, 'data');
    const files = namesIn(data).includes('seals') ? namesIn(path.join(data, 'seals')) : [];
    const seals = files
      .filter((name) => name.endsWith('.json'))
      .map((name) => parseSeal(readFileSync(path.join(data, 'seals', name), 'utf8')));
    if (namesIn(data).includes('seal-key.pem')) readSealKey(path.join(data, 'seal-key.pem'));
    else expect(seals).toEqual([]);
    const log = path.join(data, 'events.db');
    if (namesIn(data).length === 0 || (seals.length === 0 && !hasFormat(log))) continue;
    const { count, difference } = await verified(log, { seals });
    expect(difference, `line ${line}`).toBeNull();
    // Each seal was kept before the next two events were appended. Otherwise a lost seal could leave a final one the newest.
    expect(seals.length, `line ${line}`).toBeGreaterThanOrEqual((count - 3) / 2);
    counts.add(seals.length);
  }
  expect([...counts].sort()).toEqual([0, 1, 2, 3, 4]);
});
