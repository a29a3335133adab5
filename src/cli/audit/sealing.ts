/** What the commands that seal and prove have in common: the key, a seal made now, the file. */
import { readLogId } from '../../eventstore/log-id.js';
import type { KeyObject } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AlteredEventError } from '../../eventstore/link-source.js';
import { openSealKey } from '../../evidence/seal-key.js';
import { ProofError } from '../../evidence/prove.js';
import { sealNow } from '../../evidence/seal-now.js';
import { createSeal, ofAnotherLog, SealError, type Seal } from '../../evidence/seal.js';
import { readVerifiedHead } from '../../evidence/verified-head.js';
import { verifyOn } from '../../evidence/verify-on.js';
import type { ChainHead } from '../../eventstore/chain.js';
import type { EventReader } from '../../eventstore/event-store.js';
import type { TreeSource } from '../../eventstore/tree.js';
import { demandPlace, withDraft } from '../../export/file.js';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine } from '../command-line.js';
import { whileOpen } from '../while-open.js';
import { openLinks, type KnownLinks } from './evidence-links.js';
import { verifyOpen } from './verify.js';

/** An empty variable counts as absent. */
export const present = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** That of the option, of `SEAL_KEY` or of the data folder, where it is made if there is none. @throws SealError */
export const sealKeyOf = (option: string | undefined, { dataDir, env, stderr }: CommandLine): KeyObject =>
  openSealKey({ file: option ?? present(env['SEAL_KEY']), dataDir }, (file) =>
    stderr.write(`A key was made: ${file}. Keep a copy of it in the backup.\n`),
  );

/** Verifies the whole log. @throws SealError it is not intact */
export async function verifiedSeal(log: EventReader, line: CommandLine, key: () => KeyObject): Promise<Seal> {
  const { result } = await verifyOpen(log, { line, depth: 'streams' });
  if (!result.intact) refuse(result.difference.message, line);
  return createSeal({ verification: result, key: key(), now: line.clock() });
}

type Log = EventReader & { headAt?(count: number): ChainHead | undefined };

/** Where the service has verified the log before, only what came since is read. @throws SealError it is not intact */
export const quickSeal = (log: Log, line: CommandLine, key: KeyObject): Promise<Seal> =>
  whileOpen(openLinks(log, line), async ({ source, views }) => {
    const before = await verifiedBefore(log, views);
    if (before === undefined || source.tree === undefined) return await verifiedSeal(log, line, () => key);
    const since = { verified: before, headKey: await line.headKey(log) };
    const { difference, verified } = await verifyOn({ log, source, since, signal: line.signal });
    if (difference !== undefined) refuse(difference.message, line);
    return await sealNow({ log, source: source.tree, verified, key, now: line.clock() });
  });

/** As the service noted it. Undefined: it did not, or the log has another event there now. */
async function verifiedBefore(log: Log, views: KnownLinks['views']): Promise<ChainHead | undefined> {
  const logId = await readLogId(log);
  const verified = views && logId !== undefined ? await readVerifiedHead(views, logId) : undefined;
  return verified !== undefined && log.headAt?.(verified.count)?.head === verified.head ? verified : undefined;
}

function refuse(message: string, line: CommandLine): never {
  line.exitWith(1);
  throw new SealError(`the record is not as it was written: ${message}`);
}

/** @throws ProofError the seal is of another log */
export async function demandOfLog(log: EventReader, seal: Seal): Promise<void> {
  const foreign = ofAnotherLog(seal, await readLogId(log));
  if (foreign !== undefined) throw new ProofError(foreign);
}

/** @throws ProofError nothing keeps the tree of this log */
export const withTree = <Result>(
  log: EventReader,
  line: CommandLine,
  action: (tree: TreeSource) => Promise<Result>,
): Promise<Result> =>
  whileOpen(openLinks(log, line), async ({ source: { tree } }) => {
    if (tree === undefined) throw new ProofError('there are no views that keep the evidence of this log');
    return await action(tree);
  });

/** @throws CommandFailedError where there is a reason why nothing can be proven, else the error itself */
export function refuseProof(error: unknown): never {
  const isWhy = error instanceof ProofError || error instanceof SealError || error instanceof AlteredEventError;
  if (!isWhy) throw error;
  throw new CommandFailedError(`Nothing was proven: ${error.message}.`, { type: 'proof', cause: error });
}

export interface Destination {
  /** `-` is standard output. */
  readonly out: string;
  readonly force: boolean;
  /** Of a file. Default: everybody may read it. */
  readonly mode?: number;
}

/** @throws CommandFailedError in words, before anything is read. */
export function demandDestination({ out, force }: Destination): void {
  if (out !== '-') demandPlace(out, force);
}

/** A file holds the whole text or does not exist. It is written in a folder of its own first, so never through a symlink. */
export async function put(text: string, { out, mode = 0o666 }: Destination, { stdout }: CommandLine): Promise<void> {
  if (out === '-') return await stdout.write(text);
  await withDraft(path.dirname(path.resolve(out)), async (own) => {
    const draft = path.join(own, 'draft');
    await writeFile(draft, text, { flag: 'wx', flush: true, mode });
    await rename(draft, out);
  });
}
