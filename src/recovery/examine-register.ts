/** Examines the register and the log for `audience privacy status` and `audience doctor`. Writes nothing, so it may run while a service does. */
import type { KeyObject } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { logStart, type EventReader } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { missingInLog, type MissingLines } from './apply-register.js';
import {
  joinedLines,
  linesLackedBy,
  placesOf,
  readCursor,
  readRegister,
  type RegisterContent,
  type RegisterPlaces,
} from './register-file.js';
import type { RegisterLine } from './register-line.js';
import { isRegistered } from './registered-events.js';
import { isMarkedRestored } from './restored-mark.js';

export interface PlaceStatus {
  readonly file: string;
  /** Lines of this log. */
  readonly lines: number;
  /** Numbers, from 1, of lines that are damaged or have a wrong MAC. They have no effect. */
  readonly invalid: readonly number[];
  /** Lines of the other place that this file lacks. */
  readonly lacks: number;
  /** Why the file cannot be read, or null if it can be read or does not exist yet. */
  readonly away: string | null;
}

export interface ExaminedRegister {
  /** The data folder first, then SEAL_DIR. */
  readonly places: readonly PlaceStatus[];
  /** Whether MACs were checked, which takes the secret. */
  readonly isChecked: boolean;
  /** Whether a start accepts the register. It does not if complete lines of this log exist and none is valid. */
  readonly isUsable: boolean;
  readonly lines: readonly RegisterLine[];
  readonly missing: MissingLines;
}

interface ExamineOptions {
  readonly places: RegisterPlaces;
  /** `deriveRegisterKey` of the secret, or undefined if the secret is not at hand. */
  readonly key: KeyObject | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** @throws StoreUnavailableError */
export async function examineRegister(
  log: Pick<EventReader, 'readStream' | 'readStreams'>,
  { places, key, clock }: ExamineOptions,
): Promise<ExaminedRegister> {
  const logId = (await readLogId(log)) ?? '';
  const found = placesOf(places).map((file) => readPlace(file, { logId, key }));
  const contents = found.map(({ content }) => content);
  const lines = joinedLines(contents);
  const mode = isMarkedRestored(places.dataDir) ? 'restored' : 'late';
  return {
    places: found.map(({ content, away }) => ({
      file: content.file,
      lines: content.lines.length,
      invalid: content.invalid,
      lacks: linesLackedBy(content, lines).length,
      away,
    })),
    isChecked: key !== undefined,
    isUsable: lines.length > 0 || !contents.some(({ hasLinesOfLog }) => hasLinesOfLog),
    lines,
    missing: await missingInLog(log, { lines, mode, clock }),
  };
}

interface FoundPlace {
  readonly content: RegisterContent;
  readonly away: string | null;
}

function readPlace(file: string, options: Parameters<typeof readRegister>[1]): FoundPlace {
  try {
    statSync(path.dirname(file));
    return { content: readRegister(file, options), away: null };
  } catch (error) {
    const isChecked = options.key !== undefined;
    const content = { file, lines: [], isChecked, invalid: [], hasLinesOfLog: false, hasLinesOfOtherLog: false };
    return { content, away: error instanceof Error ? error.message : String(error) };
  }
}

/** Number of events of the log that are read to see whether the register is complete. */
const mostRead = 10_000;

/**
 * Returns whether every registered event has its line, as far as the cursor and the first events after it tell. Without a
 * valid cursor, the service may still be building the register, so the first events of the log are read.
 * @throws StoreUnavailableError
 */
export async function isRegisterComplete(
  log: Pick<EventReader, 'readAll' | 'readAt'>,
  { places: [own], lines }: Pick<ExaminedRegister, 'places' | 'lines'>,
): Promise<boolean> {
  const cursor = own?.away === null ? readCursor(own.file, own.lines) : undefined;
  const isValid = cursor !== undefined && (await log.readAt(cursor.position))?.id === cursor.event_id;
  const ids = new Set(lines.map(({ event_id }) => event_id));
  const after = isValid ? cursor.position : logStart;
  let read = 0;
  for await (const events of log.readAll({ after, limit: mostRead })) {
    if (events.some((event) => isRegistered(event) && !ids.has(event.id))) return false;
    read += events.length;
  }
  return read < mostRead;
}
