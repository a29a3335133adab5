/** The private key that seals a log: in the data folder, made when it is first needed, or one's own. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createDurably } from '../eventstore/durable-file.js';
import { publicKeyOf, SealError } from './seal.js';

export const sealKeyName = 'seal-key.pem';

/** PEM, PKCS #8, not encrypted. @throws SealError */
export function readSealKey(file: string): KeyObject {
  const key = privateKeyIn(file);
  publicKeyOf(key);
  return key;
}

/** The key in this file, made there (mode 0600) where there is none. @throws SealError; what the file system throws */
export function openSealKey(file: string): { readonly key: KeyObject; readonly isNew: boolean } {
  if (existsSync(file)) return { key: readSealKey(file), isNew: false };
  const { privateKey } = generateKeyPairSync('ed25519');
  // When a key is lost, its seals look like a stranger's.
  const isNew = createDurably(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  // Another process may have been quicker.
  return { key: isNew ? privateKey : readSealKey(file), isNew };
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
