/** The files of seals: the folder `seals` in the data folder, its copy in SEAL_DIR, and the private key that signs them. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { EventReader } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { CommandFailedError } from '../failures.js';
import { ConfigurationError } from '../stores/config.js';
import { createDurably, giveToFolderOwner, makeSubfolder, removeDrafts } from '../flow/durable-file.js';
import {
  compareSeals,
  fingerprintOf,
  isOfPresentFormat,
  ofAnotherLog,
  parseKnownSeal,
  publicKeyOf,
  readPublicKey,
  readSignedSeal,
  SealError,
  sealText,
  UnreadableSealError,
  type KnownSeal,
  type ParsedSeal,
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

/** A seal that was found in one or both of the folders. */
export interface FoundSeal {
  /** Files with this text, that of the data folder first. */
  readonly files: readonly string[];
  /** Undefined if the file cannot be read as a seal. */
  readonly parsed: ParsedSeal | undefined;
  /** Why it cannot be read as a seal. */
  readonly fault: string | undefined;
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
  if (copies !== undefined)
    await within(waitMs, readFolder(copies, read)).catch((error: unknown) =>
      onNotice(`SEAL_DIR cannot be read: ${error instanceof Error ? error.message : String(error)}`),
    );
  return [...[...read.byText].map(([text, files]) => found(text, files)).sort(byRank), ...read.unreadable];
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
    if (fault !== undefined) unreadable.push({ files: [file], parsed: undefined, fault });
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

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer for ${milliseconds / 1_000} seconds`)), milliseconds);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function found(text: string, files: readonly string[]): FoundSeal {
  try {
    return { files, parsed: parseKnownSeal(text), fault: undefined };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return { files, parsed: undefined, fault: error.message };
  }
}

function byRank({ parsed: one }: FoundSeal, { parsed: other }: FoundSeal): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return compareSeals(one.seal, other.seal);
}

/** The public keys whose seals count: that of the service and those of SEAL_KEYS_BEFORE, in base64 of SPKI in DER. */
export type SealKeys = ReadonlySet<string>;

/**
 * Returns why a seal does not count, or undefined if it does. Anyone who can write to a folder can put a seal there that is
 * signed with a key of their own, so only seals by known keys count.
 */
function whyIgnored({ parsed, fault }: FoundSeal, keys: SealKeys): string | undefined {
  if (parsed === undefined) return fault;
  if (!keys.has(parsed.seal.public_key))
    return `it is signed with the key ${fingerprintOf(parsed.seal.public_key)}, which is neither the key of this service nor in SEAL_KEYS_BEFORE`;
  return parsed.isSigned() ? undefined : wrongSignature;
}

export const wrongSignature = 'its signature does not match: the seal was altered';

/** A seal that counts: signed with a known key. It may still be of another log. */
export interface CountedSeal {
  readonly seal: KnownSeal;
  readonly files: readonly string[];
}

export interface IgnoredSeal {
  readonly files: readonly string[];
  readonly reason: string;
}

/**
 * Separates the seals that count from the others, in their order. Checks a signature only when its seal is asked for, because
 * there may be thousands of seals.
 */
export function chooseSeals(found: readonly FoundSeal[], keys: SealKeys) {
  const reasons = new Map<FoundSeal, string | undefined>();
  const isKnown = ({ parsed }: FoundSeal): boolean => parsed !== undefined && keys.has(parsed.seal.public_key);
  const isCounted = (one: FoundSeal): boolean => {
    if (!reasons.has(one)) reasons.set(one, whyIgnored(one, keys));
    return reasons.get(one) === undefined;
  };
  for (const one of found) if (!isKnown(one)) isCounted(one);
  return {
    /** Yields the seals that count. */
    *counted(): Generator<CountedSeal, undefined> {
      for (const one of found)
        if (isCounted(one) && one.parsed !== undefined) yield { seal: one.parsed.seal, files: one.files };
      return undefined;
    },
    /** Returns the seals that do not count, as far as signatures have been checked. */
    ignored: (): readonly IgnoredSeal[] =>
      found.flatMap((one) => {
        const reason = reasons.get(one);
        return reason === undefined ? [] : [{ files: one.files, reason }];
      }),
    /** Returns the highest number of a seal that counts, or 0 if no seal counts. */
    highestSeq(): number {
      const bySeq = found
        .filter(isKnown)
        .sort((one, other) => (other.parsed?.seal.seq ?? 0) - (one.parsed?.seal.seq ?? 0));
      return bySeq.find(isCounted)?.parsed?.seal.seq ?? 0;
    },
  };
}

/** Logs one line for each reason, because a folder may hold thousands of seals by another key. */
export function reportIgnored(ignored: readonly IgnoredSeal[], logger: Pick<Logger, 'warn'>): void {
  const byReason = new Map<string, IgnoredSeal[]>();
  for (const one of ignored) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
  for (const [reason, seals] of byReason)
    logger.warn({ reason, seals: seals.length, file: seals[0]?.files[0] }, 'seals are ignored');
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
  for (const name of names) if (!there.has(name)) await write(path.join(to, name), await textOf(name), 'wx');
  // A crash may have cut off the last one that was copied.
  const last = names.findLast((name) => there.has(name));
  if (last === undefined) return;
  const file = path.join(to, last);
  const [whole, copy] = [await textOf(last), await readFile(file, 'utf8')];
  if (copy !== whole && whole.startsWith(copy)) await write(file, whole, 'w');
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

interface SealKeyPlaces {
  /** SEAL_KEY; undefined: the key of the data folder. */
  readonly file: string | undefined;
  readonly dataDir: string;
}

/** Returns the key that signs seals. Makes the key of the data folder (mode 0600) if it does not exist. @throws SealError; what the file system throws */
export function openSealKey({ file: own, dataDir }: SealKeyPlaces, onMade: (file: string) => void): KeyObject {
  const file = own ?? path.join(dataDir, sealKeyName);
  if (own !== undefined || existsSync(file)) return readSealKey(file);
  const { privateKey } = generateKeyPairSync('ed25519');
  // Durable, because without the key its seals look like those of a stranger. Another process may have made one first.
  if (!createDurably(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())) return readSealKey(file);
  onMade(file);
  return privateKey;
}

interface ServiceKeyOptions {
  readonly settings: SealSettings;
  readonly logId: string;
  readonly found: readonly FoundSeal[];
  readonly isRestored: boolean;
  readonly logger: Pick<Logger, 'info'>;
}

/**
 * Returns the key with which the service signs seals, and the public keys whose seals count. Makes the key of the data folder
 * if this log has no seals yet.
 * @throws ConfigurationError if the key is missing or cannot be used
 */
export function openServiceKey({ settings, logId, found, isRestored, logger }: ServiceKeyOptions) {
  const { dataDir, seals } = settings;
  const file = path.join(dataDir, sealKeyName);
  const before = new Set(seals.keysBefore);
  const sealsOfOthers = (known: SealKeys): readonly string[] =>
    found.flatMap(({ parsed, files }) =>
      parsed?.seal.log_id === logId && isOfPresentFormat(parsed.seal) && !known.has(parsed.seal.public_key)
        ? files
        : [],
    );
  const [orphan] = sealsOfOthers(before);
  if (seals.key === undefined && !existsSync(file) && orphan !== undefined)
    throw new ConfigurationError(
      `${file} is missing, but there are seals of this log, such as ${orphan}. Put the key back, or name its public key in SEAL_KEYS_BEFORE. Nothing was changed`,
    );
  const key = usableKey(settings, logger);
  const keys: SealKeys = new Set([publicKeyOf(key), ...before]);
  // The restore is recorded with the newest seal, so a seal that counts only from a later start on would accuse the log.
  // Seals in SEAL_DIR alone may be of a stranger.
  const uncounted = sealsOfOthers(keys).find((one) => path.dirname(one) === path.join(dataDir, sealsName));
  if (isRestored && uncounted !== undefined)
    throw new ConfigurationError(
      `${uncounted} is signed with a key that is neither the key of this service nor in SEAL_KEYS_BEFORE, but the first start after a restore needs the newest seal. Put the key back, or name its public key in SEAL_KEYS_BEFORE. Remove the seal if this service did not make it. Nothing was changed`,
    );
  return { key, keys };
}

function usableKey({ dataDir, seals }: SealSettings, logger: Pick<Logger, 'info'>): KeyObject {
  try {
    return openSealKey({ file: seals.key, dataDir }, () =>
      logger.info({ file: sealKeyName }, 'a key for seals was made in the data folder: keep a copy of it'),
    );
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new ConfigurationError(seals.key === undefined ? error.message : `SEAL_KEY: ${error.message}`);
  }
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

export interface KeptSeals {
  /** The seals of this log that count, the newest first. */
  readonly counted: readonly CountedSeal[];
  readonly ignored: readonly IgnoredSeal[];
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
  const chosen = chooseSeals(await findSeals({ dataDir, copies: seals.copies }, onNotice), keys);
  const logId = await readLogId(log);
  const counted: CountedSeal[] = [];
  const foreign: IgnoredSeal[] = [];
  for (const one of chosen.counted()) {
    const reason = ofAnotherLog(one.seal, logId);
    if (reason === undefined) counted.push(one);
    else foreign.push({ files: one.files, reason });
  }
  return { counted, ignored: [...chosen.ignored(), ...foreign] };
}

interface KeysRequest {
  readonly publicKey?: string | undefined;
  readonly onNotice: (notice: string) => void;
}

/** Returns the public keys whose seals count: the key of the service, those of SEAL_KEYS_BEFORE and the given one. */
export function sealKeysAtHand(settings: SealSettings, { publicKey, onNotice }: KeysRequest): SealKeys {
  const own = ownPublicKey(settings, onNotice);
  return new Set([own, publicKey, ...(settings.seals.keysBefore ?? [])].filter((key) => key !== undefined));
}

/** Returns undefined if there is no key, or this user may not read it. */
function ownPublicKey({ dataDir, seals }: SealSettings, onNotice: (notice: string) => void): string | undefined {
  const file = seals.key ?? path.join(dataDir, sealKeyName);
  if (seals.key === undefined && !existsSync(file)) return undefined;
  try {
    return publicKeyOf(readSealKey(file));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    onNotice(`The seals of the service are ignored, because its key cannot be read: ${error.message}`);
    return undefined;
  }
}

/**
 * Returns the seal in a file. Its signature matches.
 * @param publicKeyFile file with the public key that must have signed it. Without one, any key may have.
 * @throws CommandFailedError of the type `seal` (exit code 1) if the seal was altered or signed with another key, or of the
 *   type `unreadable_seal` (exit code 2) if the file cannot be read or is not a seal
 */
export function readSealFile(file: string, publicKeyFile?: string): KnownSeal {
  try {
    const expected = publicKeyFile === undefined ? undefined : publicKeyOf(readPublicKey(textOf(publicKeyFile)));
    const seal = readSignedSeal(textOf(file));
    if (expected !== undefined && seal.public_key !== expected)
      throw new SealError(
        `it is signed by another key (fingerprint ${fingerprintOf(seal.public_key)}) than the expected one`,
      );
    return seal;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const isUnreadable = error instanceof UnreadableSealError;
    throw new CommandFailedError(
      `The seal ${file} ${isUnreadable ? 'cannot be read' : 'proves nothing'}: ${error.message}.`,
      { type: isUnreadable ? 'unreadable_seal' : 'seal', cause: error, exitCode: isUnreadable ? 2 : 1 },
    );
  }
}

/** @throws CommandFailedError */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailedError(`${file} cannot be read: ${reason}`, { cause: error, exitCode: 2 });
  }
}
