/** The private key that seals a log: in the data folder, made when it is first needed, or one's own. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createDurably } from '../flow/durable-file.js';
import { publicKeyOf, SealError } from './seal.js';

export const sealKeyName = 'seal-key.pem';

/** PEM, PKCS #8, not encrypted. @throws SealError */
export function readSealKey(file: string): KeyObject {
  const key = privateKeyIn(file);
  publicKeyOf(key);
  return key;
}

interface SealKeyPlaces {
  /** One's own; undefined: the key of the data folder, made there (mode 0600) when it is first needed. */
  readonly file: string | undefined;
  readonly dataDir: string;
}

/** @throws SealError; what the file system throws */
export function openSealKey({ file: own, dataDir }: SealKeyPlaces, onMade: (file: string) => void): KeyObject {
  const file = own ?? path.join(dataDir, sealKeyName);
  if (own !== undefined || existsSync(file)) return readSealKey(file);
  const { privateKey } = generateKeyPairSync('ed25519');
  // Durable: when a key is lost, its seals look like those of a stranger. Another process may have made one meanwhile.
  if (!createDurably(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())) return readSealKey(file);
  onMade(file);
  return privateKey;
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
    throw new SealError(`${file} is not a private key in PEM that needs no password`);
  }
}
