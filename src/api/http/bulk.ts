/** Writes in bulk: each line of a body is a request of its own, answered with a line of its own, in order. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorCatalogue, ServiceError } from '../../errors.js';
import { isUnreadable } from '../../events/codec.js';
import { createKeyedQueue } from '../../flow/serial.js';
import { inBatches, inOrder } from '../../flow/batches.js';
import { createLine, createSlots } from '../../flow/slots.js';
import { defaultBodyLimit, parseObject, readLines } from './body.js';
import type { Call } from './call.js';
import { isUnavailable } from './envelope.js';
import type { Values } from './parse.js';
import type { StreamedAnswer } from './send.js';

/** Bounds the bodies in memory. Further requests wait in line, their bodies unread, for as long as their clients wait. */
const bulkSlots = { running: 32, runningOfKey: 4, waiting: 1_000, retryAfter: 5 };

/** The most bytes of a body of lines. */
const bulkLimit = 10 * 1024 * 1024;

/** The most lines of one body, not counting blank ones. */
const mostLines = 200_000;

interface BulkParts {
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
  readonly stopping: AbortSignal;
}

type Bulk<Item> = Pick<BulkOptions<Item>, 'parse' | 'addressOf' | 'save'>;

/**
 * Answers requests whose body consists of lines.
 * @throws ServiceError as `readLines`; `too_large` if the body has too many lines, before any is saved; `unavailable`
 * @throws RequestAbortedError if the client goes away
 */
export function createBulks(name: string, { admit, stopping }: BulkParts) {
  const slots = createSlots(name, { ...bulkSlots, line: createLine(bulkSlots.waiting) });
  return async <Item>(
    { request, signal }: Pick<Call, 'request' | 'signal'>,
    { save, ...bulk }: Bulk<Item>,
  ): Promise<StreamedAnswer> => {
    const close = await slots.take(signal());
    try {
      const body = await readLines(request, bulkLimit);
      if (hasMoreLines(body, mostLines)) throw new ServiceError('too_large');
      let fault: unknown;
      const pieces = bulkAnswer(body, {
        ...bulk,
        onFault: (first) => (fault ??= first),
        admit: () => (stopping.aborted ? undefined : admit()),
        save:
          save === undefined
            ? undefined
            : async (item, isLikelyNew) => {
                if (stopping.aborted) throw new ServiceError('unavailable');
                return await save(item, isLikelyNew);
              },
      });
      return { contentType: 'application/x-ndjson', pieces, close, fault: () => fault };
    } catch (error) {
      close();
      throw error;
    }
  };
}

/** What is parsed and decided in one turn; then other requests get theirs. With more a bulk is little faster, and they wait longer. */
const portion = { items: 16, size: 64 * 1024, sizeOf: ({ bytes }: Line) => bytes.length };
/** Portions under way. While one commits the next are read; what waits for the log then goes into one commit. */
const atOnce = 4;
/** Characters of the answer that are sent at once. */
const pieceLength = 16 * 1024;
const lineFeed = 0x0a;

/** What stands in the line of the answer beside its number. */
interface Saved {
  readonly outcome: string;
}

interface BulkOptions<Item> {
  /** @throws ServiceError */
  readonly parse: (line: Values) => Item;
  /** Lines of one address are saved one after the other. */
  readonly addressOf: (item: Item) => string;
  /** Undefined: a dry run. */
  readonly save: ((item: Item, isLikelyNew: boolean) => Promise<Saved>) | undefined;
  /** Called before each portion: a bulk waits as a single write does where the views lag. */
  readonly admit: () => Promise<void> | undefined;
  /** Called with the cause of each `internal` error. */
  readonly onFault: (fault: unknown) => void;
}

interface BulkLine extends Saved {
  readonly line: number;
  readonly error?: { readonly type: string; readonly message: string };
}

export async function* bulkAnswer<Item>(body: Buffer, options: BulkOptions<Item>): AsyncGenerator<string> {
  const { parse, addressOf, save, admit, onFault } = options;
  const queue = createKeyedQueue<string>();
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

  async function saveNow(line: number, item: Item): Promise<BulkLine> {
    if (save === undefined) return { line, outcome: 'valid' };
    // A store has failed: the rest is not tried, so that the answer ends soon.
    if (fault !== undefined) return failure(line, fault);
    try {
      const saved = await save(item, isLikelyNew);
      isLikelyNew = saved.outcome === 'created';
      return { line, ...saved };
    } catch (error) {
      return failure(line, error);
    }
  }

  const saveInTurn = (line: number, item: Item): Promise<BulkLine> =>
    queue.run([addressOf(item)], () => saveNow(line, item));

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

/** One with an unreadable event is unavailable by itself: other lines can still be saved. */
const isOutage = ({ code, cause }: ServiceError): boolean => isUnavailable(code) && !isUnreadable(cause);

interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** Returns whether a body has more than `most` lines that are not blank. */
function hasMoreLines(body: Buffer, most: number): boolean {
  let count = 0;
  for (const _ of linesIn(body)) if ((count += 1) > most) return true;
  return false;
}

/** Yields the lines that are not blank, with their numbers. Blank lines are counted, too. */
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
