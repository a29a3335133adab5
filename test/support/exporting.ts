/** Exports and imports in this process, and what is in their files. */
import { parquetReadObjects } from 'hyparquet';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { leafOf, toHex } from '../../src/eventstore/leaf.js';
import { createGrowingTree } from '../../src/eventstore/tree.js';
import { runExport, type ExportRequest, type ExportResult } from '../../src/export/run-export.js';
import { demandChecksum } from '../../src/export/file.js';
import type { CopyOptions } from '../../src/copy/copy.js';
import { runImport } from '../../src/copy/import.js';
import { addressOf, eventsIn, newFolder, quickly } from './migrating.js';

interface Exported extends ExportResult {
  readonly file: string;
}

/** To a new file, unless one is named. */
export async function exported(
  reader: EventReader,
  request: Pick<ExportRequest, 'what'> & Partial<ExportRequest>,
  signal = new AbortController().signal,
): Promise<Exported> {
  const { what, format = 'ndjson' } = request;
  const file = request.file ?? path.join(newFolder(), `${what}.${format}`);
  const whole: ExportRequest = { format, time: undefined, isForced: false, ...request, file };
  const stdout = { isTTY: false, columns: undefined, write: async () => undefined };
  const report = (): void => undefined;
  const monotonic = (): number => performance.now();
  const result = await runExport(whole, { reader, stdout, signal, monotonic, isCounted: true, report });
  return { ...result, file };
}

/** As the command does it. */
export async function imported(file: string, folder: string, more: Partial<CopyOptions> = {}) {
  const options = quickly(more);
  const hasChecksum = await demandChecksum(file, options.signal);
  const result = await runImport({ file, to: addressOf(folder), isDryRun: false }, options);
  return { ...result, hasChecksum };
}

export const textOf = (file: string): string => readFileSync(file, 'utf8');

export const linesOf = (file: string): Record<string, unknown>[] =>
  textOf(file)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

export async function parquetRows(file: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(file);
  return parquetReadObjects({ file: new Uint8Array(bytes).buffer });
}

/** Returns the root of the tree over all events, in hex. */
export async function rootIn(reader: EventReader): Promise<string> {
  const tree = createGrowingTree();
  for (const [index, event] of (await eventsIn(reader)).entries()) tree.add(leafOf(index + 1, event));
  return toHex(tree.root() ?? '');
}
