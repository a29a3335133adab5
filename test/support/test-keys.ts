/** Keys that are the same in each run. */
import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Returns an Ed25519 key made of 32 equal bytes. */
export const testKey = (byte: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
    format: 'der',
    type: 'pkcs8',
  });
