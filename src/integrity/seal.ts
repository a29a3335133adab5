/** Seals: signed tree heads of a log, their text format and their signature. docs/evidence.md specifies both. */
import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { field } from '../eventstore/leaf.js';
import { jsonIn } from '../flow/json.js';

const sealFormat = 'audience-ledger-seal/2';

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
const wholeNumber = z.int().min(0);

const signedMembers = {
  log_id: z.string().regex(/^[!-~]{1,64}$/),
  seq: z.int().min(1).describe('Number of the seal among the seals of the log, from 1.'),
  restores: wholeNumber.describe('Number of `LogRestored` events among the sealed events.'),
  count: z.int().min(1).describe('Number of events that are sealed.'),
  root: sha256Hex.describe('Root of the tree over them, hex.'),
  final: z.boolean().describe('Whether the service was stopped in order after the last of these events.'),
  sealed_at: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .describe('UTC with milliseconds, by the clock of the sealing machine.'),
  public_key: z
    .string()
    .regex(/^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
    .describe('Ed25519, SPKI in DER, base64.'),
};
const signature = z
  .string()
  .regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/)
  .describe('Over the fields of the members before it, base64.');

export const sealSchema = z.strictObject({ format: z.literal(sealFormat), ...signedMembers, signature }).meta({
  id: 'Seal',
  description: 'A signed statement of how many events the log had and of the root of their tree.',
});
export type Seal = Readonly<z.output<typeof sealSchema>>;

/** A text that is not a seal, or a seal that cannot be made. The message says why. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** A seal or a key that cannot be read at all, so that nothing can be verified with it. */
export class UnreadableSealError extends SealError {}

export type SealedState = Pick<Seal, 'log_id' | 'seq' | 'restores' | 'count' | 'root' | 'final'>;

/** @throws SealError if the key is not an Ed25519 key */
export function createSeal(state: SealedState, key: KeyObject, now: number): Seal {
  const { log_id, seq, restores, count, root, final } = state;
  const sealed_at = new Date(now).toISOString();
  const public_key = publicKeyOf(key);
  const unsigned = { format: sealFormat, log_id, seq, restores, count, root, final, sealed_at, public_key } as const;
  return { ...unsigned, signature: signatureOf(unsigned, key) };
}

/** Returns the signature over the fields of these members, which must be in the order of their format. */
export const signatureOf = (signed: object, key: KeyObject): string =>
  sign(null, signedBytes(signed), key).toString('base64');

const signedBytes = (signed: object): Buffer =>
  Buffer.from(
    Object.values(signed)
      .map((value) => field(String(value)))
      .join(''),
  );

/** Returns whether the signature is that of the public key in the seal. @throws SealError if that key cannot be read */
export const isSigned = ({ signature, ...signed }: Seal | EarlierSeal): boolean =>
  verify(null, signedBytes(signed), readPublicKey(signed.public_key), Buffer.from(signature, 'base64'));

/**
 * Compares two seals of one log, the newest first: by number of restores, then by number of events, then by number of the
 * seal. Neither file names nor times decide, because anyone who can write to the folder can change both.
 */
export const compareSeals = (one: SealRank, other: SealRank): number =>
  (other.restores ?? -1) - (one.restores ?? -1) || other.count - one.count || other.seq - one.seq;
type SealRank = Pick<KnownSeal, 'restores' | 'count' | 'seq'>;

/** Returns the text of a seal's file. */
export const sealText = (seal: Seal): string => `${JSON.stringify(seal, undefined, 2)}\n`;

/** @throws SealError */
export const parseSeal = (text: string): Seal => parseAs(sealSchema, sealFormat, text);

function parseAs<Found>(schema: z.ZodType<Found>, format: string, text: string): Found {
  const value = jsonIn(text);
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw unlikeSeal(error.issues[0], format);
  if (isPlain(text, value)) return data;
  throw new SealError('it has a member twice, or a number that is not written in digits');
}

function unlikeSeal(issue: z.core.$ZodIssue | undefined, format: string): SealError {
  const [member] = issue?.path ?? [];
  if (member === 'format') return new UnreadableSealError(`its format is not ${format}`);
  if (member !== undefined) return new SealError(`its member ${String(member)} is missing or has a wrong form`);
  if (issue?.code === 'unrecognized_keys') return new SealError('it has a member that no seal has');
  return new UnreadableSealError('it is not a JSON object');
}

/**
 * Returns whether the text has no member twice and writes numbers in digits. Such a text is the same when it is written again,
 * except for white space and escapes.
 */
function isPlain(text: string, value: unknown): boolean {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
  return plain === JSON.stringify(value);
}

/** Returns the public key in base64 of SPKI in DER, of a public or a private key. @throws SealError if it is not an Ed25519 key */
export function publicKeyOf(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519') throw new SealError('the key of a seal must be an Ed25519 key');
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Returns the SHA-256 of a public key (SPKI in DER) in hex, which people compare. */
export const fingerprintOf = (publicKey: string): string =>
  createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex');

/** @param text public key in PEM, or SPKI in DER as base64. @throws UnreadableSealError */
export function readPublicKey(text: string): KeyObject {
  if (text.includes('PRIVATE KEY'))
    throw new UnreadableSealError(
      'it is a private key, which must stay secret: openssl pkey -pubout makes the public one',
    );
  try {
    const key = text.includes('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text.trim(), 'base64'), type: 'spki', format: 'der' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error below says what is expected.
  }
  throw new UnreadableSealError('the public key is not an Ed25519 key in PEM, or SPKI in DER as base64');
}

/**
 * Returns a message if the seal is of another log, otherwise undefined. Call this before anything else is compared, because such
 * a seal says nothing about the log.
 * @param logId undefined if the log does not name itself
 */
export function ofAnotherLog({ log_id, sealed_at }: Pick<Seal, 'log_id' | 'sealed_at'>, logId: string | undefined) {
  if (log_id === logId) return undefined;
  const other = logId === undefined ? 'this log has no name' : `this log is ${logId}`;
  return `the seal of ${sealed_at} is of the log ${log_id}, and ${other}: it says nothing about this log`;
}

const earlierFormat = 'audience-ledger-seal/1';
const earlierSchema = z.strictObject({
  format: z.literal(earlierFormat),
  log_id: signedMembers.log_id,
  count: signedMembers.count,
  position: z.string().regex(/^[!-~]{1,64}$/),
  event_id: z.string().regex(/^[0-9a-f-]{36}$/),
  head: sha256Hex,
  root: sha256Hex,
  sealed_at: signedMembers.sealed_at,
  public_key: signedMembers.public_key,
  signature,
});
type EarlierSeal = Readonly<z.output<typeof earlierSchema>>;

/** A seal with which a log is compared: of this format, or of format 1, which has no number and does not count restores. */
export type KnownSeal = Pick<Seal, 'log_id' | 'count' | 'root' | 'sealed_at' | 'public_key'> & {
  readonly seq: number;
  /** Null in format 1. */
  readonly restores: number | null;
  readonly final: boolean;
};

export const isOfPresentFormat = (seal: KnownSeal): seal is Seal => seal.restores !== null;

/** A seal as it was read, with the check of its signature, which takes longer than reading it. */
interface ParsedSeal {
  readonly seal: KnownSeal;
  isSigned(): boolean;
}

/** Reads a seal of this format or of format 1, which is read until version 1.0. @throws SealError */
export function parseKnownSeal(text: string): ParsedSeal {
  if (!text.includes(earlierFormat)) {
    const seal = parseSeal(text);
    return { seal, isSigned: () => isSigned(seal) };
  }
  const earlier = parseAs(earlierSchema, earlierFormat, text);
  const { log_id, count, root, sealed_at, public_key } = earlier;
  return {
    seal: { log_id, seq: 0, restores: null, count, root, final: false, sealed_at, public_key },
    isSigned: () => isSigned(earlier),
  };
}

export const wrongSignature = 'its signature does not match: the seal was altered';

/** Reads a seal and checks its signature. @throws SealError */
export function readSignedSeal(text: string): KnownSeal {
  const parsed = parseKnownSeal(text);
  if (!parsed.isSigned()) throw new SealError(wrongSignature);
  return parsed.seal;
}
