/** Opens the log with its tree and the seals of the service for the commands of the auditor. */
import type { EventReader } from '../../eventstore/event-store.js';
import { AlteredLogError, type LogSource } from '../../eventstore/log-source.js';
import { readLogId } from '../../eventstore/log-id.js';
import type { TreeSource } from '../../eventstore/tree.js';
import { CommandFailedError } from '../../failures.js';
import { readKeptSeals, type KeptSeals } from '../../integrity/seal-store.js';
import { ProofError } from '../../integrity/proofs.js';
import { ofAnotherLog, SealError, type KnownSeal } from '../../integrity/seal.js';
import { openLogSource } from '../../integrity/server-blocks.js';
import type { CommandLine } from '../shared/command-line.js';

/** Runs an action with the log as verification reads it. */
export async function withSource<Result>(
  log: EventReader,
  line: CommandLine,
  action: (source: LogSource) => Promise<Result>,
): Promise<Result> {
  const opened = await openLogSource(log, line.place());
  return await action(opened.source).finally(() => opened.close());
}

/** Runs an action with the tree of the log. @throws ProofError if no tree is kept */
export async function withTree<Result>(
  log: EventReader,
  line: CommandLine,
  action: (tree: TreeSource) => Promise<Result>,
): Promise<Result> {
  return await withSource(log, line, async ({ tree }) => {
    if (tree === undefined) throw new ProofError('there are no views that keep the blocks of this log');
    return await action(tree);
  });
}

/** Returns the seals of the service. Says on standard error what is wrong with SEAL_DIR or the key. */
export const keptSeals = async (log: EventReader, line: CommandLine, publicKey?: string): Promise<KeptSeals> =>
  await readKeptSeals(log, line.place(), { publicKey, onNotice: (notice) => void line.stderr.write(`${notice}\n`) });

/** @throws ProofError if the seal is of another log */
export async function demandOfLog(log: EventReader, seal: KnownSeal): Promise<void> {
  const foreign = ofAnotherLog(seal, await readLogId(log));
  if (foreign !== undefined) throw new ProofError(foreign);
}

/** @throws CommandFailedError if there is a reason why nothing can be proven; otherwise the error itself */
export function refuseProof(error: unknown): never {
  const isReason = error instanceof ProofError || error instanceof SealError || error instanceof AlteredLogError;
  if (!isReason) throw error;
  throw new CommandFailedError(`Nothing was proven: ${error.message}.`, { type: 'proof', cause: error });
}
