/** One line of an export of events: what it says, and what is wrong with it. Nothing of it is shown, for it holds personal data. */
import { z } from 'zod';
import type { EventToAppend } from '../eventstore/event-store.js';
import { isCanonicalJson } from '../eventstore/validate-append.js';

export interface ImportedLine extends EventToAppend {
  /** Of the whole log, from 1. */
  readonly ordinal: number;
  readonly stream: string;
  readonly revision: bigint;
  /** Only in an export of an earlier version: see links-of-earlier-exports.ts. */
  readonly chain: string | undefined;
}

/** The line cannot be imported; the message says why, and follows the number of the line. */
export class BadLineError extends Error {
  override readonly name = 'BadLineError';
}

const text = z.string('that is no text').min(1, 'that is no text');
const wholeNumber = z.int('that is no whole number').nonnegative('that is no whole number');
const object = z.custom<object>(isObject, 'that is no JSON object');

const lineSchema = z.strictObject({
  ordinal: wholeNumber,
  /** That of the log that was exported; the target gives its own. */
  position: text,
  stream: text,
  revision: wholeNumber,
  event_id: text,
  type: text,
  data: object,
  metadata: object,
  chain: text.optional(),
});

/** @throws BadLineError */
export function parseLine(line: string): ImportedLine {
  const value = objectIn(line);
  if ('cut_at' in value)
    throw new BadLineError(
      'says that the export was cut at a time: it is a part of a log, and only a whole one can be imported',
    );
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) throw new BadLineError(wordsFor(parsed.error.issues[0], value));
  // Only canonical text, so that what the line holds is what it was byte for byte, and can be read in one way only.
  if (!isCanonicalJson(line))
    throw new BadLineError(
      'is not canonical JSON, as JSON.stringify(JSON.parse(line)) makes it: there are spaces, a member that comes twice, or another spelling of a number or a character',
    );
  const { ordinal, stream, revision, event_id: id, type, data, metadata, chain } = parsed.data;
  return {
    ordinal,
    stream,
    revision: BigInt(revision),
    id,
    type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
    chain,
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectIn(line: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // The parser's message quotes the line.
  }
  throw new BadLineError('is no JSON object');
}

function wordsFor(issue: z.core.$ZodIssue | undefined, line: object): string {
  const name = String(issue?.path[0]);
  if (issue?.code === 'unrecognized_keys') return 'has a member that no event has, and that would be lost';
  return Object.hasOwn(line, name) ? `has a ${name} ${issue?.message}` : `has no ${name}`;
}
