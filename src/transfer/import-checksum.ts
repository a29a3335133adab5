/** Compares a file with the SHA-256 that its export wrote beside it, so that a part of a file is not taken for the whole. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { checksumFileOf } from './export-file.js';
import { CommandFailedError } from '../failures.js';

/** False: there is none beside it. @throws CommandFailedError */
export async function demandChecksum(file: string, signal: AbortSignal): Promise<boolean> {
  const beside = checksumFileOf(file);
  if (!existsSync(beside) || !existsSync(file)) return false;
  const wanted = /^([0-9a-f]{64}) [ *]/.exec(readFileSync(beside, 'utf8'))?.[1];
  if (wanted === undefined)
    throw new CommandFailedError(`${beside} is no checksum as sha256sum writes it; remove it to go without`, {
      type: 'bad_checksum',
    });
  const hash = createHash('sha256');
  const pieces: AsyncIterable<Buffer> = createReadStream(file, { signal, highWaterMark: 1024 * 1024 });
  for await (const piece of pieces) hash.update(piece);
  if (hash.digest('hex') !== wanted)
    throw new CommandFailedError(
      `${file} is not as it was exported: its SHA-256 is not that in ${beside}. Nothing was written. If it was mended on purpose, remove the checksum.`,
      { type: 'bad_checksum' },
    );
  return true;
}
