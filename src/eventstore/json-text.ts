/** Finds the members of a JSON object in its text, without parsing what they hold: evidence is about the bytes as stored. */

export interface MemberSpan {
  /** The name as it is written, without its quotes; escapes are not resolved. */
  readonly name: string;
  /** Where the text of the value begins and ends. */
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The raw text of each member's value, by name. Of a name that comes twice the last one counts, as in JSON.parse.
 * @throws SyntaxError when the text is not a JSON object.
 */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  // The whole grammar; the spans are then those of a valid text.
  const value: unknown = JSON.parse(text);
  const spans = typeof value === 'object' && value !== null && !Array.isArray(value) ? memberSpans(text) : undefined;
  if (spans === undefined) throw new SyntaxError('not a JSON object');
  return new Map(spans.map(({ name, start, end }) => [plainName(name), text.slice(start, end)]));
}

/**
 * The members of an object in their order, names that come twice included; undefined when the text has not the outline of
 * an object. It looks at the outline only: a valid JSON text is cut rightly, an invalid one somehow.
 */
export function memberSpans(text: string): MemberSpan[] | undefined {
  const spans: MemberSpan[] = [];
  let at = afterSpace(text, 0);
  if (text.charCodeAt(at) !== openBrace) return undefined;
  at = afterSpace(text, at + 1);
  if (text.charCodeAt(at) === closeBrace) return isOver(text, at + 1) ? spans : undefined;
  for (;;) {
    const span = memberAt(text, at);
    if (span === undefined) return undefined;
    spans.push(span);
    at = afterSpace(text, span.end);
    if (text.charCodeAt(at) === closeBrace) return isOver(text, at + 1) ? spans : undefined;
    if (text.charCodeAt(at) !== comma) return undefined;
    at = afterSpace(text, at + 1);
  }
}

const few = 16;

/** Of two members with one name some programs read the first and some the last. */
export function hasRepeatedName(spans: readonly MemberSpan[]): boolean {
  if (spans.length > few) return new Set(spans.map(({ name }) => plainName(name))).size < spans.length;
  // Without anything made for it: every event is asked for this.
  return spans.some(({ name }, at) => {
    const plain = plainName(name);
    for (let before = 0; before < at; before += 1) if (plainName(spans[before]?.name ?? '') === plain) return true;
    return false;
  });
}

function memberAt(text: string, at: number): MemberSpan | undefined {
  if (text.charCodeAt(at) !== quote) return undefined;
  const nameEnd = afterString(text, at);
  if (nameEnd === undefined) return undefined;
  const between = afterSpace(text, nameEnd);
  if (text.charCodeAt(between) !== colon) return undefined;
  const start = afterSpace(text, between + 1);
  const end = afterValue(text, start);
  return end === undefined || end === start ? undefined : { name: text.slice(at + 1, nameEnd - 1), start, end };
}

/** Without the bit 0x20, `{` is `[` and `}` is `]`. */
const isOpening = (code: number): boolean => (code & 0xdf) === 0x5b;
const isClosing = (code: number): boolean => (code & 0xdf) === 0x5d;

function afterValue(text: string, start: number): number | undefined {
  const first = text.charCodeAt(start);
  if (first === quote) return afterString(text, start);
  return isOpening(first) ? afterNested(text, start) : afterScalar(text, start);
}

function afterNested(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = afterString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function afterScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
  return at;
}

/** The place behind the closing quote of the string that begins at `at`. */
function afterString(text: string, at: number): number | undefined {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    // An odd number of backslashes escapes the quote.
    if ((end - before) % 2 === 1) return end + 1;
  }
  return undefined;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

const isOver = (text: string, at: number): boolean => afterSpace(text, at) === text.length;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const endsScalar = (code: number): boolean => code === comma || isClosing(code) || isSpace(code);

/** The name of a span with its escapes resolved. */
export function plainName(name: string): string {
  if (!name.includes('\\')) return name;
  const plain: unknown = JSON.parse(`"${name}"`);
  return typeof plain === 'string' ? plain : name;
}
