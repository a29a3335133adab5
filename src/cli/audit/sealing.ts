/** What the commands that seal have in common: the key, a seal made now, the file. */
import type { KeyObject } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openSealKey, readSealKey, sealKeyName } from '../../evidence/seal-key.js';
import { ProofError } from '../../evidence/prove.js';
import { sealNow } from '../../evidence/seal-now.js';
import { createSeal, SealError, type Seal } from '../../evidence/seal.js';
import { readVerifiedHead } from '../../evidence/verified-head.js';
import { verifyChain, type Verification } from '../../evidence/verify.js';
import type { ChainHead } from '../../eventstore/chain.js';
import type { EventReader } from '../../eventstore/event-store.js';
import { headFault, unsealedEvents } from '../../eventstore/sealed-head.js';
import type { TreeSource } from '../../eventstore/tree.js';
import { readLogId } from '../../projector/start.js';
import type { CommandLine } from '../command-line.js';
import { openLinks, type KnownLinks } from './evidence-links.js';
import { verifyOpen } from './verify.js';

/** An empty variable counts as absent. */
export const present = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** That of the option, of `SEAL_KEY` or of the data folder, where it is made if there is none. @throws SealError */
export function sealKeyOf(option: string | undefined, { dataDir, env, stderr }: CommandLine): KeyObject {
  const file = option ?? present(env['SEAL_KEY']);
  if (file !== undefined) return readSealKey(file);
  const own = path.join(dataDir, sealKeyName);
  const { key, isNew } = openSealKey(own);
  if (isNew) stderr.write(`A key was made: ${own}. Keep a copy of it in the backup.\n`);
  return key;
}

/** Verifies the whole log. @throws SealError it is not intact */
export async function verifiedSeal(log: EventReader, line: CommandLine, key: () => KeyObject): Promise<Seal> {
  const { result } = await verifyOpen(log, { line, depth: 'streams' });
  demandIntact(result, line);
  return createSeal({ verification: result, key: key(), now: line.clock() });
}

type Log = EventReader & { headAt?(count: number): ChainHead | undefined };

/** Where the service has verified the log before, only what came since is read. @throws SealError it is not intact */
export async function quickSeal(log: Log, line: CommandLine, key: KeyObject): Promise<Seal> {
  const links = await openLinks(log, line);
  try {
    const after = await verifiedBefore(log, links);
    const { tree: source } = links.source;
    if (after === undefined || source === undefined) return await verifiedSeal(log, line, () => key);
    const result = await verifyChain({ source: links.source, after, depth: 'chain', signal: line.signal });
    demandIntact(result, line);
    await demandSealedHead(log, { links, line });
    const { count, head, position } = result;
    const verified = count === after.count ? after : { count, head, position };
    return await sealNow({ log, source, verified, key, now: line.clock() });
  } finally {
    await links.close();
  }
}

/** As the service noted it. Undefined: it did not, or the log has another event there now. */
async function verifiedBefore(log: Log, { views }: KnownLinks): Promise<ChainHead | undefined> {
  const logId = await readLogId(log);
  const verified = views && logId !== undefined ? await readVerifiedHead(views, logId) : undefined;
  return verified !== undefined && log.headAt?.(verified.count)?.head === verified.head ? verified : undefined;
}

function demandIntact(result: Verification, line: CommandLine): void {
  if (!result.intact) refuse(result.difference.message, line);
}

/** Events whose links are right may still be those of somebody without the secret. */
async function demandSealedHead(
  log: Log,
  { links, line }: { readonly links: KnownLinks; readonly line: CommandLine },
): Promise<void> {
  const found = await links.source.sealedHead?.();
  if (found?.end === undefined) return;
  const { sealed, end } = found;
  const logId = (await readLogId(log)) ?? '';
  const sealedLog = { logId, count: end.count, sealed, linkThere: sealed && log.headAt?.(sealed.count)?.head };
  const fault = headFault(sealedLog, await line.headKey(log)) ?? unsealedEvents(sealedLog);
  if (fault !== undefined) refuse(fault.message, line);
}

function refuse(message: string, line: CommandLine): never {
  line.exitWith(1);
  throw new SealError(`the record is not as it was written: ${message}`);
}

/** @throws ProofError nothing keeps the tree of this log */
export async function withTree<Result>(
  log: EventReader,
  line: CommandLine,
  action: (tree: TreeSource) => Promise<Result>,
): Promise<Result> {
  const links = await openLinks(log, line);
  try {
    const { tree } = links.source;
    if (tree === undefined) throw new ProofError('there are no views that keep the evidence of this log');
    return await action(tree);
  } finally {
    await links.close();
  }
}

/** The file holds the whole text or does not exist. It is written in a folder of its own first, so never through a symlink. */
export async function keep(file: string, text: string, mode = 0o666): Promise<void> {
  const own = await mkdtemp(path.join(path.dirname(path.resolve(file)), '.seal-'));
  try {
    const draft = path.join(own, 'seal');
    await writeFile(draft, text, { flag: 'wx', flush: true, mode });
    await rename(draft, file);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
