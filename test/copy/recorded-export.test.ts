/**
 * Imports a small export that version 7a6bd710 wrote, with links, and a seal of format 1 over its first 628 events. It has
 * every event type and version of that version, an erasure in two parts, and a restore of version 1. Delete this test at 1.0.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runImport } from '../../src/copy/import.js';
import { codec } from '../../src/events/codec.js';
import { readSealFile } from '../../src/cli/shared/seals.js';
import { exported, imported, rootIn, textOf } from '../support/exporting.js';
import { freshFold } from '../support/fresh-fold.js';
import { addressOf, eventsIn, newFolder, openFolder, quickly } from '../support/migrating.js';

const recorded = (name: string): string => path.join(import.meta.dirname, 'recorded', name);
const sealFile = recorded('seal.json');
const expected = JSON.parse(readFileSync(recorded('expected.json'), 'utf8')) as { count: number; root: string };
const text = gunzipSync(readFileSync(recorded('events.ndjson.gz'))).toString();
const link = /,"chain":"[0-9a-f]{64}"/;

function fileOf(content: string, name = 'events.ndjson'): string {
  const file = path.join(newFolder(), name);
  writeFileSync(file, content);
  return file;
}

/** Returns the export with one line changed. */
function withLine(number: number, change: (line: string) => string): string {
  const lines = text.split('\n');
  const line = lines[number - 1] ?? '';
  lines[number - 1] = change(line);
  expect(lines[number - 1]).not.toBe(line);
  return lines.join('\n');
}

const dryRun = (content: string, seal?: string) =>
  runImport(
    {
      file: fileOf(content),
      to: addressOf(path.join(newFolder(), 'imported')),
      isDryRun: true,
      seal: seal === undefined ? undefined : readSealFile(seal),
    },
    quickly(),
  );

describe('an export of version 7a6bd710', () => {
  test('an export of version 7a6bd710 comes in with every event, and the root is that of the old tree', async () => {
    const folder = path.join(newFolder(), 'imported');
    const result = await imported(fileOf(text), folder);
    expect(result).toMatchObject({ copied: expected.count, root: expected.root });
    const store = await openFolder(folder);
    onTestFinished(() => store.close());
    expect(await rootIn(store)).toBe(expected.root);
    const { file } = await exported(store, { what: 'events' });
    expect(textOf(file)).toBe(text.replaceAll(new RegExp(link, 'g'), ''));
    for (const event of await eventsIn(store)) codec.decode(event);
    // Throws if a view cannot read an event.
    const views = await freshFold(store);
    expect(Object.values(views).every((documents) => documents.length > 0)).toBe(true);
  });

  test('an export of version 7a6bd710 is refused by the number of the line if a line was altered', async () => {
    const altered = withLine(300, (line) => line.replace('"actor":"', '"actor":"x'));
    await expect(dryRun(altered)).rejects.toThrow(/^line 300 of .* or a line before it was altered/);
    const forged = withLine(300, (line) => line.replace(link, `,"chain":"${'ab'.repeat(32)}"`));
    await expect(dryRun(forged)).rejects.toThrow(/^line 300 of .* or a line before it was altered/);
  });

  test('an export of version 7a6bd710 is refused if a line lost its link, or only some lines have one', async () => {
    const without = (line: string): string => line.replace(link, '');
    await expect(dryRun(withLine(300, without))).rejects.toThrow(/^line 300 of .* has no member chain/);
    await expect(dryRun(withLine(1, without))).rejects.toThrow(/^line 2 of .* has a member chain, but/);
  });
});

describe('a seal of format 1', () => {
  test('a seal of format 1 matches the export that it was made of', async () => {
    expect(await dryRun(text, sealFile)).toMatchObject({ outcome: 'checked', root: expected.root });
  });

  test('a seal of format 1 refuses a file whose sealed lines were altered, also one without links', async () => {
    const altered = withLine(300, (line) => line.replace('"actor":"', '"actor":"x')).replaceAll(
      new RegExp(link, 'g'),
      '',
    );
    expect((await dryRun(altered)).copied).toBe(expected.count);
    await expect(dryRun(altered, sealFile)).rejects.toThrow(/^line 628 of .* is the last line that the seal covers/);
    await expect(dryRun(text.split('\n').slice(0, 600).join('\n'), sealFile)).rejects.toThrow('the file was shortened');
  });

  test.each([
    ['root', (seal: string) => seal.replace(/(?<="root": ")./, (digit) => (digit === '0' ? '1' : '0'))],
    ['count', (seal: string) => seal.replace('"count": 628', '"count": 627')],
  ])('a seal of format 1 is refused if its %s was altered', (_, change) => {
    const altered = fileOf(change(textOf(sealFile)), 'seal.json');
    expect(() => readSealFile(altered)).toThrow(/proves nothing: its signature does not match/);
  });

  test('a seal of format 1 is refused if another key than the expected one signed it', () => {
    const { public_key: key } = JSON.parse(textOf(sealFile)) as { public_key: string };
    const other = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
    expect(readSealFile(sealFile, fileOf(key, 'key'))).toMatchObject({ count: 628, restores: null });
    expect(() => readSealFile(sealFile, fileOf(other, 'key'))).toThrow(/signed by another key/);
  });
});
