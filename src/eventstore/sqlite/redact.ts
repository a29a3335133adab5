/**
 * Redaction in the file of the embedded log: a row is overwritten in place, with as many bytes as before. `secure_delete`
 * alone does not do: where a row grows or shrinks, SQLite moves the rows beside it to other pages, and leaves bytes of them
 * where they were. So blanks follow the data of an event, as many as are needed.
 */
import { Buffer } from 'node:buffer';
import type { Database } from '../../sqlite/database.js';
import { withDigests } from '../leaf.js';
import type { RedactionResult, Redaction } from './messages.js';

/** Data as it is stored: long enough for the digests that may take the place of personal data. */
export const withRoom = (data: string, digested: string): string =>
  digested === data ? data : padded(data, Buffer.byteLength(digested));

const padded = (data: string, bytes: number): string => data + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(data)));

/** Data as they were appended. */
export function unpadded(stored: string): string {
  let end = stored.length;
  while (stored.charCodeAt(end - 1) === 0x20) end -= 1;
  return stored.slice(0, end);
}

/** Events of one transaction: appends wait for its end. */
const eventsAtOnce = 250;

/** To be called in a transaction. */
export function createRedactor(db: Database): (redactions: readonly Redaction[]) => readonly RedactionResult[] {
  const eventsOf = db.prepareValue<[string, number, number, number], number>(
    'select position from events where stream_id = (select id from streams where name = ?) and revision between ? and ? order by revision limit ?',
  );
  const dataAt = db.prepareValue<[number], string>('select data from events where position = ?');
  const replace = db.prepare<[string, number]>('update events set data = ? where position = ?');

  function redactAt(position: number): boolean {
    const stored = dataAt.get(position) ?? '';
    const data = unpadded(stored);
    const digested = withDigests(data);
    if (digested === data) return false;
    // The leaf of an event is made of this.
    if (withDigests(digested) !== digested)
      throw new Error(`event ${position} cannot be redacted: its leaf would change`);
    return replace.run(padded(digested, Buffer.byteLength(stored)), position).changes === 1;
  }

  return (redactions) => {
    let left = eventsAtOnce;
    return redactions.map(({ stream, from, through }) => {
      const looked = eventsOf.all(stream, from, through, left);
      left -= looked.length;
      return { changed: looked.filter(redactAt).length, next: left > 0 ? undefined : from + looked.length };
    });
  };
}
