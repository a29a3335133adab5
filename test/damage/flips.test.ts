/** Random bit flips in the `views.db` of a real service, whose documents are then read in every way in which the service reads. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { liveProjections } from '../../src/projections/views.js';
import { checkpointName, storedIn } from '../../src/projector/storage.js';
import {
  ReadModelsUnavailableError,
  type ReadModelReader,
  type StoredDocument,
  type View,
} from '../../src/readmodels/read-models.js';
import { checkViews } from '../../src/readmodels/sqlite/check.js';
import { discardIfUnusable, openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { localKey, startLocally, urlOf } from '../support/local-service.js';
import { eventually } from '../support/service.js';

const flips = process.env['TEST_LONG'] === '1' ? 840 : 40;
const people = 40;

/** Runs a service on the folder until it has documents of every view. */
async function furnish(folder: string): Promise<void> {
  const service = await startLocally(folder, { RATE_LIMIT: '0', RATE_LIMIT_EMAIL: '0', ACCESS_LOG: 'off' });
  const headers = { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' };
  const ask = async (target: string, body?: object): Promise<Readonly<Record<string, string>>> => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(urlOf(folder, target), { headers, ...sent });
    expect(answer.status, target).toBe(200);
    return ((await answer.json()) as { readonly data: Readonly<Record<string, string>> }).data;
  };
  try {
    const { group_id } = await ask('/v1/groups/create', { group_name: 'people' });
    const lists: string[] = [];
    for (const list_name of ['one', 'two', 'three'])
      lists.push((await ask('/v1/lists/create', { group_id, list_name }))['list_id'] ?? '');
    for (const tag_name of ['first', 'second']) await ask('/v1/tags/create', { tag_name });
    for (let at = 0; at < people; at += 1) {
      const email = `person.${at}@example.com`;
      const status = at % 5 === 0 ? 'Unsubscribed' : 'Subscribed';
      for (const list of lists.slice(0, 1 + (at % 3)))
        await ask(`/v1/contacts/${list}/upsertcontact`, {
          email,
          status,
          data: { firstName: `Name${at}`, city: 'Ulm' },
        });
      if (at % 2 === 0) await ask(`/v1/contacts/tags/${lists[0]}/add`, { tag_name: ['first'], contact_email: email });
      const mail = { from_email: 'us@example.com', to_email: email, mail_template: '<p>hello</p>' };
      for (let n = 0; n < at % 3; n += 1) await ask('/v1/email/send', { ...mail, subject: `hello ${n}` });
    }
    for (const at of [1, 2, 3]) await ask('/v1/suppressions', { email: `person.${at}@example.com`, reason: 'manual' });
    await eventually(async () => Object.keys(await ask('/v1/email?state=requested')).length === 0 || undefined);
  } finally {
    await service.close();
  }
}

interface Read {
  readonly name: string;
  read(models: ReadModelReader): Promise<unknown>;
}

type Found = StoredDocument<Readonly<Record<string, unknown>>>;

/** Returns every read of a view whose answer can be compared: each document, all of them in each order, and each value of an index. */
function readsOf(view: View, documents: readonly Found[]): readonly Read[] {
  const found = (name: string, query: object): Read => ({
    name: `${view.name} ${name}`,
    read: (models) => models.find(view, { limit: 500, ...query }),
  });
  const valuesOf = (field: string): readonly unknown[] => [
    ...new Set(documents.map(({ document }) => document[field] ?? null)),
  ];
  const byIndex = view.indexes
    .filter(({ scattered }) => scattered !== true)
    .flatMap(({ fields: [first = '', second] }) => [
      found(`by ${first}`, { sort: first }),
      ...valuesOf(first).map((value) =>
        found(`${first} ${String(value)}`, {
          where: { [first]: value },
          ...(second !== undefined && { sort: second }),
        }),
      ),
    ]);
  const byArray = (view.arrayIndexes ?? []).flatMap((field) => {
    const values = [...new Set(documents.flatMap(({ document }) => (document[field] ?? []) as readonly string[]))];
    const prefixes = new Set(values.map((value) => value.slice(0, 3)).filter((prefix) => prefix !== ''));
    return [
      ...values.map((value) => found(`${field} ${value}`, { contains: { field, value } })),
      ...[...prefixes].map((prefix) => ({
        name: `${view.name} search ${prefix}`,
        read: (models: ReadModelReader) => models.search(view, { field, prefix, limit: 500 }),
      })),
    ];
  });
  const byId = documents.map(({ id }) => ({
    name: `${view.name}/${id}`,
    read: (models: ReadModelReader) => models.get(view, id),
  }));
  return [...byId, found('all', {}), found('backwards', { descending: true }), ...byIndex, ...byArray];
}

const textOf = async ({ read }: Read, models: ReadModelReader): Promise<string> =>
  JSON.stringify((await read(models)) ?? null);

interface Known {
  readonly views: readonly View[];
  /** Each read with its right answer. */
  readonly answers: ReadonlyMap<Read, string>;
}

async function knownIn(file: string): Promise<Known> {
  const models = openSqliteReadModels({ file, readOnly: true });
  const { storages = {} } = (await models.checkpoint(checkpointName)) ?? {};
  const views = storedIn(liveProjections, storages);
  const answers = new Map<Read, string>();
  for (const view of views) {
    const { documents } = await models.find<Found['document']>(view, { limit: 1_000 });
    for (const read of readsOf(view, documents)) answers.set(read, await textOf(read, models));
  }
  await models.close();
  return { views, answers };
}

function flip(file: string, random: () => number): void {
  const bit = Math.floor(random() * statSync(file).size * 8);
  const bytes = readFileSync(file);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  writeFileSync(file, bytes);
}

interface Outcome {
  readonly wrong: readonly string[];
  /** The first step that noticed the damage. `start` means that the file was removed when it was opened. */
  readonly noticed: 'start' | 'read' | 'check' | undefined;
}

async function outcomeOf(file: string, { views, answers }: Known): Promise<Outcome> {
  if (discardIfUnusable(file, checkpointName) !== undefined) return { wrong: [], noticed: 'start' };
  const wrong: string[] = [];
  let noticed: Outcome['noticed'];
  let models: ReadModelReader | undefined;
  try {
    models = openSqliteReadModels({ file, readOnly: true, onDamage: () => (noticed ??= 'read') });
    for (const [read, expected] of answers) {
      const text = await textOf(read, models).catch((error: unknown) => {
        if (error instanceof ReadModelsUnavailableError) return expected;
        throw error;
      });
      if (text !== expected) wrong.push(read.name);
    }
    const { signal } = new AbortController();
    await checkViews({ file, views, signal, onDamage: () => (noticed ??= 'check') });
  } catch (error) {
    if (!(error instanceof ReadModelsUnavailableError)) throw error;
  } finally {
    await models?.close();
  }
  return { wrong, noticed };
}

/** Returns numbers from 0 to 1 that the seed decides (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('flipped bits lead to no wrong answer that nothing notices', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'flips-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await furnish(folder);
  const template = path.join(folder, 'views.db');
  const file = path.join(folder, 'flipped.db');
  const restore = (): void => {
    for (const suffix of ['-wal', '-shm', '.damaged']) rmSync(file + suffix, { force: true });
    copyFileSync(template, file);
  };
  restore();
  const known = await knownIn(file);
  const random = randomFrom(7);
  const outcomes: Outcome[] = [];
  for (let at = 0; at < flips; at += 1) {
    restore();
    flip(file, random);
    outcomes.push(await outcomeOf(file, known));
  }
  expect(outcomes.filter(({ wrong, noticed }) => wrong.length > 0 && noticed === undefined)).toEqual([]);
  expect(outcomes.filter(({ noticed }) => noticed === 'read').length).toBeGreaterThan(0);
});
