/** `audience audit verify`: verifies that no event was altered, dropped, moved or inserted, or names the first that was. */
import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { checkSeal, parseSeal, SealError, UnreadableSealError, type Seal } from '../../evidence/seal.js';
import { nowhere } from '../../evidence/verify-difference.js';
import { verifyLog, type Verification } from '../../evidence/verify.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { checkViews, ForeignViewsError } from '../../projector/start.js';
import type { ReadModelReader } from '../../readmodels/read-models.js';
import { paintFor } from '../colours.js';
import type { CommandLine } from '../command-line.js';
import { openLinks } from './evidence-links.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { withExamples } from '../program.js';
import { createProgressBar } from '../progress-bar.js';
import { whileOpen } from '../while-open.js';
import { verifiedAsJson, verifiedInWords, type CheckedSeal } from './verify-report.js';

const optionsSchema = z.object({
  seal: z.array(z.string()).default([]),
  publicKey: z.string().optional(),
  quick: z.boolean().default(false),
});

export function registerAuditVerify(audit: Command, line: CommandLine): void {
  const command = audit
    .command('verify')
    .description('computes the evidence chain again and names the first event that is not as it was written')
    .option(
      '--seal <file...>',
      'also verifies that the history up to this seal is the sealed one, and not shortened; of several it says which still hold',
    )
    .option('--public-key <file>', 'the key that must have signed the seal (PEM, or base64 of SPKI in DER)')
    .option('--quick', 'the chain only, not also order and times within each stream: takes little memory')
    .action((options: unknown) => verify(optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit verify',
    'audience audit verify --seal seal.json --public-key seal-public.pem',
    'audience audit verify --data-dir ./restored --json',
  ]);
}

async function verify(options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  // A script must not take what could not be read for what was altered.
  line.exitWith(2);
  const seals = demandedSeals(options, line);
  const begun = line.monotonic();
  await whileOpen(line.openLog(), async (log) => {
    const { result, linked } = await verifyOpen(log, {
      line,
      seals: seals.map(({ seal }) => seal),
      depth: options.quick ? 'chain' : 'streams',
    });
    if (result.intact && result.count === 0)
      throw new CommandFailedError('The log holds no events: there is nothing to verify.', { type: 'empty' });
    const verified = { result, linked, seals, milliseconds: line.monotonic() - begun };
    const { stdout, env } = line;
    // Before the output, whose failure must not turn the exit code into 2.
    line.exitWith(result.intact ? 0 : 1);
    await stdout.write(line.json ? verifiedAsJson(verified) : verifiedInWords(verified, paintFor(stdout, env)));
  });
}

/** A seal that was altered is an answer: exit code 1. One that cannot be read is none: exit code 2. @throws CommandFailedError */
export function demandedSeals(options: SealOptions, line: Pick<CommandLine, 'exitWith'>): readonly CheckedSeal[] {
  try {
    return sealsOf(options);
  } catch (error) {
    line.exitWith(error instanceof CommandFailedError && error.type === 'seal' ? 1 : 2);
    throw error;
  }
}

export interface Verifying {
  readonly line: CommandLine;
  readonly seals?: readonly Seal[];
  readonly depth: 'chain' | 'streams';
}

/** With a bar on the terminal. @throws StoreUnavailableError */
export async function verifyOpen(
  log: EventReader,
  { line, seals, depth }: Verifying,
): Promise<{ readonly result: Verification; readonly linked: number }> {
  const links = await openLinks(log, line);
  const bar = createProgressBar(line.stderr, line.monotonic);
  const { source, known, views } = links;
  const total = known === undefined ? {} : { total: known };
  try {
    const result = await verifyLog({
      source,
      seals,
      depth,
      sealedHead: { key: await line.headKey(log) },
      signal: line.signal,
      onProgress: (done) => bar.report({ phase: 'verifying', done, ...total }),
    });
    return { result: await asViewsHaveIt(notShorter(result, known), { log, views }), linked: links.linked() };
  } finally {
    bar.clear();
    await links.close();
  }
}

function notShorter(result: Verification, known: number | undefined): Verification {
  if (!result.intact || known === undefined || result.count >= known) return result;
  const message = `the log ends after event ${result.count}, but had ${known}: it was shortened, or is an older copy`;
  return { ...result, intact: false, difference: nowhere({ kind: 'shortened', ordinal: result.count + 1, message }) };
}

/** The views know the log that they were folded from: compares it with this one, as the start does, to find one that was shortened or exchanged. */
async function asViewsHaveIt(
  result: Verification,
  { log, views }: { readonly log: EventReader; readonly views: ReadModelReader | undefined },
): Promise<Verification> {
  if (!result.intact || views === undefined) return result;
  try {
    await checkViews(log, views);
    return result;
  } catch (error) {
    if (!(error instanceof ForeignViewsError)) throw error;
    return { ...result, intact: false, difference: nowhere({ kind: 'views', ordinal: null, message: error.message }) };
  }
}

export interface SealOptions {
  readonly seal: readonly string[];
  readonly publicKey?: string | undefined;
}

/** @throws CommandFailedError one is no seal, or not signed as it should be */
function sealsOf({ seal: files, publicKey }: SealOptions): readonly CheckedSeal[] {
  if (files.length === 0 && publicKey !== undefined) throw new UsageError('--public-key goes with --seal');
  return files.map((file) => sealOf(file, publicKey));
}

function sealOf(file: string, publicKey: string | undefined): CheckedSeal {
  try {
    const seal = parseSeal(textOf(file));
    const check = checkSeal(seal, publicKey === undefined ? undefined : textOf(publicKey));
    if (!check.isSigned) throw new SealError('its signature is not right: it was altered');
    if (check.isExpected === false)
      throw new SealError(`it is signed by another key (fingerprint ${check.fingerprint}) than the expected one`);
    return { seal, check };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    if (error instanceof UnreadableSealError)
      throw new CommandFailedError(`The seal ${file} cannot be read: ${error.message}.`, {
        type: 'unreadable_seal',
        cause: error,
      });
    throw new CommandFailedError(`The seal ${file} proves nothing: ${error.message}.`, { type: 'seal', cause: error });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailedError(`${file} cannot be read: ${reason}`, { cause: error });
  }
}
