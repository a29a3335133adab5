/** Contacts in bulk: each line of a body is an upsert of its own, answered with a line of its own, in order. */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UpsertedContact } from '../commands/audience.js';
import { errorCatalogue, ServiceError } from '../errors.js';
import { isUnreadable } from '../events/codec.js';
import { inOrder } from '../transfer/in-order.js';
import { isObject } from './envelope.js';
import type { Values } from './parse.js';

/** Lines under way. More would be no faster, and others would wait longer for the disk. */
const atOnce = 32;
/** Lines after which other requests get their turn. */
const linesPerTurn = 2;
/** Lines after which a bulk waits as a single write does where the views lag. */
const portion = 64;
/** Bytes, as of a single upsert. */
const longestLine = 256 * 1024;
/** Characters of the answer that are sent at once. */
const pieceLength = 4 * 1024;

interface BulkOptions<Contact> {
  /** @throws ServiceError */
  readonly parse: (line: Values) => Contact;
  /** Lines with the same are saved one after the other. */
  readonly streamOf: (contact: Contact) => string;
  /** Undefined: a dry run. */
  readonly save: ((contact: Contact, isLikelyNew: boolean) => Promise<UpsertedContact>) | undefined;
  readonly admit: () => Promise<void> | undefined;
}

type Result =
  | { readonly outcome: 'valid' }
  | ({ readonly outcome: UpsertedContact['outcome'] } & Readonly<Record<'contact_id' | 'status' | 'position', string>>)
  | {
      readonly outcome: 'refused' | 'unavailable';
      readonly error: { readonly type: string; readonly message: string };
    };

export async function* bulkAnswer<Contact>(body: Buffer, options: BulkOptions<Contact>): AsyncGenerator<string> {
  const { parse, streamOf, save, admit } = options;
  const underWay = new Map<string, Promise<Result>>();
  let fault: ServiceError | undefined;
  /** As the last one was: files are mostly all new or all known. */
  let isLikelyNew = true;

  async function saveNow(contact: Contact): Promise<Result> {
    if (save === undefined) return { outcome: 'valid' };
    // The store has failed before: the rest is not tried, so that the client hears of it soon.
    if (fault !== undefined) return failure(fault);
    try {
      const { outcome, contactId: contact_id, status, position } = await save(contact, isLikelyNew);
      isLikelyNew = outcome === 'created';
      return { outcome, contact_id, status, position };
    } catch (error) {
      const known = error instanceof ServiceError ? error : new ServiceError('internal', {}, { cause: error });
      if (isOutage(known)) fault = known;
      return failure(known);
    }
  }

  function saveInTurn(contact: Contact): Promise<Result> {
    const stream = streamOf(contact);
    const before = underWay.get(stream);
    const saved = before === undefined ? saveNow(contact) : before.then(() => saveNow(contact));
    underWay.set(stream, saved);
    void saved.then(() => {
      if (underWay.get(stream) === saved) underWay.delete(stream);
    });
    return saved;
  }

  async function answer({ number, bytes }: Line): Promise<string> {
    let result: Result;
    try {
      result = await saveInTurn(parse(objectIn(bytes)));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      result = failure(error);
    }
    return `${JSON.stringify({ line: number, ...result })}\n`;
  }

  let piece = '';
  for await (const text of inOrder(linesIn(body, admit), atOnce, answer)) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function failure(error: ServiceError): Result {
  const { type } = errorCatalogue[error.code];
  return { outcome: isOutage(error) ? 'unavailable' : 'refused', error: { type, message: error.message } };
}

/** A contact with an event that cannot be read stays unavailable by itself, until somebody acts: no reason to stop. */
const isOutage = ({ code, cause }: ServiceError): boolean => code === 'unavailable' && !isUnreadable(cause);

interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Numbered from 1; blank lines count, but are left out. */
async function* linesIn(body: Buffer, admit: () => Promise<void> | undefined): AsyncGenerator<Line> {
  let number = 0;
  for (let start = 0; start < body.length;) {
    number += 1;
    if (number % linesPerTurn === 0) await nextTurn();
    if (number % portion === 0) await admit();
    const feed = body.indexOf('\n', start);
    const end = feed < 0 ? body.length : feed;
    const bytes = body.subarray(start, end);
    start = end + 1;
    if (!bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) yield { number, bytes };
  }
}

function objectIn(bytes: Buffer): Values {
  if (bytes.length > longestLine) throw new ServiceError('too_large');
  let value: unknown;
  try {
    value = isUtf8(bytes) ? JSON.parse(bytes.toString('utf8')) : undefined;
  } catch {
    value = undefined;
  }
  if (!isObject(value)) throw new ServiceError('invalid_json');
  return value;
}
