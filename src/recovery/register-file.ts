/** Reads and writes the file of a register and the cursor beside the file. Several processes may append to one file. A file is never truncated. */
import type { KeyObject } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Position } from '../eventstore/event-store.js';
import { giveToFolderOwner, syncFolderOf, writeDurably } from '../flow/durable-file.js';
import { jsonIn } from '../flow/json.js';
import type { Config } from '../stores/config.js';
import { hasValidMac, parseLine, textOf, type RegisterLine, type RegisterOwner } from './register-line.js';

/** The names of the files in the data folder and in SEAL_DIR. */
export const registerName = 'register.ndjson';
export const cursorName = 'register.cursor';
/** The new name of a register that an earlier development version wrote. */
const earlierName = 'register-1.ndjson';

export type RegisterPlaces = Pick<Config, 'dataDir'> & { readonly seals: Pick<Config['seals'], 'copies'> };

/** Returns the file of the register in the data folder, followed by the file of its copy if SEAL_DIR is set. */
export const placesOf = ({ dataDir, seals: { copies } }: RegisterPlaces): readonly string[] => [
  ...new Set([dataDir, ...(copies === undefined ? [] : [copies])].map((folder) => path.join(folder, registerName))),
];

interface ReadOptions {
  readonly logId: string;
  /** `deriveRegisterKey` of the secret, or undefined if the secret is not known. Without it, no MAC is checked. */
  readonly key: KeyObject | undefined;
}

export interface RegisterContent {
  readonly file: string;
  /** Lines of this log with a valid MAC, each event once. Without the key, all lines of this log, each text once. */
  readonly lines: readonly RegisterLine[];
  /** Whether the MACs were checked, which takes the key. */
  readonly isChecked: boolean;
  /** Numbers, from 1, of lines that are damaged, or are of this log and have a wrong MAC. */
  readonly invalid: readonly number[];
  /** Whether the file has a complete line of this log, with a valid MAC or not. */
  readonly hasLinesOfLog: boolean;
  /** Whether the file has a line of another log. Such lines are ignored. */
  readonly hasLinesOfOtherLog: boolean;
}

/** Reads a register. A file that does not exist has no lines. @throws what the file system throws */
export function readRegister(file: string, { logId, key }: ReadOptions): RegisterContent {
  const lines: RegisterLine[] = [];
  const invalid: number[] = [];
  let hasLinesOfLog = false;
  let hasLinesOfOtherLog = false;
  const texts = linesIn(file);
  for (const [index, text] of texts.entries()) {
    const line = parseLine(text);
    if (line !== undefined && line.log_id !== logId) {
      hasLinesOfOtherLog = true;
      continue;
    }
    if (text === '') continue;
    // Not the last text, because it has no line feed.
    hasLinesOfLog ||= index < texts.length - 1 && namesLog(text, logId);
    if (line !== undefined && (key === undefined || hasValidMac(line, key))) lines.push(line);
    else invalid.push(index + 1);
  }
  const isChecked = key !== undefined;
  return { file, lines: onceEach(lines, isChecked), isChecked, invalid, hasLinesOfLog, hasLinesOfOtherLog };
}

/** Returns the texts between line feeds. The last one is empty if the file ends in a line feed. */
const linesIn = (file: string): readonly string[] =>
  regularFile(file) === undefined ? [] : readFileSync(file, 'utf8').split('\n');

/**
 * Returns facts about the file, or undefined if the file does not exist. Other users may be able to write to SEAL_DIR.
 * Through a link there this process would write to another file, and a pipe would block it.
 * @throws Error if it is not a regular file
 */
function regularFile(file: string): Stats | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new Error(`${file} is not a regular file`);
  return found;
}

const named = z.object({ log_id: z.string() });
const namesLog = (text: string, logId: string): boolean => named.safeParse(jsonIn(text)).data?.log_id === logId;

/** Returns the lines of several registers, each event once. If the MACs were not checked, each text once. */
export const joinedLines = (contents: readonly RegisterContent[]): readonly RegisterLine[] =>
  onceEach(
    contents.flatMap(({ lines }) => lines),
    contents.every(({ isChecked }) => isChecked),
  );

/** Returns the lines whose events a register does not have. */
export function linesLackedBy({ lines }: RegisterContent, all: readonly RegisterLine[]): readonly RegisterLine[] {
  const ids = new Set(lines.map(({ event_id }) => event_id));
  return all.filter(({ event_id }) => !ids.has(event_id));
}

/**
 * Returns one line of each event. An event that a restore brought back has two lines with different revisions. The lower
 * revision is the new one, because events that are not registered did not come back. Only the new revision is in the right
 * order with later events. If the MACs were not checked, a line may be forged, so all different lines are kept.
 */
function onceEach(lines: readonly RegisterLine[], isChecked: boolean): readonly RegisterLine[] {
  if (!isChecked) return [...new Map(lines.map((line) => [textOf(line), line])).values()];
  const byId = new Map<string, RegisterLine>();
  for (const line of lines) {
    const other = byId.get(line.event_id);
    if (other === undefined || line.revision < other.revision) byId.set(line.event_id, line);
  }
  return [...byId.values()];
}

export const textOfLines = (lines: readonly RegisterLine[]): string => lines.map(textOf).join('');

const lineFeed = 0x0a;
const appending = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Appends lines, durably. @throws what the file system throws */
export async function appendLines(file: string, lines: readonly RegisterLine[]): Promise<void> {
  if (lines.length === 0) return;
  const isNew = regularFile(file) === undefined;
  const handle = await open(file, appending, 0o600);
  try {
    if (isNew) giveToFolderOwner(handle.fd, file);
    const { size } = await handle.stat();
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    // A power cut or a full disk may have left a part of a line.
    const start = size > 0 && buffer[0] !== lineFeed ? '\n' : '';
    const text = textOfLines(lines);
    await appendAtOnce(handle, Buffer.from(start + text), Buffer.from(`\n${text}`));
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isNew) syncFolderOf(file);
}

/** Flushes a register to the disk, if the file exists. @throws what the file system throws */
export async function flushRegister(file: string): Promise<void> {
  if (regularFile(file) === undefined) return;
  const handle = await open(file, 'r');
  await handle.sync().finally(() => handle.close());
  syncFolderOf(file);
}

/**
 * Appends the bytes in one call, because another process may append between two calls, which would damage a line. Only a full
 * disk takes a part of the bytes. The whole text is then appended again on a new line, which fails if the disk is still full.
 * Readers ignore the second of two equal lines.
 */
async function appendAtOnce(handle: FileHandle, bytes: Buffer, again: Buffer): Promise<void> {
  const { bytesWritten } = await handle.write(bytes);
  if (bytesWritten < bytes.length) await appendAtOnce(handle, again, again);
}

/** How far a growing file was read. */
export interface ReadState {
  /** File systems that are mounted one after the other may have files with the same inode number. */
  readonly dev: number;
  readonly ino: number;
  /** Length of the complete lines that were read. */
  readonly bytes: number;
}

/**
 * Returns the complete lines with a valid MAC that were added to a register since it was read.
 * @returns undefined if the file was replaced, truncated or removed, so that it must be read from its beginning
 * @throws what the file system throws
 */
export function linesSince(
  file: string,
  from: ReadState | undefined,
  { logId, key }: RegisterOwner,
): { readonly state: ReadState | undefined; readonly lines: readonly RegisterLine[] } | undefined {
  const { dev, ino, size } = regularFile(file) ?? { dev: 0, ino: 0, size: 0 };
  if (from !== undefined && (dev !== from.dev || ino !== from.ino || size < from.bytes)) return undefined;
  if (ino === 0) return { state: undefined, lines: [] };
  const start = from?.bytes ?? 0;
  const text = size > start ? textBetween(file, start, size) : '';
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = complete.split('\n').flatMap((one) => {
    const line = one === '' ? undefined : parseLine(one);
    return line?.log_id === logId && hasValidMac(line, key) ? [line] : [];
  });
  return { state: { dev, ino, bytes: start + Buffer.byteLength(complete) }, lines };
}

function textBetween(file: string, start: number, end: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}

/** An event of the log. Every registered event up to it has its line in the file. */
const cursor = z.object({
  event_id: z.string(),
  position: z.string(),
  /** Number of events that the register then had. If it has fewer, it was cut, replaced or damaged, and the cursor is void. */
  lines: z.int().min(0),
});
export interface RegisterCursor {
  readonly event_id: string;
  readonly position: Position;
}

const cursorFile = (file: string): string => path.join(path.dirname(file), cursorName);

/**
 * Returns the cursor beside a register, or undefined if the cursor is missing or cannot be read, or the register has lost lines.
 * @param lines how many events the register has
 * @throws what the file system throws
 */
export function readCursor(file: string, lines: number): RegisterCursor | undefined {
  const beside = cursorFile(file);
  if (regularFile(beside) === undefined || regularFile(file) === undefined) return undefined;
  const found = cursor.safeParse(jsonIn(readFileSync(beside, 'utf8'))).data;
  return found !== undefined && found.lines <= lines ? found : undefined;
}

/** @param lines how many events the register has @throws what the file system throws */
export function writeCursor(file: string, { event_id, position }: RegisterCursor, lines: number): void {
  writeDurably(cursorFile(file), `${JSON.stringify({ event_id, position, lines })}\n`);
}

/** @throws what the file system throws */
export const removeCursor = (file: string): void => rmSync(cursorFile(file), { force: true });

/** A line of an earlier development version, which has no MAC. */
const earlierLine = z
  .looseObject({ log_id: z.string(), mac: z.undefined().optional() })
  .and(z.union([z.looseObject({ erasure_id: z.string() }), z.looseObject({ kind: z.string() })]));

/** Renames a register of an earlier development version. Returns the new name, or undefined if the file has another format. @throws what the file system throws */
export function setAsideEarlier(file: string): string | undefined {
  const texts = linesIn(file);
  // Most registers have a line of this version near their beginning, so the search for one ends soon.
  const isEarlier =
    !texts.some((text) => parseLine(text) !== undefined) &&
    texts.some((text) => earlierLine.safeParse(jsonIn(text)).success);
  if (!isEarlier) return undefined;
  const aside = path.join(path.dirname(file), earlierName);
  renameSync(file, aside);
  syncFolderOf(aside);
  return aside;
}
