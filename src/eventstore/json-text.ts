/** Finds the members of a JSON object in its text, without parsing their values, because a leaf is a hash over the text as it is stored. */

/** Where a member is. Holds offsets only, because copying every name costs more than finding it. */
export interface MemberSpan {
  /** Where the name begins, as it is written, without its quotes, and where it ends. */
  readonly from: number;
  readonly to: number;
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
 * The members of an object in their order, repeated names included; undefined when the text is not an object in
 * outline. Only the outline is looked at: valid JSON is cut correctly, invalid JSON somehow.
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

/** Returns whether two members have one name. Some programs then read the first value, and some the last. */
function hasRepeatedName(text: string, spans: readonly MemberSpan[]): boolean {
  if (spans.length > few || text.includes('\\'))
    return new Set(spans.map((span) => nameOf(text, span))).size < spans.length;
  for (let later = 1; later < spans.length; later += 1)
    for (let earlier = 0; earlier < later; earlier += 1)
      if (areNamedAlike(text, spans[earlier], spans[later])) return true;
  return false;
}

const few = 16;

/** `none`: the text is not an object in outline. */
type Names = 'unique' | 'repeated' | 'none';

/** Layouts that are kept, so that a log with many kinds of events cannot fill the memory. */
const mostLayouts = 200;

/**
 * Creates a function that tells whether the names in a text are unique. It keeps the layout of the first text of each kind
 * and looks at members only in texts with another layout, because this takes a quarter of the time.
 */
export function createNameCheck(): (kind: string, text: string) => Names {
  const layouts = new Map<string, RegExp>();
  return (kind, text) => {
    const layout = layouts.get(kind);
    if (layout?.test(text) === true) return 'unique';
    const spans = memberSpans(text);
    if (spans === undefined) return 'none';
    if (hasRepeatedName(text, spans)) return 'repeated';
    if (layout === undefined && layouts.size < mostLayouts) layouts.set(kind, layoutOf(text, spans));
    return 'unique';
  };
}

/** Returns an expression that matches texts with the same names in the same order, up to some kinds of values. */
function layoutOf(text: string, spans: readonly MemberSpan[]): RegExp {
  const members = spans.map(
    ({ from, to }) => `"${text.slice(from, to).replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)}":${anyValue}`,
  );
  return new RegExp(String.raw`^\{${members.join(',')}\}$`);
}

const anyString = String.raw`"[^"\\]*"`;
const between = String.raw`[^{}[\]"]*`;
const flat = String.raw`[{[]${between}(?:${anyString}${between})*[}\]]`;
const nested = String.raw`[{[]${between}(?:(?:${anyString}|${flat})${between})*[}\]]`;
const anyValue = String.raw`(?:${anyString}|${nested}|[-+.\w]+)`;

function areNamedAlike(text: string, one: MemberSpan | undefined, other: MemberSpan | undefined): boolean {
  if (one === undefined || other === undefined || one.to - one.from !== other.to - other.from) return false;
  for (let at = 0; at < one.to - one.from; at += 1)
    if (text.charCodeAt(one.from + at) !== text.charCodeAt(other.from + at)) return false;
  return true;
}

function memberAt(text: string, at: number): MemberSpan | undefined {
  if (text.charCodeAt(at) !== quote) return undefined;
  const nameEnd = afterString(text, at);
  if (nameEnd === undefined) return undefined;
  const between = afterSpace(text, nameEnd);
  if (text.charCodeAt(between) !== colon) return undefined;
  const start = afterSpace(text, between + 1);
  const end = afterValue(text, start);
  return end === undefined || end === start ? undefined : { from: at + 1, to: nameEnd - 1, start, end };
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

/** Whether the member has this name, however it is written. */
export const isNamed = (text: string, span: MemberSpan, name: string): boolean =>
  (span.to - span.from === name.length && text.startsWith(name, span.from)) ||
  (span.to - span.from > name.length && nameOf(text, span) === name);

export function nameOf(text: string, { from, to }: MemberSpan): string {
  const name = text.slice(from, to);
  if (!name.includes('\\')) return name;
  const plain: unknown = JSON.parse(`"${name}"`);
  return typeof plain === 'string' ? plain : name;
}
