/** The data folder: the embedded stores, the outbox, and the secret and API key that the first start generates. */
import { randomBytes, randomInt } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { makeFolder, removeDrafts, writeDurably } from '../flow/durable-file.js';
import { userName } from '../flow/users.js';
import { ConfigurationError } from './config.js';
import { crc32 } from 'node:zlib';

export type DataFolder = ReturnType<typeof dataFolderAt>;

interface StoredKey {
  readonly id: string;
  readonly hash: Buffer;
}

const storedKeys = z.array(
  z.object({ id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
);

/** The content of the file `address`, which says where a service listens, and whether the file can be trusted. */
export interface WrittenAddress {
  readonly url: string;
  /** Why a stranger may have written the file; undefined if the file belongs to the owner of the folder or to root, or on Windows. */
  readonly fault: Fault | undefined;
}

/** Why something is not trusted, and what to do. */
export interface Fault {
  readonly reason: string;
  readonly remedy: string;
}

/** Makes the folder where it is missing (mode 0700). @throws what the file system throws */
export function openDataFolder(folder: string): DataFolder {
  makeFolder(folder);
  return dataFolderAt(folder);
}

export function dataFolderAt(folder: string) {
  const file = (name: string): string => path.join(folder, name);
  const keysFile = file('api-keys.json');
  return {
    eventsFile: file('events.db'),
    viewsFile: file('views.db'),
    outbox: file('outbox'),
    keysFile,
    secretFile: file('secret'),
    /** The time that was last known to be right. */
    clockFile: file('clock.json'),
    /** Where the service listens and, with HTTPS, its certificate in PEM: for the command line on the same machine. */
    writeAddress(address: string, certificate: string | undefined): void {
      if (certificate === undefined) rmSync(file('certificate.pem'), { force: true });
      else writeDurably(file('certificate.pem'), certificate);
      writeDurably(file('address'), `${address}\n`);
    },
    /** To be called by the holder of the lock before it listens: the address there is of an earlier run, or came with a copy of the folder. */
    forgetAddress(): void {
      for (const name of ['address', 'certificate.pem']) rmSync(file(name), { force: true });
    },
    /** Returns the address that a service wrote last. That service may have stopped since. */
    address: () => writtenAddress(folder),
    certificate: () => textIn(file('certificate.pem')),
    /** Returns why the folder is not trusted, or undefined if only its owner and its group can write to it, or on Windows. */
    openToAll: (): Fault | undefined => (hasOwners && existsSync(folder) ? openToAll(folder) : undefined),
    /** Removes drafts of the files in this folder that an earlier process left. @throws what the file system throws */
    removeDrafts: (olderThan: number): void => removeDrafts(folder, { isOurs: (name) => drafted.has(name), olderThan }),
    /** The generated key in clear. */
    apiKey: () => textIn(file('api-key.txt')),
    secret(): string | undefined {
      if (!existsSync(file('secret'))) return undefined;
      const secret = readFileSync(file('secret'), 'utf8').trim();
      if (Buffer.byteLength(secret) >= 32) return secret;
      throw new ConfigurationError(`${file('secret')} must hold at least 32 bytes. Put it back from the backup.`);
    },
    generateSecret(): string {
      const secret = randomBytes(32).toString('hex');
      writeDurably(file('secret'), `${secret}\n`);
      return secret;
    },
    /** The stored hashes of keys. The first call ever generates a key and returns it in clear, once. */
    apiKeys(hash: (key: string) => Buffer): { readonly keys: readonly StoredKey[]; readonly generated?: string } {
      if (existsSync(keysFile)) return { keys: readKeys(keysFile) };
      const generated = newApiKey();
      const key = { id: 'default', hash: hash(generated) };
      // The key first: a hash without its key would be of no use.
      writeDurably(file('api-key.txt'), `${generated}\n`);
      writeDurably(keysFile, `${JSON.stringify([{ id: key.id, sha256: key.hash.toString('hex') }])}\n`);
      return { keys: [key], generated };
    },
  };
}

/** The files that are written as drafts first. */
const drafted = new Set([
  ...['secret', 'api-key.txt', 'api-keys.json', 'address', 'certificate.pem'],
  ...['restored.json', 'register.ndjson', 'register.cursor', 'seal-key.pem', 'clock.json'],
]);

/** Node cannot read owners and modes of files on Windows. */
const hasOwners = process.platform !== 'win32';

/** Bits of the mode of a folder that let all users, or the members of its group, add, rename and delete files. */
export const rights = { everybodyWrites: 0o002, groupWrites: 0o020 };

function openToAll(folder: string): Fault | undefined {
  if ((statSync(folder).mode & rights.everybodyWrites) === 0) return undefined;
  return {
    reason: `every user of this machine can write to ${folder}`,
    remedy: `Remove that right (chmod o-w ${folder}), and check what others have put there.`,
  };
}

function writtenAddress(folder: string): WrittenAddress | undefined {
  const file = path.join(folder, 'address');
  const descriptor = openUnlessAbsent(file);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    const url = stats.isFile() ? readFileSync(descriptor, 'utf8').trim() : '';
    return url === '' ? undefined : { url, fault: hasOwners ? ownerFault(file, stats.uid) : undefined };
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file for reading. Returns undefined if the file does not exist or is a link. */
function openUnlessAbsent(file: string): number | undefined {
  // The service never creates a link, and opening a pipe would block. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  try {
    return openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ELOOP'].includes(code)) return undefined;
    throw error;
  }
}

function ownerFault(file: string, uid: number): Fault | undefined {
  const owner = statSync(path.dirname(file)).uid;
  if (uid === owner || uid === 0) return undefined;
  return {
    reason: `${file} belongs to ${userName(uid)}, but the folder to ${userName(owner)}`,
    remedy: 'Remove that file, and start the service again as the owner of the folder.',
  };
}

function textIn(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}

function readKeys(file: string): StoredKey[] {
  try {
    const parsed = storedKeys.parse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.map(({ id, sha256 }) => ({ id, hash: Buffer.from(sha256, 'hex') }));
  } catch {
    throw new ConfigurationError(
      `${file} cannot be read. Put it back from the backup, or remove it: then a new key is generated.`,
    );
  }
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32;
const checksumCharacters = 6;

/** A key that scanners of leaked secrets recognise. Matches `aud_[0-9A-Za-z]{38}`. The last six are the CRC-32 of the 32 before them, in base 62. */
export function newApiKey(): string {
  const random = Array.from({ length: randomCharacters }, () => digits.charAt(randomInt(digits.length))).join('');
  return `aud_${random}${checksumOf(random)}`;
}

function checksumOf(text: string): string {
  let checksum = '';
  for (let left = crc32(text); checksum.length < checksumCharacters; left = Math.floor(left / digits.length))
    checksum = digits.charAt(left % digits.length) + checksum;
  return checksum;
}
