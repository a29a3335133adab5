/** Contacts in bulk: each line of a body is an upsert of its own, answered with a line of its own, in order. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { UpsertedContact } from '../../../commands/audience.js';
import { errorCatalogue, ServiceError } from '../../../errors.js';
import { isUnreadable } from '../../../events/codec.js';
import { inOrder } from '../../../flow/batches.js';
import { defaultBodyLimit, parseObject } from '../../http/body.js';
import type { Values } from '../../http/parse.js';
import type { bulkLine } from './endpoints.js';

/** Lines under way. More would be no faster, and others would wait longer for the disk. */
const atOnce = 16;
/** Lines after which a bulk waits as a single write does where the views lag. */
const portion = 64;
/** Characters of the answer that are sent at once. */
const pieceLength = 4 * 1024;
const lineFeed = 0x0a;

interface BulkOptions<Contact> {
  /** @throws ServiceError */
  readonly parse: (line: Values) => Contact;
  /** Lines of one stream are saved one after the other. */
  readonly streamOf: (contact: Contact) => string;
  /** Undefined: a dry run. */
  readonly save: ((contact: Contact, isLikelyNew: boolean) => Promise<UpsertedContact>) | undefined;
  readonly admit: () => Promise<void> | undefined;
  /** Called with the cause of each `internal` error. */
  readonly onFault: (fault: unknown) => void;
}

type BulkLine = z.output<typeof bulkLine>;

export async function* bulkAnswer<Contact>(body: Buffer, options: BulkOptions<Contact>): AsyncGenerator<string> {
  const { parse, streamOf, save, admit, onFault } = options;
  const underWay = new Map<string, Promise<BulkLine>>();
  let fault: ServiceError | undefined;
  /** Guessed from the line before: files are mostly all new or all known. */
  let isLikelyNew = true;

  function failure(line: number, error: unknown): BulkLine {
    const known = error instanceof ServiceError ? error : new ServiceError('internal', {}, { cause: error });
    if (known.code === 'internal') onFault(error);
    if (isOutage(known)) fault = known;
    const { type } = errorCatalogue[known.code];
    const outcome = isOutage(known) ? 'unavailable' : 'refused';
    return { line, outcome, error: { type, message: known.message } };
  }

  async function saveNow(line: number, contact: Contact): Promise<BulkLine> {
    if (save === undefined) return { line, outcome: 'valid' };
    // A store has failed: the rest is not tried, so that the answer ends soon.
    if (fault !== undefined) return failure(line, fault);
    try {
      const { outcome, contactId: contact_id, status, position } = await save(contact, isLikelyNew);
      isLikelyNew = outcome === 'created';
      return { line, outcome, contact_id, status, position };
    } catch (error) {
      return failure(line, error);
    }
  }

  function saveInTurn(line: number, contact: Contact): Promise<BulkLine> {
    const stream = streamOf(contact);
    const before = underWay.get(stream);
    const saved = before === undefined ? saveNow(line, contact) : before.then(() => saveNow(line, contact));
    underWay.set(stream, saved);
    void saved.then(() => {
      if (underWay.get(stream) === saved) underWay.delete(stream);
    });
    return saved;
  }

  async function answer({ number, bytes }: Line): Promise<BulkLine> {
    try {
      return await saveInTurn(number, parse(objectIn(bytes)));
    } catch (error) {
      return failure(number, error);
    }
  }

  let piece = '';
  for await (const line of inOrder(linesIn(body, admit), atOnce, answer)) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** A contact with an unreadable event is unavailable by itself: other lines can still be saved. */
const isOutage = ({ code, cause }: ServiceError): boolean => code === 'unavailable' && !isUnreadable(cause);

interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Numbered from 1; blank lines count, but are left out. */
async function* linesIn(body: Buffer, admit: () => Promise<void> | undefined): AsyncGenerator<Line> {
  let number = 1;
  let taken = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === lineFeed) number += 1;
    if (byte === lineFeed || byte === 0x20 || byte === 0x09 || byte === 0x0d) continue;
    taken += 1;
    // Other requests get their turn before each line.
    await nextTurn();
    if (taken % portion === 0) await admit();
    const end = body.indexOf(lineFeed, at);
    const bytes = body.subarray(at, end < 0 ? body.length : end);
    yield { number, bytes };
    at += bytes.length - 1;
  }
}

function objectIn(bytes: Buffer): Values {
  if (bytes.length > defaultBodyLimit) throw new ServiceError('too_large');
  return parseObject(bytes);
}
