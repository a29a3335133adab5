/** Stream names and the keyed hashes behind them. No stream name tells who it is about. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { comparedAddress } from './address.js';

export const groupsStream = 'groups';
export const listsStream = 'lists';
export const tagsStream = 'tags';
export const catalogueStreams: ReadonlySet<string> = new Set([groupsStream, listsStream, tagsStream]);
export const keysStream = 'keys';
export const erasuresStream = 'erasures';
/** Returns the stream of reads on a day. @param day `YYYY-MM-DD` in UTC, or `undatedAccess` */
export const accessStream = (day: string): string => `access-${day}`;
/** In place of the day, for reads that were recorded while the clock of the service was wrong. */
export const undatedAccess = 'undated';
const contactPrefix = 'contact-';
const emailPrefix = 'email-';
export const suppressionPrefix = 'suppression-';

/** Keyed hashes, each the first 32 hex characters of an HMAC-SHA-256 under its own key. */
export interface StreamKeys {
  contactKey(address: string): string;
  /** Key of an e-mail: over the caller's idempotency key, else over the e-mail id. */
  emailKey(source: { readonly idempotencyKey: string } | { readonly emailId: string }): string;
  /** Hash of the idempotency key of a create: never that of an e-mail's stream. */
  creationKey(idempotencyKey: string): string;
  /** Hash under which two requests are the same request. With a salt nothing can be guessed from it once the salt is gone. */
  requestHash(fields: readonly unknown[], salt?: string): string;
  /** Tells whether two starts used the same secret, and nothing else about it. */
  fingerprint(logId: string): string;
  /** Proof that this service sent the e-mail, for its return path: 80 bits in hex. */
  returnPathMac(emailId: string): string;
  /** The same proof for the header of the email. It is another MAC, so neither proof can be used in place of the other. */
  emailHeaderMac(emailId: string): string;
}

/** Derives the keys of a deployment from its secret (HKDF-SHA-256 over the UTF-8 bytes, empty salt, 32 bytes each). The labels are for ever. */
export function deriveStreamKeys(secret: string): StreamKeys {
  const derive = (label: string): KeyObject => createSecretKey(derived(secret, label));
  const stream = keyedHash(derive('audience/stream/1'));
  const idempotency = keyedHash(derive('audience/idempotency/1'));
  const request = keyedHash(derive('audience/request/1'));
  const fingerprint = keyedHash(derive('audience/fingerprint/1'));
  const returnPath = keyedHash(derive('audience/return-path/1'));
  const emailHeader = keyedHash(derive('audience/email-header/1'));
  return {
    contactKey: (address) => stream(comparedAddress(address)),
    emailKey: (source) => idempotency('emailId' in source ? `id:${source.emailId}` : `key:${source.idempotencyKey}`),
    creationKey: (idempotencyKey) => idempotency(`create:${idempotencyKey}`),
    requestHash: (fields, salt = '') => request(salt + JSON.stringify(fields)),
    fingerprint,
    returnPathMac: (emailId) => returnPath(emailId).slice(0, 20),
    emailHeaderMac: (emailId) => emailHeader(emailId).slice(0, 20),
  };
}

/** Returns the key of the MAC of `LogRestored` (src/integrity/restores.ts). */
export const deriveRestoredKey = (secret: string): KeyObject => createSecretKey(derived(secret, 'audience/restored/1'));

/** Returns the key of the MAC of a line of the register (src/recovery/register-line.ts). */
export const deriveRegisterKey = (secret: string): KeyObject => createSecretKey(derived(secret, 'audience/register/1'));

/** Returns the key with which a service proves that it has the secret (src/stores/identity.ts). */
export const deriveIdentityKey = (secret: string): KeyObject => createSecretKey(derived(secret, 'audience/identity/1'));

/** Returns the key of the links with which recipients refuse mail (unsubscribe-token.ts). */
export const deriveUnsubscribeKey = (secret: string): KeyObject =>
  createSecretKey(derived(secret, 'audience/unsubscribe/1'));

/** Returns the key of the MAC of a backup's manifest (src/recovery/manifest.ts). */
export const deriveManifestKey = (secret: string): KeyObject =>
  createSecretKey(derived(secret, 'audience/backup-manifest/1'));

const derived = (secret: string, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'utf8'), Buffer.alloc(0), Buffer.from(label, 'utf8'), 32));

/** The first 32 hex characters of HMAC-SHA-256 over the text's UTF-8 bytes. */
const keyedHash =
  (key: KeyObject) =>
  (text: string): string =>
    createHmac('sha256', key).update(text, 'utf8').digest('hex').slice(0, 32);

export const contactStream = (key: string): string => contactPrefix + key;
export const isContactStream = (stream: string): boolean => stream.startsWith(contactPrefix);
/** What e-mails call their recipient, by the stream that the person has or would have as a contact. */
export const recipientOf = (contact: string): string => contact.slice(contactPrefix.length);
export const emailStream = (key: string): string => emailPrefix + key;
export const isEmailStream = (stream: string): boolean => stream.startsWith(emailPrefix);
/** What the address of this contact key refuses, also where there is no contact. */
export const suppressionStream = (contactKey: string): string => suppressionPrefix + contactKey;
export const isSuppressionStream = (stream: string): boolean => stream.startsWith(suppressionPrefix);
/** The contact key in such a name. */
export const suppressedKey = (stream: string): string => stream.slice(suppressionPrefix.length);
/** The key of the person that a stream is about. Undefined: its name does not tell; so it is with e-mails. */
export function personOf(stream: string): string | undefined {
  if (isContactStream(stream)) return recipientOf(stream);
  return isSuppressionStream(stream) ? suppressedKey(stream) : undefined;
}
