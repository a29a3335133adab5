/** Contacts in bulk: each line of a body is an upsert of its own, answered with a line of its own, in order. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { UpsertedContact } from '../../../commands/audience.js';
import { errorCatalogue, ServiceError } from '../../../errors.js';
import { isUnreadable } from '../../../events/codec.js';
import { inBatches, inOrder } from '../../../flow/batches.js';
import { defaultBodyLimit, parseObject } from '../../http/body.js';
import type { Values } from '../../http/parse.js';
import type { bulkLine } from './endpoints.js';

/** What is parsed and decided in one turn; then other requests get theirs. With more a bulk is little faster, and they wait longer. */
const portion = { items: 16, size: 64 * 1024, sizeOf: ({ bytes }: Line) => bytes.length };
/** Portions under way. While one commits the next are read; what waits for the log then goes into one commit. */
const atOnce = 4;
/** Characters of the answer that are sent at once. */
const pieceLength = 16 * 1024;
const lineFeed = 0x0a;

interface BulkOptions<Contact> {
  /** @throws ServiceError */
  readonly parse: (line: Values) => Contact;
  /** Lines of one address are saved one after the other. */
  readonly addressOf: (contact: Contact) => string;
  /** Undefined: a dry run. */
  readonly save: ((contact: Contact, isLikelyNew: boolean) => Promise<UpsertedContact>) | undefined;
  /** Called before each portion: a bulk waits as a single write does where the views lag. */
  readonly admit: () => Promise<void> | undefined;
  /** Called with the cause of each `internal` error. */
  readonly onFault: (fault: unknown) => void;
}

type BulkLine = z.output<typeof bulkLine>;

export async function* bulkAnswer<Contact>(body: Buffer, options: BulkOptions<Contact>): AsyncGenerator<string> {
  const { parse, addressOf, save, admit, onFault } = options;
  const underWay = new Map<string, Promise<BulkLine>>();
  let fault: ServiceError | undefined;
  /** Guessed from the last line that was answered: files are mostly all new or all known. */
  let isLikelyNew = false;

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

  async function saveInTurn(line: number, contact: Contact): Promise<BulkLine> {
    const address = addressOf(contact);
    const before = underWay.get(address);
    const saved = before === undefined ? saveNow(line, contact) : before.then(() => saveNow(line, contact));
    underWay.set(address, saved);
    const answered = await saved;
    if (underWay.get(address) === saved) underWay.delete(address);
    return answered;
  }

  async function answer({ number, bytes }: Line): Promise<string> {
    let answered: BulkLine;
    try {
      answered = await saveInTurn(number, parse(objectIn(bytes)));
    } catch (error) {
      answered = failure(number, error);
    }
    return `${JSON.stringify(answered)}\n`;
  }

  async function* portions(): AsyncGenerator<readonly Line[]> {
    for await (const lines of inBatches(linesIn(body), portion)) {
      await nextTurn();
      await admit();
      yield lines;
    }
  }

  let piece = '';
  for await (const lines of inOrder(portions(), atOnce, (lines) => Promise.all(lines.map(answer)))) {
    piece += lines.join('');
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
function* linesIn(body: Buffer): Generator<Line> {
  let number = 1;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === lineFeed) number += 1;
    if (byte === lineFeed || byte === 0x20 || byte === 0x09 || byte === 0x0d) continue;
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
