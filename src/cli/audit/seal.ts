/** `audience audit seal`: a signed statement of how far the log has come and what it holds, to be kept elsewhere. */
import type { Command } from 'commander';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { openSealKey, readSealKey, sealKeyName } from '../../evidence/seal-key.js';
import { createSeal, fingerprintOf, SealError, type Seal } from '../../evidence/seal.js';
import { verifyOpen } from './verify.js';
import type { CommandLine } from '../command-line.js';
import { demandPlace } from '../../transfer/export-file.js';
import { CommandFailedError } from '../../transfer/failures.js';
import { withExamples } from '../program.js';
import { count } from '../progress-bar.js';

const optionsSchema = z.object({
  out: z.string().min(1),
  key: z.string().optional(),
  force: z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditSeal(audit: Command, line: CommandLine): void {
  const command = audit
    .command('seal')
    .description('verifies the log and signs how far it has come: keep the file where the log is not')
    .requiredOption('--out <file>', 'where the seal goes; - is standard output')
    .option('--key <file>', `Ed25519 private key in PEM (default: ${sealKeyName} in the data folder, made when needed)`)
    .option('--force', 'replaces a file that is there already')
    .action((options: unknown) => seal(optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit seal --out seal-2026-03-01.json',
    'audience audit seal --key sealer.pem --out seal.json',
  ]);
}

async function seal(options: Options, line: CommandLine): Promise<void> {
  // The exit code until it is known that the record differs, or is sealed.
  line.exitWith(2);
  if (options.out !== '-') demandPlace(options.out, options.force);
  const log = await line.openLog();
  try {
    const { result } = await verifyOpen(log, { line, depth: 'streams' });
    if (!result.intact) {
      line.exitWith(1);
      throw new SealError(`the record is not as it was written: ${result.difference.message}`);
    }
    const made = createSeal({ verification: result, key: keyOf(options, line), now: line.clock() });
    await write(made, options, line);
    line.exitWith(0);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new CommandFailedError(`No seal was made: ${error.message}.`, { type: 'seal', cause: error });
  } finally {
    await log.close();
  }
}

function keyOf({ key: file }: Options, { dataDir, stderr }: CommandLine) {
  if (file !== undefined) return readSealKey(file);
  const own = path.join(dataDir, sealKeyName);
  const { key, isNew } = openSealKey(own);
  if (isNew) stderr.write(`A key was made: ${own}. Keep a copy of it in the backup.\n`);
  return key;
}

async function write(made: Seal, { out }: Options, { stdout, stderr, json }: CommandLine): Promise<void> {
  const text = `${JSON.stringify(made, undefined, 2)}\n`;
  const fingerprint = fingerprintOf(made.public_key);
  if (out === '-') await stdout.write(text);
  else await keep(out, text);
  if (json && out !== '-')
    await stdout.write(`${JSON.stringify({ file: out, ...made, key_fingerprint: fingerprint })}\n`);
  if (json) return;
  const where = out === '-' ? '' : ` in ${out}`;
  stderr.write(`Sealed${where}: ${count(made.count)} events, signed by the key with the fingerprint ${fingerprint}.\n`);
  stderr.write('Keep the seal where the log is not, and make the fingerprint known to those who will check it.\n');
}

/** The file holds the whole seal or does not exist. It is written in a folder of its own first, so never through a symlink. */
async function keep(file: string, text: string): Promise<void> {
  const own = await mkdtemp(path.join(path.dirname(path.resolve(file)), '.seal-'));
  try {
    const draft = path.join(own, 'seal');
    await writeFile(draft, text, { flag: 'wx', flush: true });
    await rename(draft, file);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
