/**
 * Renders a text with variables as Mustache, in bounded time and size, and so the subject and text of an e-mail. Stored e-mails are rendered again at each attempt,
 * so the same text and variables must give the same bytes for ever.
 */
import Mustache from 'mustache';
import { ServiceError } from '../errors.js';
import type { EmailMessage } from './email-commands.js';

export type Variables = Readonly<Record<string, unknown>>;

interface Rendering {
  /** Name of the field that the text came in, for errors. */
  readonly field: string;
  readonly maxBytes: number;
  readonly escape: (text: string) => string;
}

export const escapeHtml = Mustache.escape;

const maxTags = 10_000;
const maxNesting = 20;
/** Tags and texts that are evaluated, those in repeated sections each time. */
const maxSteps = 100_000;

/** @throws ServiceError where the template is not taken, a value is missing, or the result is too large */
export function render(template: string, variables: Variables, rendering: Rendering): string {
  const { text, sourceOf } = compact(template, rendering.field);
  const writer = boundedWriter(sourceOf, rendering);
  try {
    writer.parse(text);
  } catch (error) {
    // Of a section. The position is one in the compact text.
    throw invalid(rendering.field, String(error).replace(/^Error: | at \d+$/g, ''));
  }
  const rendered = writer.render(text, new OwnContext(variables));
  if (Buffer.byteLength(rendered) > rendering.maxBytes) throw tooLarge(rendering);
  return rendered;
}

const tooLarge = ({ field, maxBytes }: Rendering): ServiceError =>
  new ServiceError('too_many_bytes', { field, limit: maxBytes });

const invalid = (field: string, names: string): ServiceError => new ServiceError('invalid_template', { field, names });

const name = String.raw`\s*(?![#^/&>=!])[^\s{}]{1,255}\s*`;
const tag = new RegExp(String.raw`\{\{(?:\s*![^]*?|(?:\s*[#^/&])?${name}|\{${name}\})\}\}`, 'y');

/**
 * The library's parser makes an object of each character and is slow on long tags. All that it asks of a text is which
 * lines are blank, so it gets one character for each part that has one answer. @throws ServiceError
 */
function compact(template: string, field: string) {
  const places = new Map<number, number>();
  let text = '';
  let [done, tags] = [0, 0];
  const take = (part: string, short: string): void => {
    text += short;
    places.set(text.length, (done += part.length));
  };
  while (done < template.length) {
    const at = template.indexOf('{{', done);
    for (const part of parts(template.slice(done, at < 0 ? undefined : at)))
      take(part, part.endsWith('\n') ? '\n' : part.trim() === '' ? ' ' : 'x');
    if (at < 0) break;
    tag.lastIndex = at;
    const [found] = tag.exec(template) ?? [];
    if (found === undefined) throw invalid(field, `the tag at ${at + 1} is none of ${tagsTaken}`);
    if ((tags += 1) > maxTags) throw invalid(field, `more than ${maxTags} tags`);
    take(found, found.replace(/^\{\{\s*!.*/s, '{{!}}').replace(/\s+/g, ''));
  }
  const sourceOf = (from: number, to: number): string => template.slice(places.get(from) ?? 0, places.get(to));
  return { text, sourceOf };
}

const tagsTaken = '{{name}} {{{name}}} {{&name}} {{#name}} {{^name}} {{/name}} {{! comment}}';

/** The ends of a text, which may share their lines with a tag; what is between them does not. */
const parts = (text: string): readonly string[] =>
  (/^([^\n]*)(\n?)((?:[^]*\n)?)([^\n]*)$/.exec(text) ?? []).slice(1).filter((part) => part !== '');

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

function boundedWriter(sourceOf: (from: number, to: number) => string, rendering: Rendering): Mustache.Writer {
  const { field, escape } = rendering;
  const writer = new Mustache.Writer();
  const renderTokens = writer.renderTokens.bind(writer);
  let [steps, nesting, length] = [0, 0, 0];
  const counted = (text: string): string => {
    length += text.length;
    if (length > rendering.maxBytes) throw tooLarge(rendering);
    return text;
  };
  writer.renderTokens = (tokens, ...more) => {
    steps += 1 + tokens.length;
    if (steps > maxSteps) throw invalid(field, `more than ${maxSteps} tags and texts are evaluated`);
    nesting += 1;
    if (nesting > maxNesting + 1) throw invalid(field, `sections are nested more than ${maxNesting} deep`);
    const rendered = renderTokens(tokens, ...more);
    nesting -= 1;
    return rendered;
  };
  writer.rawValue = ([, , from, to]) => counted(sourceOf(Number(from), Number(to)));
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

interface EmailContent {
  readonly subject: string;
  readonly html: string;
}

/** In bytes, of the rendered texts too. */
export const maxSubject = 900;
export const maxTemplate = 512 * 1024;
/** Bytes of the JSON of template and variables in the event: the append must fit into EventStoreDB. */
export const maxEncoded = 700 * 1024;

const subjectRendering: Rendering = { field: 'subject', maxBytes: maxSubject, escape: (text) => text };
const htmlRendering: Rendering = { field: 'mail_template', maxBytes: maxTemplate, escape: escapeHtml };

/** As it went out. What was accepted once can be rendered for ever. */
export const subjectOf = ({ subject, variables }: Pick<EmailMessage, 'subject' | 'variables'>): string =>
  variables === undefined ? subject : render(subject, variables, subjectRendering);

/** The name under which the template of mail to subscribers finds the link to unsubscribe. */
export const linkVariable = 'unsubscribe_url';

/** In the place of the link where there is none yet: no link is longer, so what was accepted with this fits with each. */
export const longestLink = 'x'.repeat(1_000);

/**
 * `link`: the address that the template may name, in the characters of addresses alone, which HTML reads as they are.
 * @throws ServiceError where variables and texts do not fit each other. What was accepted once is valid for ever.
 */
export function emailContent({ subject, mail_template, variables }: EmailMessage, link?: string): EmailContent {
  if (variables === undefined) return { subject, html: mail_template };
  if (Buffer.byteLength(JSON.stringify(mail_template) + JSON.stringify(variables)) > maxEncoded)
    throw new ServiceError('too_many_bytes', { field: 'mail_template and variables together', limit: maxEncoded });
  const content = {
    subject: subjectOf({ subject, variables }),
    html:
      link === undefined ? render(mail_template, variables, htmlRendering) : withLink(mail_template, variables, link),
  };
  if (content.subject.trim() === '') throw new ServiceError('required', { field: 'subject' });
  // Values may have what a header must not.
  if (/[\t\r\n]/.test(content.subject)) throw new ServiceError('invalid_characters', { field: 'subject' });
  if (content.html.trim() === '') throw new ServiceError('required', { field: 'mail_template' });
  return content;
}

const withLink = (template: string, variables: Variables, link: string): string =>
  render(
    template,
    { [linkVariable]: link, ...variables },
    { ...htmlRendering, escape: (text) => (text === link ? text : escapeHtml(text)) },
  );
