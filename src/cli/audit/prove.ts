/** `audience audit prove`: the events of one person in a file that proves itself, and nothing of anybody else. */
import type { Command } from 'commander';
import { z } from 'zod';
import { provePerson } from '../../evidence/prove.js';
import type { Proof } from '../../evidence/bundle.js';
import { fingerprintOf } from '../../evidence/seal.js';
import type { Auditor, CommandLine } from '../shared/command-line.js';
import { notRecorded, sayNotRecorded } from '../shared/in-words.js';
import {
  contactIn,
  destination,
  forceOption,
  keyOption,
  outOption,
  sealFiles,
  sealOption,
  withExamples,
} from '../shared/options.js';
import { formatCount } from '../shared/numbers.js';
import { whileOpen } from '../shared/while-open.js';
import { demandOfLog, keyAtHand, quickSeal, refuseProof, withTree } from '../../evidence/sealing.js';
import { demandDestination, put } from '../shared/destination.js';
import { namedKey, sealIn, sealKeyOf, whileVerifying } from '../shared/seals.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  ...destination,
  seal: sealFiles.seal,
  key: z.string().optional(),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditProve(audit: Command, line: CommandLine): void {
  const command = audit
    .command('prove')
    .description('the events of one contact in a file that proves itself: verify.mjs checks it, nobody else is in it')
    .argument('<contact>', 'contact id, or e-mail address')
    .addOption(outOption('where the proof goes; - is standard output').makeOptionMandatory())
    .addOption(sealOption('the seal that it is proven against, signed by the same key (default: one made now)'))
    .addOption(keyOption())
    .addOption(forceOption())
    .action((contact: string, options: unknown) => prove(contact, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit prove ada@example.com --out ada.json',
    'audience audit prove con_01J… --seal seal-2026-03-01.json --out ada.json',
  ]);
}

async function prove(contact: string, options: Options, line: CommandLine): Promise<void> {
  demandDestination(options);
  await whileOpen(line.openAuditor(), async (auditor) => {
    await write(await proofOf(contact, { options, auditor, line }).catch(refuseProof), options, line);
    sayNotRecorded(line);
  });
}

interface Work {
  readonly options: Options;
  readonly auditor: Auditor;
  readonly line: CommandLine;
}

async function proofOf(contact: string, work: Work): Promise<Proof> {
  const { line, auditor } = work;
  const { log, audit } = auditor;
  const { stream } = await auditor.find(contactIn(contact));
  const { seal, key } = await sealOf(work);
  return await withTree(log, line.place(), (source) =>
    provePerson({ stored: audit.stored, source, key }, { stream, seal, signal: line.signal }),
  );
}

async function sealOf({ options, auditor: { log }, line }: Work) {
  const place = line.place();
  const given = sealIn(options);
  if (given !== undefined) {
    await demandOfLog(log, given);
    return { key: keyAtHand(namedKey(options.key, place), place.dataDir), seal: given };
  }
  const key = sealKeyOf(options.key, line);
  const seal = await whileVerifying(line, (onProgress) =>
    quickSeal(log, { place, onProgress, clock: line.clock, key: () => key }),
  );
  return { key, seal };
}

async function write(proof: Proof, options: Options, line: CommandLine): Promise<void> {
  const { stdout, stderr, json } = line;
  const { out } = options;
  // It holds personal data.
  await put(`${JSON.stringify(proof, undefined, 2)}\n`, { ...options, mode: 0o600 }, line);
  if (out === '-') return;
  const { events, ...stated } = proof;
  const key_fingerprint = fingerprintOf(proof.public_key);
  if (json)
    return await stdout.write(
      `${JSON.stringify({ file: out, ...stated, key_fingerprint, events: events.length, ...notRecorded })}\n`,
    );
  const { deletions, stream, sealed_at } = proof;
  stderr.write(
    `Proven in ${printable(out)}: ${formatCount(events.length - deletions.length)} events of ${stream} and ${formatCount(deletions.length)} deletion${deletions.length === 1 ? '' : 's'} of its lists and tags, among the ${formatCount(proof.count)} that were sealed at ${sealed_at} by the key with the fingerprint ${key_fingerprint}.\n`,
  );
  stderr.write(`${proof.note} node verify.mjs ${printable(out)} checks it, and says what it does not prove.\n`);
}
