/** One line of an export of events: what it says, and what is wrong with it. Nothing of it is shown, for it holds personal data. */
import { validateAppend } from '../eventstore/validate-append.js';
import type { EventToAppend } from '../eventstore/event-store.js';
import { hasRepeatedName, memberSpans, memberTexts } from '../eventstore/json-text.js';

export interface ImportedLine extends EventToAppend {
  /** Of the whole log, from 1. */
  readonly ordinal: number;
  readonly stream: string;
  readonly revision: bigint;
  /** The event's link in the evidence chain, in hex, where the export tells it. */
  readonly chain: string | undefined;
}

/** The line is none that can be imported; the message says why, and follows the number of the line. */
export class BadLineError extends Error {
  override readonly name = 'BadLineError';
}

/** `position` is that of the log that was exported; another one gives its own. */
const members = new Set(['ordinal', 'position', 'stream', 'revision', 'event_id', 'type', 'data', 'metadata', 'chain']);

/** @throws BadLineError */
export function parseLine(line: string): ImportedLine {
  const texts = textsOf(line);
  if (texts.has('cut_at'))
    throw new BadLineError(
      'says that the export was cut at a time: it is a part of a log, and only a whole one can be imported',
    );
  for (const name of texts.keys())
    if (!members.has(name)) throw new BadLineError('has a member that no event has, and that would be lost');
  textIn(texts, 'position');
  const stream = textIn(texts, 'stream');
  const event: EventToAppend = {
    id: textIn(texts, 'event_id'),
    type: textIn(texts, 'type'),
    data: objectIn(texts, 'data'),
    metadata: objectIn(texts, 'metadata'),
  };
  demandAcceptable(stream, event);
  const chain = texts.has('chain') ? textIn(texts, 'chain') : undefined;
  return {
    ordinal: Number(numberIn(texts, 'ordinal')),
    stream,
    revision: numberIn(texts, 'revision'),
    ...event,
    chain,
  };
}

type Texts = ReadonlyMap<string, string>;

function textsOf(line: string): Texts {
  let texts: Texts;
  try {
    texts = memberTexts(line);
  } catch {
    // What the parser says quotes the line.
    throw new BadLineError('is no JSON object');
  }
  demandNames(line, '');
  return texts;
}

/** Of two members with one name other programs read another one than this. */
function demandNames(object: string, where: string): void {
  if (hasRepeatedName(object, memberSpans(object) ?? [])) throw new BadLineError(`has a member twice${where}`);
}

function valueIn(texts: Texts, name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new BadLineError(`has no ${name}`);
  return text;
}

function textIn(texts: Texts, name: string): string {
  const value: unknown = JSON.parse(valueIn(texts, name));
  if (typeof value === 'string' && value !== '') return value;
  throw new BadLineError(`has a ${name} that is no text`);
}

function numberIn(texts: Texts, name: string): bigint {
  const text = valueIn(texts, name);
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  throw new BadLineError(`has a ${name} that is no whole number`);
}

/** As it stands in the line, byte for byte. */
function objectIn(texts: Texts, name: string): string {
  const text = valueIn(texts, name);
  if (!text.startsWith('{')) throw new BadLineError(`has ${name} that is no JSON object`);
  demandNames(text, ` in its ${name}`);
  return text;
}

function demandAcceptable(stream: string, event: EventToAppend): void {
  try {
    validateAppend(stream, [event], 'no_stream');
  } catch (error) {
    if (error instanceof TypeError) throw new BadLineError(`is refused by every store: ${error.message}`);
    throw error;
  }
}
