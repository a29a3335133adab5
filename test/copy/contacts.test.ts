/** An import of contacts keeps two requests under way, and the order of the rows of each address. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { importContacts } from '../../src/copy/contacts.js';
import { freshFolder } from '../support/service.js';

interface Asked {
  readonly lines: readonly string[];
  answer(): void;
}

function fileOf(addresses: readonly string[]): string {
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'people.csv');
  writeFileSync(file, ['email', ...addresses].join('\n'));
  return file;
}

type Send = Parameters<typeof importContacts>[1]['send'];

const importFile = (file: string, send: Send) =>
  importContacts(
    {
      file,
      listId: 'lst_1',
      status: 'Subscribed',
      map: [],
      encoding: 'utf-8',
      delimiter: ',',
      isDryRun: false,
      isLenient: false,
      resubscribe: false,
    },
    {
      service: 'a service',
      signal: new AbortController().signal,
      retry: { timeoutMs: 0, longestPauseMs: 0 },
      report: () => undefined,
      onNotice: () => undefined,
      demandPlace: () => undefined,
      send,
    },
  );

const answered = (data: readonly object[]) => ({ status: 200, message: '', retryAfter: 0, data });

/** The import of these addresses, and the requests that it has made. */
function importOf(addresses: readonly string[]) {
  const asked: Asked[] = [];
  const done = importFile(
    fileOf(addresses),
    (_, body) =>
      new Promise((resolve) => {
        const lines = body.split('\n');
        const data = lines.map(() => ({ outcome: 'created' }));
        asked.push({ lines, answer: () => resolve(answered(data)) });
      }),
  );
  return { asked, done };
}

const people = (count: number): string[] => Array.from({ length: count }, (_, number) => `p${number}@x.example`);

async function turnsUntil(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !isSo(); turn += 1) await nextTurn();
  expect(isSo()).toBe(true);
}

test('the second request is made before the first is answered, a third is not', async () => {
  const { asked, done } = importOf(people(1_500));
  await turnsUntil(() => asked.length === 2);
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  expect(asked.map(({ lines }) => lines.length)).toEqual([500, 500]);
  // The second may be answered first: nothing is counted before the first is.
  asked[1]?.answer();
  asked[0]?.answer();
  await turnsUntil(() => asked.length === 3);
  asked[2]?.answer();
  expect(await done).toMatchObject({ rows: 1_500, created: 1_500 });
});

test('a request with an address of the one before waits for its answer; what is no address does not stop it', async () => {
  const { asked, done } = importOf([...people(499), 'jürgen@', ...people(600).slice(499), ' P7@X.example']);
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  await turnsUntil(() => asked.length === 1);
  asked[0]?.answer();
  await turnsUntil(() => asked.length === 2);
  asked[1]?.answer();
  expect(await done).toMatchObject({ rows: 602 });
});

test('rows that are saved quickly come in larger requests', async () => {
  const { asked, done } = importOf(people(4_000));
  let answered = 0;
  void done.finally(() => (answered = Infinity));
  while (answered !== Infinity) {
    asked[answered]?.answer();
    if (asked[answered] !== undefined) answered += 1;
    await nextTurn();
  }
  expect(asked.at(-2)?.lines.length).toBeGreaterThan(500);
});

test('a report of rejected rows that was written just before a kill, and not counted, does not stay', async () => {
  const file = fileOf(people(600));
  const send: Send = (_, body) =>
    body.includes('p0@')
      ? Promise.resolve(answered(body.split('\n').map(() => ({ outcome: 'created' }))))
      : Promise.reject(new Error('killed'));
  await expect(importFile(file, send)).rejects.toThrow('killed');
  const report = `${file}.rejected.csv`;
  writeFileSync(report, 'line,reason\n502,of before\n');
  const refused = { outcome: 'refused', error: { message: 'of now' } };
  const goesOn: Send = (_, body) => Promise.resolve(answered(body.split('\n').map(() => refused)));
  expect(await importFile(file, goesOn)).toMatchObject({
    rows: 600,
    created: 500,
    rejected: 100,
    rejected_file: report,
  });
  expect(readFileSync(report, 'utf8')).not.toContain('of before');
});

test('a broken file in UTF-16 is refused without the advice to choose Latin-1', async () => {
  const file = fileOf([]);
  writeFileSync(file, Buffer.concat([Buffer.from('\ufeffemail\r\nada@example.com\r\n', 'utf16le'), Buffer.from('x')]));
  await expect(importFile(file, () => Promise.reject(new Error('nothing is sent')))).rejects.toThrow(
    /^line 3 has bytes that are not UTF-16\. Save the file as CSV UTF-8\. Nothing was imported\.$/,
  );
});
