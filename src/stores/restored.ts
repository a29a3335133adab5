/** The mark in a data folder that its log was restored from a backup, until the first start has recorded that and held what e-mails were open. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { syncFolderOf, writeDurably } from '../flow/durable-file.js';
import { ConfigurationError } from './config.js';
import { dataFolderAt } from './data-folder.js';

const restoredName = 'restored.json';

const restoredMark = z.object({
  /** Of the event that records it: a start that was killed does not write a second one. */
  event_id: z.uuid(),
  log_id: z.string(),
  /** As the log was in the backup. */
  count: z.int().min(1),
  head: z.string().regex(/^[0-9a-f]{64}$/),
});
export type RestoredMark = Readonly<z.output<typeof restoredMark>>;

const fileIn = (dataDir: string): string => path.join(dataDir, restoredName);

/** First of all that is put into the folder. @throws what the file system throws */
export const markRestored = (dataDir: string, mark: RestoredMark): void =>
  writeDurably(fileIn(dataDir), `${JSON.stringify(mark)}\n`);

/** @throws what the file system throws */
export function forgetRestored(dataDir: string): void {
  const file = fileIn(dataDir);
  if (!isMarkedRestored(dataDir)) return;
  rmSync(file);
  syncFolderOf(file);
}

export const isMarkedRestored = (dataDir: string): boolean => existsSync(fileIn(dataDir));

/** `hasLog`: the log is to be in the folder, too. Undefined: it was not restored, or its first start is over. @throws ConfigurationError the restore did not end: what is there must not begin a log of its own */
export function restoredIn(dataDir: string, { hasLog }: { readonly hasLog: boolean }): RestoredMark | undefined {
  const file = fileIn(dataDir);
  if (!isMarkedRestored(dataDir)) return undefined;
  if (hasLog && !existsSync(dataFolderAt(dataDir).eventsFile))
    throw new ConfigurationError(
      `a restore into ${dataDir} did not end: remove what is in that folder, and run audience restore again. Nothing was changed`,
    );
  try {
    return restoredMark.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ConfigurationError(
      `${file} cannot be read, and without it e-mails could be sent twice: restore from the backup again. Nothing was changed`,
    );
  }
}

/** @throws ConfigurationError the mark is not of this log: it came here by hand */
export function demandOwnMark(mark: RestoredMark, log: { readonly logId: string; readonly head: string | undefined }) {
  if (mark.log_id === log.logId && mark.head === log.head) return;
  throw new ConfigurationError(
    `${restoredName} is of another log than the one in this folder: restore from the backup again. Nothing was changed`,
  );
}
