/** The files of seals: the folder `seals` in the data folder, its copy in SEAL_DIR, and the private key that signs them. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { EventReader } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { within } from '../flow/abort.js';
import { createDurably, giveToFolderOwner, makeSubfolder, removeDrafts } from '../flow/durable-file.js';
import {
  compareSeals,
  fingerprintOf,
  isOfPresentFormat,
  ofAnotherLog,
  parseKnownSeal,
  publicKeyOf,
  SealError,
  sealText,
  wrongSignature,
  type KnownSeal,
  type Seal,
} from './seal.js';

export const sealsName = 'seals';
export const sealKeyName = 'seal-key.pem';

/** The name has no colons, because some file systems do not allow them. Nothing is decided by it. */
const nameForm = /^seal-\d{8,}-\d{4}-\d\d-\d\dT[\d.-]{12}Z\.json$/;
/** The name of a seal of format 1. */
const earlierNameForm = /^\d{4}-\d\d-\d\dT[\d.-]{12}Z\.json$/;
/** Returns whether the service gives this name to the file of a seal. */
export const isSealName = (name: string): boolean => nameForm.test(name) || earlierNameForm.test(name);
const nameOf = ({ seq, sealed_at }: Seal): string =>
  `seal-${String(seq).padStart(8, '0')}-${sealed_at.replaceAll(':', '-')}.json`;

export interface SealPlaces {
  readonly dataDir: string;
  /** SEAL_DIR; undefined if it is not set. */
  readonly copies: string | undefined;
}

/** A file that should be a seal. Files with the same text, as in both folders, are one. */
export interface FoundSeal {
  /** The file in the data folder comes first. */
  readonly files: readonly string[];
  /** Null if the file cannot be read as a seal. */
  readonly seal: KnownSeal | null;
  /** Returns why the file is no seal or the signature is wrong, or undefined. Checks the signature when it is first called, because there may be thousands of seals. */
  readonly fault: () => string | undefined;
}

/** Milliseconds to wait for SEAL_DIR, because a network share may not answer. */
const copiesMs = 5_000;

/**
 * Reads the seals of both folders, the newest first, and at the end files that are not seals. Signatures are not checked.
 * @param onNotice called with what is wrong with SEAL_DIR
 * @param waitMs milliseconds to wait for SEAL_DIR
 * @throws what the file system throws for the data folder
 */
export async function findSeals(
  { dataDir, copies }: SealPlaces,
  onNotice: (notice: string) => void = () => undefined,
  waitMs = copiesMs,
): Promise<readonly FoundSeal[]> {
  const read: FilesRead = { byText: new Map(), unreadable: [] };
  const own = path.join(dataDir, sealsName);
  if (existsSync(own)) await readFolder(own, read);
  const late = (): never => {
    throw new Error(`no answer for ${waitMs / 1_000} seconds`);
  };
  if (copies !== undefined)
    await within(waitMs, readFolder(copies, read), late).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      onNotice(`SEAL_DIR cannot be read: ${reason}`);
    });
  return [...[...read.byText].map(([text, files]) => foundSeal(text, files)).sort(byRank), ...read.unreadable];
}

/** The size in bytes above which a file cannot be a seal. */
const mostBytes = 64 * 1024;

interface FilesRead {
  /** Files by their text. */
  readonly byText: Map<string, string[]>;
  readonly unreadable: FoundSeal[];
}

/** One bad file must not hide the other seals, because anyone who can write to the folder can put it there. */
async function readFolder(folder: string, { byText, unreadable }: FilesRead): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json')).sort()) {
    const file = path.join(folder, name);
    const fault = await whyNoSeal(file);
    const text = fault === undefined ? await readFile(file, 'utf8') : '';
    const files = byText.get(text);
    if (fault !== undefined) unreadable.push(noSeal([file], fault));
    else if (files === undefined) byText.set(text, [file]);
    else files.push(file);
  }
}

async function whyNoSeal(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return 'it is not a file';
    return stats.size > mostBytes ? 'it is larger than a seal' : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP'))
      return 'it is a link to a file that does not exist';
    throw error;
  }
}

const noSeal = (files: readonly string[], fault: string): FoundSeal => ({ files, seal: null, fault: () => fault });

function foundSeal(text: string, files: readonly string[]): FoundSeal {
  try {
    const { seal, isSigned } = parseKnownSeal(text);
    let isRight: boolean | undefined;
    return { files, seal, fault: () => ((isRight ??= isSigned()) ? undefined : wrongSignature) };
  } catch (error) {
    if (error instanceof SealError) return noSeal(files, error.message);
    throw error;
  }
}

function byRank({ seal: one }: FoundSeal, { seal: other }: FoundSeal): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return compareSeals(one, other);
}

/** The public keys whose seals count: that of the service and those of SEAL_KEYS_BEFORE, in base64 of SPKI in DER. */
export type SealKeys = ReadonlySet<string>;

/**
 * Returns why a seal does not count, or undefined if it does. Anyone who can write to a folder can put a seal there that is
 * signed with a key of their own, so only seals by known keys count.
 */
export function whyIgnored({ seal, fault }: FoundSeal, keys: SealKeys): string | undefined {
  if (seal === null || keys.has(seal.public_key)) return fault();
  return `it is signed with the key ${fingerprintOf(seal.public_key)}, which is neither the key of this service nor in SEAL_KEYS_BEFORE`;
}

/** A file that should be a seal, and whether the log fits it. */
export interface ListedSeal extends FoundSeal {
  readonly state: 'holds' | 'not_checked' | 'excused' | 'fails' | 'ignored';
  /** Null if the seal holds. */
  readonly reason: string | null;
}

/** Logs one line for each reason, because a folder may hold thousands of seals by another key. */
export function reportIgnored(listed: readonly ListedSeal[], logger: Pick<Logger, 'warn'>): void {
  const ignored = listed.filter(({ state }) => state === 'ignored');
  for (const reason of new Set(ignored.map((one) => one.reason))) {
    const seals = ignored.filter((one) => one.reason === reason);
    logger.warn({ reason, seals: seals.length, file: seals[0]?.files[0] }, 'seals are ignored');
  }
}

/** Writes the seal durably, and makes the folder if it does not exist. Returns the file. @throws what the file system throws */
export function keepSeal(dataDir: string, seal: Seal): string {
  const folder = path.join(dataDir, sealsName);
  makeSubfolder(folder);
  const file = path.join(folder, nameOf(seal));
  if (!createDurably(file, sealText(seal))) throw new Error(`${file} exists already`);
  return file;
}

/** Copies the seals that SEAL_DIR lacks, each under its own name at once, because a write-once share does not allow renaming. @throws what the file system throws */
export async function copySeals({ dataDir }: Pick<SealPlaces, 'dataDir'>, to: string): Promise<void> {
  const from = path.join(dataDir, sealsName);
  const there = new Set(await readdir(to));
  const names = existsSync(from) ? (await readdir(from)).filter(isSealName).sort() : [];
  const textOf = (name: string): Promise<string> => readFile(path.join(from, name), 'utf8');
  // A crash may have left the last copy torn. Replace it first, because it is not the last one any more after the loop below.
  const last = names.findLast((name) => there.has(name));
  try {
    if (last !== undefined) await replaceIfTorn(path.join(to, last), await textOf(last));
  } finally {
    // Also if the share does not allow replacing.
    for (const name of names) if (!there.has(name)) await write(path.join(to, name), await textOf(name), 'wx');
  }
}

/** Writes the copy of a seal again if its end is missing, or if a power cut left zeros in it. Leaves an altered copy as it is. */
async function replaceIfTorn(file: string, whole: string): Promise<void> {
  const copy = await readFile(file, 'utf8');
  const isPart = copy.length <= whole.length && [...copy].every((char, at) => char === '\0' || char === whole[at]);
  if (copy !== whole && isPart) await write(file, whole, 'w');
}

async function write(file: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  const handle = await open(file, flag);
  try {
    if (flag === 'wx') giveToFolderOwner(handle.fd, file);
    await handle.writeFile(text);
    await handle.sync();
    // Witnesses read the file, and nothing in it is personal. Some network shares have no modes.
    await handle.chmod(0o644).catch(() => undefined);
  } catch (error) {
    // Part of a seal is useless.
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Removes the drafts of seals that a killed process left. @throws what the file system throws */
export const removeSealDrafts = (dataDir: string, olderThan: number): void =>
  removeDrafts(path.join(dataDir, sealsName), { isOurs: isSealName, olderThan });

/** Where seals and keys are. */
export interface SealSettings {
  readonly dataDir: string;
  readonly seals: {
    /** SEAL_DIR. */
    readonly copies: string | undefined;
    /** SEAL_KEY: a file. */
    readonly key: string | undefined;
    /** SEAL_KEYS_BEFORE: public keys in base64 of SPKI in DER. */
    readonly keysBefore?: readonly string[];
  };
}

/** Returns the seals of a log, except those of format 1, that are signed with another key than these. */
export const sealsByOthers = (found: readonly FoundSeal[], keys: SealKeys, logId: string): readonly FoundSeal[] =>
  found.filter(({ seal }) => seal?.log_id === logId && isOfPresentFormat(seal) && !keys.has(seal.public_key));

interface KeyRequest {
  /** Seals by a key that is not at hand. If there are any, no other key is made. */
  readonly orphans?: readonly FoundSeal[];
  /** Called with the file of a key that was made. */
  readonly onMade: (file: string) => void;
}

/**
 * Returns the key that signs seals: SEAL_KEY, otherwise that of the data folder, which is made (mode 0600) if it does not exist.
 * @throws SealError; what the file system throws
 */
export function openSealKey(settings: SealSettings, { orphans = [], onMade }: KeyRequest): KeyObject {
  const known = keyAtHand(settings);
  if (known !== undefined) return known;
  const file = path.join(settings.dataDir, sealKeyName);
  const [orphan] = orphans;
  if (orphan !== undefined)
    throw new SealError(
      `${file} is missing, but there are seals of this log, such as ${orphan.files[0]}. Put the key back, or name its public key in SEAL_KEYS_BEFORE. Nothing was changed`,
    );
  const { privateKey } = generateKeyPairSync('ed25519');
  // Durable, because without the key its seals look like those of a stranger. Another process may have made one first.
  if (!createDurably(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())) return readSealKey(file);
  onMade(file);
  return privateKey;
}

/** Returns the key of SEAL_KEY, otherwise that of the data folder, or undefined if the data folder has none. @throws SealError */
export function keyAtHand({ dataDir, seals }: SealSettings): KeyObject | undefined {
  const file = seals.key ?? path.join(dataDir, sealKeyName);
  return seals.key === undefined && !existsSync(file) ? undefined : readSealKey(file);
}

/** Reads a private key in PEM (PKCS #8, not encrypted). @throws SealError */
export function readSealKey(file: string): KeyObject {
  const key = privateKeyIn(file);
  publicKeyOf(key);
  return key;
}

function privateKeyIn(file: string): KeyObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SealError(`the key file ${file} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new SealError(`${file} is not a private key in PEM without a password`);
  }
}

// ---- For commands

/** A seal that counts. */
export interface CountedSeal {
  readonly seal: KnownSeal;
  readonly files: readonly string[];
}

export interface IgnoredSeal {
  readonly files: readonly string[];
  readonly reason: string;
}

export interface KeptSeals {
  /** The seals of this log that count, the newest first. */
  readonly counted: readonly CountedSeal[];
  readonly ignored: readonly IgnoredSeal[];
}

/** Separates the seals of a log that count from all others. Checks all signatures. */
export function chooseSeals(found: readonly FoundSeal[], keys: SealKeys, logId: string | undefined): KeptSeals {
  const counted: CountedSeal[] = [];
  const ignored: IgnoredSeal[] = [];
  for (const one of found) {
    const { files, seal } = one;
    const reason = whyIgnored(one, keys) ?? (seal === null ? undefined : ofAnotherLog(seal, logId));
    if (reason !== undefined) ignored.push({ files, reason });
    else if (seal !== null) counted.push({ seal, files });
  }
  return { counted, ignored };
}

/**
 * Returns the seals of the data folder and of SEAL_DIR. Signatures have been checked.
 * @param publicKey another public key whose seals count
 * @param onNotice called with what is wrong with SEAL_DIR or with the key
 */
export async function readKeptSeals(
  log: Pick<EventReader, 'readStream'>,
  settings: SealSettings,
  { publicKey, onNotice }: KeysRequest,
): Promise<KeptSeals> {
  const { dataDir, seals } = settings;
  const keys = sealKeysAtHand(settings, { publicKey, onNotice });
  return chooseSeals(await findSeals({ dataDir, copies: seals.copies }, onNotice), keys, await readLogId(log));
}

interface KeysRequest {
  readonly publicKey?: string | undefined;
  readonly onNotice: (notice: string) => void;
}

/**
 * Returns the public keys whose seals count: the key of the service, if there is one that this user may read, those of
 * SEAL_KEYS_BEFORE, and the given one.
 */
export function sealKeysAtHand(settings: SealSettings, { publicKey, onNotice }: KeysRequest): SealKeys {
  const keys = new Set(settings.seals.keysBefore);
  if (publicKey !== undefined) keys.add(publicKey);
  try {
    const own = keyAtHand(settings);
    if (own !== undefined) keys.add(publicKeyOf(own));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    onNotice(`The seals of the service are ignored, because its key cannot be read: ${error.message}`);
  }
  return keys;
}
