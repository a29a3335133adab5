/** The manifest of a backup: of which log it is, how far that had come, and the sum of each file. It is written last: a backup without one is none. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { CommandFailedError } from '../failures.js';

export const manifestName = 'manifest.json';
/** The log in a backup. */
export const logName = 'events.db';

const count = z.int().min(0);
const manifestSchema = z.object({
  format: z.literal('audience-ledger-backup/1'),
  /** UTC, ISO 8601 with milliseconds: when the log was as it is here, by the clock of the machine. */
  made_at: z.iso.datetime({ precision: 3 }),
  log_id: z.string(),
  /** Events of the log, and the link of the last one. */
  count,
  head: z.string().regex(/^[0-9a-f]{64}$/),
  position: z.string(),
  /** Whether the mark at the end of the log was checked with the secret. */
  sealed_head_checked: z.boolean(),
  /** Lines of the register of what must not come back, and the time of the newest. */
  register: z.object({ entries: count, newest: z.string().nullable() }),
  seals: count,
  secrets: z.array(z.string()),
  versions: z.object({ service: z.string(), node: z.string(), sqlite: z.string() }),
  files: z.array(z.object({ name: z.string(), bytes: count, sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});
export type Manifest = Readonly<z.output<typeof manifestSchema>>;
type FileSum = Manifest['files'][number];

/** Undefined: it has none, or one that cannot be read. */
export function manifestIn(backup: string): Manifest | undefined {
  const file = path.join(backup, manifestName);
  if (!existsSync(file)) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** @throws what the file system throws; the signal's reason */
export async function sumOf(backup: string, name: string, signal: AbortSignal): Promise<FileSum> {
  const hash = createHash('sha256');
  const file = path.join(backup, name);
  const pieces: AsyncIterable<Buffer> = createReadStream(file, { signal, highWaterMark: 1024 * 1024 });
  for await (const piece of pieces) hash.update(piece);
  return { name, bytes: statSync(file).size, sha256: hash.digest('hex') };
}

/** The files of a backup are those that its manifest names, byte for byte. @throws CommandFailedError */
export async function demandSums(backup: string, { files }: Manifest, signal: AbortSignal): Promise<void> {
  for (const wanted of files) {
    const isThere = /^[\w.-]+(\/[\w.-]+)?$/.test(wanted.name) && existsSync(path.join(backup, wanted.name));
    const found = isThere ? await sumOf(backup, wanted.name, signal) : undefined;
    if (found?.sha256 === wanted.sha256) continue;
    const what = found === undefined ? 'is missing' : 'is not as it was written: its sum is another';
    throw new CommandFailedError(`${path.join(backup, wanted.name)} ${what}. Do not restore from this backup.`, {
      type: 'backup_damaged',
      exitCode: 1,
    });
  }
}
