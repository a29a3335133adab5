/** `audience audit prove`: the events of one person in a file that proves itself, and nothing of anybody else. */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { firstHolding } from '../../integrity/compare-seals.js';
import { ProofError, provePerson, type Proof } from '../../integrity/proofs.js';
import { fingerprintOf, publicKeyOf, type KnownSeal } from '../../integrity/seal.js';
import { recordedRestores } from '../../integrity/restores.js';
import { readSealKey, sealKeyName } from '../../integrity/seal-store.js';
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
import { demandOfLog, keptSeals, refuseProof, withTree } from './log-place.js';
import { verifiedSeal } from './seal.js';
import { demandDestination, put } from '../shared/destination.js';
import { namedKey, sealIn, sealKeyOf } from '../shared/seals.js';
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
    .addOption(
      sealOption(
        'the seal that it is proven against, signed by the same key (default: the newest of the service that covers all events of the contact, otherwise one made now)',
      ),
    )
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

async function proofOf(contact: string, { options, line, auditor }: Work): Promise<Proof> {
  const { log, audit } = auditor;
  const { stream } = await auditor.find(contactIn(contact));
  const place = line.place();
  const given = sealIn(options);
  if (given !== undefined) await demandOfLog(log, given);
  const key =
    given === undefined ? sealKeyOf(options.key, line) : keyAtHand(namedKey(options.key, place), place.dataDir);
  return await withTree(log, line, async (source) => {
    /** Returns the newest kept seal that covers the last event, or one of the whole log that is made now. */
    async function covering(last: number): Promise<KnownSeal> {
      const { counted } = await keptSeals(log, line);
      const able = counted.map((one) => one.seal).filter((seal) => isBy(key, seal) && last <= seal.count);
      const restores = await recordedRestores(log, await place.restoredKey(log));
      return (await firstHolding(able, { log, tree: source, restores })) ?? (await verifiedSeal(log, line, () => key));
    }
    const seal = given ?? covering;
    return await provePerson({ stored: audit.stored, source, key }, { stream, seal, signal: line.signal });
  });
}

const isBy = (key: KeyObject, { public_key }: KnownSeal): boolean => publicKeyOf(key) === public_key;

/** Returns the key that signed a given seal. Makes none, because a new key is another one. @throws ProofError */
function keyAtHand(named: string | undefined, dataDir: string): KeyObject {
  const file = named ?? path.join(dataDir, sealKeyName);
  if (!existsSync(file))
    throw new ProofError(`there is no key ${file}: the one that signed the seal is needed (--key)`);
  return readSealKey(file);
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
