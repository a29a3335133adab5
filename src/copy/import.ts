/** An import from beginning to end: examines the file line by line, then copies it and compares. */
import { logIdIn } from '../eventstore/log-id.js';
import { ofAnotherLog, type Seal } from '../evidence/seal.js';
import { firstLink, linkAfter } from '../eventstore/chain.js';
import { copyLog, type CopyOptions, type CopyResult, type HeadKeyOf } from './copy.js';
import type { ExaminedLog } from './examine.js';
import { CommandFailedError } from '../failures.js';
import { openFileReader } from './file.js';
import { BadLineError, type ImportedLine } from './line.js';
import type { LogAddress } from '../stores/stores.js';

export interface ImportRequest {
  readonly file: string;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
  /** The history in the file must fit this seal, up to its event. */
  readonly seal?: Seal | undefined;
  /** Asked before anything is written: the key of the sealed head. @throws CommandFailedError it is needed and not known */
  readonly headKeyOf: HeadKeyOf;
}

export interface ImportResult extends CopyResult {
  /** The link of the last event in the evidence chain, in hex. */
  readonly chainHead: string;
}

/**
 * Nothing is appended before every line of the file has been examined. Throws as `copyLog` does.
 * @throws CommandFailedError the file, by the number of the line.
 */
export async function runImport(request: ImportRequest, options: CopyOptions): Promise<ImportResult> {
  const { file, to, isDryRun, seal, headKeyOf } = request;
  const chain = createChain(seal);
  let chainHead = '';
  const copy = {
    source: openFileReader({ file, onLine: chain.add }),
    to,
    isDryRun,
    headKeyOf(log: ExaminedLog) {
      chainHead = chain.end(log.events);
      return headKeyOf(log);
    },
  };
  const result = await copyLog(copy, options);
  if (result.outcome === 'differs')
    throw new CommandFailedError(`THE STORE DIFFERS FROM THE FILE (source): ${result.comparison?.difference}`, {
      type: 'differs',
    });
  return { ...result, chainHead };
}

/** @throws CommandFailedError the seal is of another log */
function demandOfLog(first: ImportedLine, seal: Seal | undefined): void {
  const foreign = seal && ofAnotherLog(seal, logIdIn(first) || undefined);
  if (foreign !== undefined) throw new CommandFailedError(`${foreign}. Nothing was written.`, { type: 'seal' });
}

/** Computes the evidence chain again, and compares it with the links in the file: all lines have one, or none has. */
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
      if (line.ordinal === 1) demandOfLog(line, seal);
      link = linkAfter(link, line.ordinal, line);
      if (line.chain !== undefined && line.chain !== link)
        throw new BadLineError('was altered, or one before it: its link in the evidence chain is another');
      if (line.ordinal === seal?.count && seal.head !== link)
        throw new BadLineError(
          'is where the seal was set, and the history up to it is not the sealed one: the difference lies there or before',
        );
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
