/** An import from beginning to end: examine the file, compare what is there, append the rest, compare everything. */
import type { Seal } from '../evidence/seal.js';
import { firstLink, linkAfter } from '../eventstore/chain.js';
import { compareLogs } from './compare-logs.js';
import { copyFrom, findCommonBeginning } from './copy-log.js';
import { examineLog, type ExaminedLog } from './examine-log.js';
import { CommandFailedError } from './failures.js';
import { demandChecksum } from './import-checksum.js';
import { openFileReader } from './import-file.js';
import { BadLineError, type ImportedLine } from './import-line.js';
import {
  demandReachable,
  largestEventOf,
  openTarget,
  openTargetReader,
  type EndpointOptions,
} from './log-endpoints.js';
import type { LogAddress } from './log-address.js';
import type { Report } from './migration.js';

export interface ImportRequest {
  readonly file: string;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
  /** What the history in the file must be, up to its event. */
  readonly seal?: Seal | undefined;
}

export interface ImportOptions extends EndpointOptions {
  readonly report: Report;
}

export interface ImportResult {
  readonly log: ExaminedLog;
  /** Events that were in the target before. */
  readonly alreadyThere: number;
  /** Events that were appended; in a dry run: that would be. */
  readonly imported: number;
  /** The link of the last event in the evidence chain, in hex. */
  readonly chainHead: string;
  /** The file had a checksum beside it, and it was right. */
  readonly hasChecksum: boolean;
}

/**
 * Nothing is appended before every line of the file has been found in order.
 * @throws CommandFailedError the file, by the number of the line. @throws MigrationRefusedError the log in it, or the
 * target. @throws StoreUnavailableError, AppendInDoubtError: the same import again goes on; the signal's reason when it aborts.
 */
export async function runImport(request: ImportRequest, options: ImportOptions): Promise<ImportResult> {
  const { file, to } = request;
  const hasChecksum = await demandChecksum(file, options.signal);
  await demandReachable(to, options);
  const chain = createChain(request.seal);
  const log = await examineLog({
    source: openFileReader({ file, onLine: chain.add }),
    largestEvent: largestEventOf(to),
    ...options,
  });
  const chainHead = chain.end(log.events);
  const counts = await (request.isDryRun ? rehearse : perform)(request, log, options);
  return { log, ...counts, chainHead, hasChecksum };
}

type Counts = Pick<ImportResult, 'alreadyThere' | 'imported'>;

async function rehearse({ file, to }: ImportRequest, log: ExaminedLog, options: ImportOptions): Promise<Counts> {
  const target = await openTargetReader(to, options);
  if (target === undefined) return { alreadyThere: 0, imported: log.events };
  try {
    const source = openFileReader({ file });
    const { events } = await findCommonBeginning({ source, target, total: log.events, ...options });
    return { alreadyThere: events, imported: log.events - events };
  } finally {
    await target.close();
  }
}

async function perform({ file, to }: ImportRequest, log: ExaminedLog, options: ImportOptions): Promise<Counts> {
  const source = openFileReader({ file });
  const target = await openTarget(to, options);
  try {
    const copying = { source, target, total: log.events, appendsAtOnce: to.kind === 'folder' ? 256 : 1, ...options };
    const there = await findCommonBeginning(copying);
    const reached = await copyFrom(there, copying);
    const { difference } = await compareLogs({ ...copying, until: log.head });
    if (difference !== undefined)
      throw new CommandFailedError(`THE STORE DIFFERS FROM THE FILE (source): ${difference}`, { type: 'differs' });
    return { alreadyThere: there.events, imported: reached.events - there.events };
  } finally {
    await target.close();
  }
}

/** Recomputes the evidence chain; an export that tells the links is held to them: to all, for what tells of an alteration may have been taken away. */
function createChain(seal: Seal | undefined) {
  let link = firstLink;
  let isLinked: boolean | undefined;
  return {
    add(line: ImportedLine): void {
      isLinked ??= line.chain !== undefined;
      if (isLinked !== (line.chain !== undefined))
        throw new BadLineError(
          isLinked
            ? 'has lost its link in the evidence chain'
            : 'has a link in the evidence chain, and the lines before it have none',
        );
      link = linkAfter(link, line.ordinal, line);
      if (line.chain !== undefined && line.chain !== link)
        throw new BadLineError('was altered, or one before it: its link in the evidence chain is another');
      if (line.ordinal === seal?.count && seal.head !== link)
        throw new BadLineError('is where the seal was set, and the history up to it is not the sealed one');
    },
    /** @throws CommandFailedError */
    end(events: number): string {
      if (seal !== undefined && events < seal.count)
        throw new CommandFailedError(
          `the file was shortened: it has ${events} events, and ${seal.count} were sealed. Nothing was written.`,
          { type: 'seal' },
        );
      return link;
    },
  };
}
