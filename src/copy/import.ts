/** Imports an export of events: examines the file line by line, then copies it and compares. */
import { leafOf, toHex } from '../eventstore/leaf.js';
import { logIdIn } from '../eventstore/log-id.js';
import { createGrowingTree } from '../eventstore/tree.js';
import { CommandFailedError } from '../failures.js';
import { ofAnotherLog, type KnownSeal } from '../integrity/seal.js';
import type { LogSettings } from '../stores/stores.js';
import { copyLog, type CopyOptions, type CopyResult } from './copy.js';
import { openFileReader } from './file.js';
import { BadLineError, type ImportedLine } from './line.js';
import { createLinkCheck } from './links-of-earlier-exports.js';

export interface ImportRequest {
  readonly file: string;
  readonly to: LogSettings;
  readonly isDryRun: boolean;
  /** A seal whose signature has been checked: the first events of the file must be the sealed ones. */
  readonly seal?: KnownSeal | undefined;
}

export interface ImportResult extends CopyResult {
  /** Root of the tree over all events of the file, in hex. */
  readonly root: string;
}

/**
 * Appends nothing before every line of the file has been examined. Throws as `copyLog` does.
 * @throws CommandFailedError if the file is not a whole export, by the number of the line, or does not match the seal
 */
export async function runImport(request: ImportRequest, options: CopyOptions): Promise<ImportResult> {
  const { file, to, isDryRun, seal } = request;
  const tree = createTreeOfFile(seal);
  const result = await copyLog(
    { source: openFileReader({ file, onLine: tree.add }), to, isDryRun },
    {
      ...options,
      onExamined(log) {
        tree.demandSealed(log.events);
        options.onExamined?.(log);
      },
    },
  );
  if (result.outcome === 'differs')
    throw new CommandFailedError(`THE STORE DIFFERS FROM THE FILE (source): ${result.comparison?.difference}`, {
      type: 'differs',
    });
  return { ...result, root: tree.root() };
}

/** Creates the tree over the lines of a file and compares it with a seal. */
function createTreeOfFile(seal: KnownSeal | undefined) {
  const tree = createGrowingTree();
  const checkLink = createLinkCheck();
  const root = (): string => toHex(tree.root() ?? '');
  return {
    root,
    /** @throws BadLineError @throws CommandFailedError if the seal is of another log */
    add(line: ImportedLine): void {
      if (line.ordinal === 1) demandOfLog(line, seal);
      const leaf = leafOf(line.ordinal, line);
      checkLink(line, leaf);
      tree.add(leaf);
      if (line.ordinal === seal?.count && seal.root !== root())
        throw new BadLineError(
          'is the last line that the seal covers, and the root of the lines up to it is not the sealed one: one of these lines was altered, removed or inserted',
        );
    },
    /** @throws CommandFailedError if the file has fewer events than the seal covers */
    demandSealed(events: number): void {
      if (seal !== undefined && events < seal.count)
        throw new CommandFailedError(
          `the file was shortened: it has ${events} events, and the seal covers ${seal.count}. Nothing was written.`,
          { type: 'seal' },
        );
    },
  };
}

/** @throws CommandFailedError */
function demandOfLog(first: ImportedLine, seal: KnownSeal | undefined): void {
  const reason = seal && ofAnotherLog(seal, logIdIn(first) || undefined);
  if (reason !== undefined) throw new CommandFailedError(`${reason}. Nothing was written.`, { type: 'seal' });
}
