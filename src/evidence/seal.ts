/** Seals: signed statements of how long a log was and what its chain was then, to be kept away from the log. */
import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { field } from '../eventstore/chain.js';
import { jsonIn } from '../flow/json.js';

const sealFormat = 'audience-ledger-seal/1';

export const sealSchema = z
  .strictObject({
    format: z.literal(sealFormat),
    log_id: z.string().regex(/^[!-~]{1,64}$/),
    count: z.int().min(1),
    position: z.string().regex(/^[!-~]{1,64}$/),
    event_id: z.string().regex(/^[0-9a-f-]{36}$/),
    /** Link of the last of them, hex. */
    head: z.string().regex(/^[0-9a-f]{64}$/),
    /** Root of the tree over all of them, hex. */
    root: z.string().regex(/^[0-9a-f]{64}$/),
    /** UTC, ISO 8601 with milliseconds: what the clock of the sealing machine said. */
    sealed_at: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    /** Ed25519, SPKI in DER, base64. */
    public_key: z.string().regex(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/),
    /** Base64, over `sealedText`. */
    signature: z.string().regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/),
  })
  .meta({ id: 'Seal', description: 'A signed statement of how long the log was and what its chain was then.' });
export type Seal = Readonly<z.output<typeof sealSchema>>;

/** It is not a seal, or cannot be made; the message says why. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** There is no seal, or no key, that could be read: so nothing can be verified with it. */
export class UnreadableSealError extends SealError {}

interface SealInput {
  /** Of the whole log, made just now: only a log that is known to be intact is sealed. */
  readonly verification: Pick<Seal, 'count' | 'position' | 'head'> &
    Readonly<Record<'log_id' | 'event_id' | 'root', string | null>> & { readonly intact: boolean };
  readonly key: KeyObject;
  readonly now: number;
}

/** @throws SealError the log is empty or not intact, or the key is of another kind. */
export function createSeal({ verification, key, now }: SealInput): Seal {
  if (!verification.intact) throw new SealError('a log that is not intact is not sealed');
  const { log_id, count, position, head, root, event_id } = verification;
  if (event_id === null || root === null) throw new SealError('an empty log is not sealed');
  if (log_id === null) throw new SealError('the log does not begin as a log of this service');
  const place = { format: sealFormat, log_id, count, position, event_id, head, root } as const;
  const unsigned = { ...place, sealed_at: new Date(now).toISOString(), public_key: publicKeyOf(key) };
  const signature = sign(null, Buffer.from(sealedText(unsigned)), key).toString('base64');
  return { ...unsigned, signature };
}

/** What is signed: `<length in bytes>:<text>,` for each member but the signature, in order. */
function sealedText(seal: Omit<Seal, 'signature'>): string {
  const { format, log_id, count, position, event_id, head, root, sealed_at, public_key } = seal;
  return [format, log_id, String(count), position, event_id, head, root, sealed_at, public_key].map(field).join('');
}

export interface SealCheck {
  /** The signature is right, by the key that stands in the seal. */
  readonly isSigned: boolean;
  /** SHA-256 of that key (SPKI in DER), hex: what to compare with what the sealer made known. */
  readonly fingerprint: string;
  /** Whether that key is the expected one; undefined where none was given. A seal that names its own key proves nothing by itself. */
  readonly isExpected: boolean | undefined;
}

/** @param expected public key: PEM, or SPKI in DER as base64. @throws SealError one of the keys cannot be read */
export function checkSeal(seal: Seal, expected?: string): SealCheck {
  const key = readPublicKey(seal.public_key);
  const isSigned = verify(null, Buffer.from(sealedText(seal)), key, Buffer.from(seal.signature, 'base64'));
  return {
    isSigned,
    fingerprint: fingerprintOf(seal.public_key),
    isExpected: expected === undefined ? undefined : publicKeyOf(readPublicKey(expected)) === seal.public_key,
  };
}

/** To be asked before anything else is compared: a seal of another log tells nothing of this one. @param logId undefined: it does not begin as a log of this service */
export function ofAnotherLog({ log_id, sealed_at }: Pick<Seal, 'log_id' | 'sealed_at'>, logId: string | undefined) {
  if (log_id === logId) return undefined;
  const other = logId === undefined ? 'this one has no name' : `this one is ${logId}`;
  return `the seal of ${sealed_at} is of the log ${log_id}, and ${other}: it tells nothing of this log`;
}

/** Base64 of SPKI in DER, of a public or private key. @throws SealError it is not Ed25519 */
export function publicKeyOf(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519') throw new SealError('the key of a seal must be an Ed25519 key');
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

export const fingerprintOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex');

/** @throws SealError */
export function parseSeal(text: string): Seal {
  const value = jsonIn(text);
  const { data, error } = sealSchema.safeParse(value);
  if (error !== undefined) throw unlikeSeal(error.issues[0]);
  if (isPlain(text, value)) return data;
  throw new SealError('it has a member twice, or a number that is not in digits');
}

function unlikeSeal(issue: z.core.$ZodIssue | undefined): SealError {
  const [member] = issue?.path ?? [];
  if (member === 'format') return new UnreadableSealError(`it does not say that it is ${sealFormat}`);
  if (member !== undefined) return new SealError(`its ${String(member)} is missing or not as it should be`);
  if (issue?.code === 'unrecognized_keys') return new SealError('it has a member that it should not have');
  return new UnreadableSealError('it is not a JSON object');
}

/** Written again it is the same, but for blanks and escapes: so no member stands twice, and numbers are in digits. */
function isPlain(text: string, value: unknown): boolean {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
  return plain === JSON.stringify(value);
}

function readPublicKey(text: string): KeyObject {
  if (text.includes('PRIVATE KEY'))
    throw new UnreadableSealError(
      'the key is the private one, to be kept secret: openssl pkey -pubout makes the public',
    );
  try {
    const key = text.includes('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text.trim(), 'base64'), type: 'spki', format: 'der' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below.
  }
  throw new UnreadableSealError('the public key is not an Ed25519 key, in PEM or as base64 of SPKI in DER');
}
