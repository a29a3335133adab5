/**
 * Flips random bits in copies of a `views.db` and reads all its documents in every way in which the service does. Needs no
 * process for each flip, so it tries hundreds of them: `node test/damage/flips-in-process.mjs --flips 420 --seed 1`.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { furnish } from './bit-flips.mjs';

/** @param dist a folder of compiled files */
export async function loadService(dist) {
  const load = (name) => import(path.join(dist, name));
  const [models, { liveProjections }, { storedIn }, check] = await Promise.all([
    load('readmodels/sqlite/read-models.js'),
    load('projections/views.js'),
    load('projector/storage.js'),
    load('readmodels/sqlite/check.js').catch(() => ({})),
  ]);
  return {
    open: models.openSqliteReadModels,
    discard: models.discardIfUnusable ?? models.discardIfDamaged,
    checkViews: check.checkViews,
    liveProjections,
    storedIn,
  };
}

/** Every read of a view whose answer can be compared: each document, all of them in each order, and each value of an index. */
function readsOf(view, documents) {
  const reads = documents.map(({ id }) => ({ name: `${view.name}/${id}`, read: (models) => models.get(view, id) }));
  const find = (name, query) =>
    reads.push({ name: `${view.name} ${name}`, read: (models) => models.find(view, { limit: 500, ...query }) });
  find('all', {});
  find('backwards', { descending: true });
  for (const { fields } of view.indexes.filter(({ scattered }) => scattered !== true)) {
    find(`by ${fields.join()}`, { sort: fields[0] });
    for (const value of new Set(documents.map(({ document }) => document[fields[0]] ?? null)))
      find(`${fields[0]} ${value}`, {
        where: { [fields[0]]: value },
        ...(fields.length > 1 ? { sort: fields[1] } : {}),
      });
  }
  for (const field of view.arrayIndexes ?? []) {
    const values = new Set(documents.flatMap(({ document }) => document[field] ?? []));
    for (const value of values) find(`${field} ${value}`, { contains: { field, value } });
    for (const prefix of new Set([...values].map((value) => value.slice(0, 3)).filter((text) => text !== '')))
      reads.push({
        name: `${view.name} search ${prefix}`,
        read: (models) => models.search(view, { field, prefix, limit: 500 }),
      });
  }
  return reads;
}

async function allReads({ open, liveProjections, storedIn }, file) {
  const models = open({ file, readOnly: true });
  const { storages } = await models.checkpoint('views');
  const views = storedIn(liveProjections, storages);
  const reads = [];
  for (const view of views) reads.push(...readsOf(view, (await models.find(view, { limit: 1_000 })).documents));
  for (const one of reads) one.expected = JSON.stringify((await one.read(models)) ?? null);
  await models.close();
  return { reads, views };
}

function flip(file, random) {
  const bit = Math.floor(random() * statSync(file).size * 8);
  const bytes = readFileSync(file);
  bytes[bit >> 3] ^= 1 << (bit & 7);
  writeFileSync(file, bytes);
  return bit;
}

/** `start`: the file was removed when it was opened. `read`, `check`: what noticed the damage first. */
async function tryFlip(service, { file, reads, views }) {
  const result = { wrong: [], refused: 0, noticed: undefined };
  if (service.discard(file) !== undefined) return { ...result, noticed: 'start' };
  const notice = (how) => () => (result.noticed ??= how);
  let models;
  try {
    models = service.open({ file, readOnly: true, onDamage: notice('read') });
    for (const { name, read, expected } of reads)
      try {
        const found = JSON.stringify((await read(models)) ?? null);
        if (found !== expected) result.wrong.push(name);
      } catch (error) {
        if (error.name !== 'ReadModelsUnavailableError') result.wrong.push(`${name}: ${error.stack}`);
        result.refused += 1;
      }
    const signal = new AbortController().signal;
    await service.checkViews?.({ file, views, signal, onDamage: notice('check') });
  } catch (error) {
    if (error.name !== 'ReadModelsUnavailableError') throw error;
    result.refused += 1;
  }
  await models?.close();
  return result;
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns one result for each flip; the file itself is left as it is */
export async function flipInProcess(service, { template, flips, seed }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'flips-'));
  const file = path.join(folder, 'views.db');
  try {
    copyFileSync(template, file);
    const known = await allReads(service, file);
    const random = randomFrom(seed);
    const results = [];
    for (let at = 0; at < flips; at += 1) {
      for (const suffix of ['', '-wal', '-shm', '.damaged']) rmSync(file + suffix, { force: true });
      copyFileSync(template, file);
      const bit = flip(file, random);
      results.push({ bit, ...(await tryFlip(service, { ...known, file })) });
    }
    return { reads: known.reads.length, bytes: statSync(template).size, results };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts what came of the flips. */
export function sumOf(results) {
  const count = (test) => results.filter(test).length;
  return {
    flips: results.length,
    wrong: count(({ wrong }) => wrong.length > 0),
    wrong_and_unnoticed: count(({ wrong, noticed }) => wrong.length > 0 && noticed === undefined),
    at_the_start: count(({ noticed }) => noticed === 'start'),
    at_a_read: count(({ noticed }) => noticed === 'read'),
    by_the_check: count(({ noticed }) => noticed === 'check'),
    without_effect: count(
      ({ wrong, noticed, refused }) => wrong.length === 0 && noticed === undefined && refused === 0,
    ),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  const { values } = parseArgs({
    options: {
      flips: { type: 'string', default: '420' },
      seed: { type: 'string', default: '1' },
      dist: { type: 'string', default: dist },
    },
  });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'flips-of-'));
  try {
    await furnish(folder, path.join(values.dist, 'main.js'));
    const service = await loadService(values.dist);
    const template = path.join(folder, 'views.db');
    const { flips, seed } = values;
    const { results, ...about } = await flipInProcess(service, { template, flips: Number(flips), seed: Number(seed) });
    process.stdout.write(`${JSON.stringify({ ...about, ...sumOf(results) })}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
