/** `audience audit verify`: verifies that no event was altered, dropped, moved or inserted, or names where the log differs. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { printable } from '../../events/printable.js';
import type { ComparedSeal } from '../../integrity/compare-seals.js';
import { fingerprintOf, publicKeyOf, readPublicKey, type KnownSeal } from '../../integrity/seal.js';
import type { IgnoredSeal } from '../../integrity/seal-store.js';
import { verifyLog, type Verification } from '../../integrity/verify.js';
import { isMarkedRestored } from '../../recovery/restored-mark.js';
import { paintFor, type Paint } from '../shared/colours.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { checked, withExitCode } from '../shared/exit-code.js';
import { publicKeyOption, sealFiles, withExamples } from '../shared/options.js';
import { readSealFile, whileVerifying } from '../shared/seals.js';
import { duration, formatCount } from '../shared/numbers.js';
import { whileOpen } from '../shared/while-open.js';
import { keptSeals, withSource } from './log-place.js';

const optionsSchema = z.object({
  seal: z.array(z.string()).default([]),
  publicKey: sealFiles.publicKey,
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditVerify(audit: Command, line: CommandLine): void {
  const command = audit
    .command('verify')
    .description(
      'reads the whole log, computes its tree again, and compares it with the stored tree and the seals of the service',
    )
    .option('--seal <file...>', 'also compares these seals, which were kept elsewhere')
    .addOption(publicKeyOption())
    .action(withExitCode(line, (options: unknown) => verify(optionsSchema.parse(options), line)));
  withExamples(command, [
    'audience audit verify',
    'audience audit verify --seal seal.json --public-key seal-public.pem',
    'audience audit verify --data-dir ./restored --json',
  ]);
}

async function verify(options: Options, line: CommandLine): Promise<ExitCode> {
  const verified = await checked(() => verification(options, line));
  const { stdout, env, json } = line;
  await stdout.write(json ? verifiedAsJson(verified) : verifiedInWords(verified, paintFor(stdout, env)));
  return verified.result.intact ? 0 : 1;
}

/** @throws CommandFailedError @throws UsageError @throws StoreUnavailableError */
async function verification(options: Options, line: CommandLine): Promise<VerificationReport> {
  const { seal: files, publicKey: keyFile } = options;
  if (files.length === 0 && keyFile !== undefined) throw new UsageError('--public-key goes with --seal');
  const given = files.map((file) => ({ seal: readSealFile(file, keyFile), files: [file] }));
  const expectedKey = keyFile === undefined ? undefined : publicKeyIn(keyFile);
  const startedAt = line.monotonic();
  if (isMarkedRestored(line.place().dataDir))
    line.stderr.write(
      'The log was restored from a backup, and no start has recorded that yet: until then, seals of events after the backup do not hold.\n',
    );
  return await whileOpen(line.place().openLog(), async (log) => {
    const { counted, ignored } = await keptSeals(log, line, expectedKey);
    const sources = new Map<KnownSeal, readonly string[]>();
    for (const { seal, files: from } of [...given, ...counted]) addSeal(sources, seal, from);
    const { result, hasTree } = await whileVerifying(line, (onProgress) =>
      verified(log, { line, seals: [...sources.keys()], onProgress }),
    );
    if (result.intact && result.count === 0)
      throw new CommandFailedError('The log holds no events: there is nothing to verify.', { type: 'empty' });
    const milliseconds = line.monotonic() - startedAt;
    const named = { filesOf: (seal: KnownSeal) => sources.get(seal) ?? [], ignored };
    return { result, hasTree, ...named, hasGiven: given.length > 0, expectedKey, milliseconds };
  });
}

/** Adds a seal once, even if it was given and is also kept. */
function addSeal(sources: Map<KnownSeal, readonly string[]>, seal: KnownSeal, files: readonly string[]): void {
  const text = JSON.stringify(seal);
  const known = [...sources.keys()].find((one) => JSON.stringify(one) === text);
  sources.set(known ?? seal, [...(known === undefined ? [] : (sources.get(known) ?? [])), ...files]);
}

interface Work {
  readonly line: CommandLine;
  readonly seals: readonly KnownSeal[];
  readonly onProgress: (done: number, total: number | undefined) => void;
}

/** Verifies the whole log. The service may append to it at the same time. */
export async function verified(log: EventReader, { line, seals, onProgress }: Work) {
  const place = line.place();
  const restoredKey = await place.restoredKey(log);
  return await withSource(log, line, async (source) => {
    const total = await source.tree?.count();
    const { signal } = place;
    const onEvents = (done: number): void => onProgress(done, total);
    const result = await verifyLog({ source, seals, restoredKey, signal, onProgress: onEvents });
    return { result, hasTree: source.tree !== undefined };
  });
}

const publicKeyIn = (file: string): string => publicKeyOf(readPublicKey(readFileSync(file, 'utf8')));

// ---- The result, in words or as one JSON object

interface VerificationReport {
  readonly result: Verification;
  /** Whether a stored tree was there to compare with. */
  readonly hasTree: boolean;
  readonly filesOf: (seal: KnownSeal) => readonly string[];
  readonly ignored: readonly IgnoredSeal[];
  /** Whether seals were given that were kept elsewhere. */
  readonly hasGiven: boolean;
  /** The public key that must have signed the given seals; undefined if none was named. */
  readonly expectedKey: string | undefined;
  readonly milliseconds: number;
}

function verifiedAsJson({ result, hasTree, filesOf, ignored, milliseconds }: VerificationReport): string {
  const { seals, holding: _, ...rest } = result;
  const compared = seals.map(({ seal, state, reason }) => {
    const { seq, restores, count, root, final, sealed_at, public_key } = seal;
    const stated = { seq, restores, count, root, final, sealed_at, key_fingerprint: fingerprintOf(public_key) };
    return { ...stated, state, reason, files: filesOf(seal) };
  });
  const whole = { ...rest, stored_tree: hasTree, seals: compared, ignored_seals: ignored };
  return `${JSON.stringify({ ...whole, milliseconds: Math.round(milliseconds) })}\n`;
}

function verifiedInWords(report: VerificationReport, paint: Paint): string {
  const { result, milliseconds } = report;
  const lines = [
    `  events    ${formatCount(result.count)}`,
    `  root      ${result.root}`,
    `  position  ${result.position}`,
    `  time      ${duration(milliseconds / 1_000)}`,
    ...(report.hasTree
      ? []
      : ['The block roots of this log are stored beside its views, which cannot be read: only seals were compared.']),
    ...restoreLines(result),
    ...sealLines(report),
    ...redactedLines(result),
    ...findingLines(result),
  ];
  return [...verdict(result, paint), ...lines.map(printable)].map((line) => `${line}\n`).join('');
}

function verdict({ difference, differences }: Verification, paint: Paint): readonly string[] {
  if (difference === null) return [paint.good('The record is intact.')];
  const { kind, message, ordinal, position, stream, revision, type, event_id } = difference;
  if (kind === 'log') return [paint.bad(`THE SEAL IS OF ANOTHER LOG: ${message}.`), 'Read:'];
  const more = differences.slice(1).map((one) => `  also      ${one.message}`);
  return [
    paint.bad(printable(`THE RECORD IS NOT INTACT: ${message}.`)),
    ...[
      ...(ordinal === null ? [] : [`  number    ${ordinal}`]),
      ...(position === null ? [] : [`  position  ${position}`]),
      ...(stream === null ? [] : [`  stream    ${stream}${revision === null ? '' : `@${revision}`}`]),
      ...(event_id === null ? [] : [`  event     ${type ?? '?'} ${event_id}`]),
      ...more,
      'Read:',
    ].map(printable),
  ];
}

const restoreLines = ({ restores }: Verification): readonly string[] =>
  restores.map(({ count, at, ordinal, superseded, isValid }) => {
    const removed =
      superseded === null
        ? 'no seal was known then'
        : `the newest seal known then covered ${formatCount(superseded.count)} events`;
    const mac =
      isValid === null
        ? 'its MAC was not checked, because the secret of this log is not at hand'
        : isValid
          ? 'its MAC is valid'
          : 'its MAC is NOT valid, so it excuses no seal';
    return `Restored at ${at || 'an unknown time'} from a backup of ${formatCount(count)} events (event ${formatCount(ordinal)}): ${removed}; ${mac}.`;
  });

function sealLines({ result, ignored, hasGiven, expectedKey }: VerificationReport): readonly string[] {
  const { seals, intact, count } = result;
  const holding = seals.filter(({ state }) => state === 'holds');
  const newest = holding.at(-1);
  const none =
    seals.length === 0 && intact
      ? ['There is no seal to compare with, so a log that was rewritten as a whole would not be noticed.']
      : [];
  const later = newest === undefined || !intact ? 0 : count - newest.seal.count;
  return [
    ...none,
    ...(newest === undefined ? [] : holdingLines(newest, holding.length)),
    ...(later > 0 ? [`No seal covers the last ${formatCount(later)} events yet.`] : []),
    ...seals.filter(({ state }) => state !== 'holds').map(sealLine),
    ...ignored.map(({ files, reason }) => `Ignored ${files.join(', ')}: ${reason}.`),
    ...(hasGiven && expectedKey === undefined
      ? ['Compare the fingerprint of the key with the one that the sealer made known (--public-key).']
      : []),
  ];
}

function holdingLines({ seal }: ComparedSeal, all: number): readonly string[] {
  return [
    `The first ${formatCount(seal.count)} events are those that were sealed at ${seal.sealed_at}.`,
    ...(all === 1 ? [] : [`${formatCount(all)} seals hold.`]),
    `  key       ${fingerprintOf(seal.public_key)}`,
  ];
}

const sealLine = ({ seal, state, reason }: ComparedSeal): string =>
  `The seal of ${seal.sealed_at} (${formatCount(seal.count)} events, key ${fingerprintOf(seal.public_key)}) ${state === 'excused' ? 'is excused' : 'DOES NOT HOLD'}: ${reason}.`;

const redactedLines = ({ redacted: events }: Verification): readonly string[] =>
  events === 0
    ? []
    : [`In ${formatCount(events)} events, digests replace the personal data. This changes neither leaves nor root.`];

function findingLines({ findings }: Verification): readonly string[] {
  if (findings.length === 0) return [];
  return [
    '',
    `Rules of the service are broken (${formatCount(findings.length)}). This is no sign of an alteration:`,
    ...findings.map(({ position, stream, message }) => `  ${position}  ${stream}  ${message}`),
  ];
}
