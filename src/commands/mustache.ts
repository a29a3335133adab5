/**
 * Renders a text with variables as Mustache, in bounded time and size. Stored e-mails are rendered again at each attempt,
 * so the same text and variables must give the same bytes for ever.
 */
import Mustache from 'mustache';
import { ServiceError } from '../errors.js';

export type Variables = Readonly<Record<string, unknown>>;

export interface Rendering {
  /** Name of the field that the text came in, for errors. */
  readonly field: string;
  readonly maxBytes: number;
  readonly escape: (text: string) => string;
}

export const escapeHtml = Mustache.escape;

const maxName = 255;
const maxNesting = 20;
/** Tags and texts that are evaluated, those in repeated sections each time. */
const maxSteps = 100_000;

/** @throws ServiceError where the template is not taken, a value is missing, or the result is too large */
export function render(template: string, variables: Variables, rendering: Rendering): string {
  const { text, stretches } = compact(template, rendering.field);
  const rendered = boundedWriter(stretches, rendering).render(text, new OwnContext(variables));
  if (Buffer.byteLength(rendered) > rendering.maxBytes) throw tooLarge(rendering);
  return rendered;
}

const tooLarge = ({ field, maxBytes }: Rendering): ServiceError =>
  new ServiceError('too_many_bytes', { field, limit: maxBytes });

const opening = /\{\{\s*([#^/>{&=!]?)\s*/y;

/**
 * The library's parser makes an object of each character, and is slow on long tags. So it gets short tags, and a mark for
 * each stretch of text. @throws ServiceError
 */
function compact(template: string, field: string): { text: string; stretches: readonly string[] } {
  const stretches: string[] = [];
  const sections: string[] = [];
  let text = '';
  let end = 0;
  for (let at = template.indexOf('{{'); at >= 0; at = template.indexOf('{{', end)) {
    text += marked(template.slice(end, at), stretches);
    opening.lastIndex = at;
    const sigil = opening.exec(template)?.[1] ?? '';
    const closing = sigil === '{' ? '}}}' : '}}';
    const start = opening.lastIndex;
    const stop = template.indexOf(closing, start);
    if (stop < 0) throw invalid(field, `the tag at ${at + 1} is not closed`);
    const name = sigil === '!' ? '' : template.slice(start, stop).trimEnd();
    const problem = sigil === '!' ? undefined : problemOf(sigil, name, sections);
    if (problem !== undefined) throw invalid(field, `the tag at ${at + 1} ${problem}`);
    end = stop + closing.length;
    text += `{{${sigil}${name}${closing}`;
  }
  if (sections.length > 0) throw invalid(field, 'a section is not closed');
  return { text: text + marked(template.slice(end), stretches), stretches };
}

const invalid = (field: string, names: string): ServiceError => new ServiceError('invalid_template', { field, names });

/** White space at the ends stays, for lines that hold nothing but a tag. The mark is no character of a template. */
function marked(text: string, stretches: string[]): string {
  const core = text.trim();
  if (core === '') return text;
  const start = text.length - text.trimStart().length;
  return `${text.slice(0, start)}\0${stretches.push(core) - 1}\0${text.slice(start + core.length)}`;
}

/** Why a tag is not taken. Keeps the open sections. */
function problemOf(sigil: string, name: string, sections: string[]): string | undefined {
  if (sigil === '>') return 'is a partial, which is not supported';
  if (sigil === '=') return 'changes the delimiters, which is not supported';
  if (name.length > maxName || !/^[^\s{}]+$/.test(name)) return 'has no valid name';
  if (sigil === '/') return sections.pop() === name ? undefined : 'closes no open section';
  if (sigil !== '#' && sigil !== '^') return undefined;
  return sections.push(name) > maxNesting ? `is nested more than ${maxNesting} deep` : undefined;
}

/** Own properties only, in the nearest context that has the first part of the name. */
class OwnContext extends Mustache.Context {
  override push(view: unknown): OwnContext {
    return new OwnContext(view, this);
  }

  override lookup(name: string): unknown {
    if (name === '.') return this.view;
    const [first = '', ...rest] = name.split('.');
    return rest.reduce(own, own(viewWith(this, first), first));
  }
}

function viewWith(context: Mustache.Context | undefined, name: string): unknown {
  for (let at = context; at !== undefined; at = at.parent) if (hasOwn(at.view, name)) return at.view;
  return undefined;
}

const hasOwn = (view: unknown, name: string): boolean =>
  typeof view === 'object' && view !== null && Object.hasOwn(view, name);

const own = (value: unknown, name: string): unknown =>
  hasOwn(value, name) ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;

function boundedWriter(stretches: readonly string[], rendering: Rendering): Mustache.Writer {
  const { field, maxBytes, escape } = rendering;
  const writer = new Mustache.Writer();
  const renderTokens = writer.renderTokens.bind(writer);
  let steps = 0;
  let length = 0;
  const counted = (text: string): string => {
    length += text.length;
    if (length > maxBytes) throw tooLarge(rendering);
    return text;
  };
  writer.renderTokens = (tokens, ...more) => {
    steps += 1 + tokens.length;
    if (steps > maxSteps) throw invalid(field, `more than ${maxSteps} tags and texts are evaluated`);
    return renderTokens(tokens, ...more);
  };
  writer.rawValue = ([, text = '']) =>
    counted(text.replace(/\0(\d+)\0/g, (_, index) => stretches[Number(index)] ?? ''));
  writer.escapedValue = ([, name = ''], context) => counted(escape(valueOf(name, context)));
  writer.unescapedValue = ([, name = ''], context) => counted(valueOf(name, context));
  return writer;
}

/** @throws ServiceError */
function valueOf(name: string, context: Mustache.Context): string {
  const value: unknown = context.lookup(name);
  const field = `variables.${name}`;
  if (value === undefined || value === null) throw new ServiceError('required', { field });
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' && typeof value !== 'boolean') throw new ServiceError('not_a_scalar', { field });
  return String(value);
}
