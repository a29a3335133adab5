/** Variables of e-mails: the same bytes for ever, clear refusals, and nothing that takes long or grows. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { emailContent, escapeHtml, render, type Variables } from '../../src/commands/mustache.js';
import { ServiceError } from '../../src/errors.js';

const { variables, vectors } = z
  .object({
    variables: z.record(z.string(), z.unknown()),
    vectors: z.array(z.object({ what: z.string(), template: z.string(), html: z.string(), plain: z.string() })),
  })
  .parse(JSON.parse(readFileSync(new URL('mustache.json', import.meta.url), 'utf8')));

const rendered = (template: string, values: Variables, maxBytes = 512 * 1024): string =>
  render(template, values, { field: 'mail_template', maxBytes, escape: escapeHtml });

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
  return 'none';
}

describe('renders for ever the same', () => {
  test.each(vectors)('$what', ({ template, html, plain }) => {
    expect(rendered(template, variables)).toBe(html);
    expect(render(template, variables, { field: 'subject', maxBytes: 900, escape: (text) => text })).toBe(plain);
  });
});

describe('a value that is not there', () => {
  test.each([
    ['{{missing}}', 'variables.missing is required'],
    ['{{{none}}}', 'variables.none is required'],
    ['{{order.missing}}', 'variables.order.missing is required'],
    ['{{missing.city}}', 'variables.missing.city is required'],
    ['{{name.first}}', 'variables.name.first is required'],
    ['{{#people}}{{surname}}{{/people}}', 'variables.surname is required'],
    ['{{constructor}}', 'variables.constructor is required'],
    ['{{__proto__}}', 'variables.__proto__ is required'],
    ['{{order.constructor.name}}', 'variables.order.constructor.name is required'],
    ['{{hasOwnProperty}}', 'variables.hasOwnProperty is required'],
    ['{{#people}}{{#tags}}{{tags.x}}{{/tags}}{{/people}}', 'variables.tags.x is required'],
    ['{{order}}', 'variables.order must be a string, a number or a boolean'],
    ['{{list}}', 'variables.list must be a string, a number or a boolean'],
    ['{{.}}', 'variables.. must be a string, a number or a boolean'],
  ])('%s', (template, message) => {
    expect(refusalOf(() => rendered(template, variables))).toBe(message);
  });

  test('is none where it is not reached', () => {
    expect(rendered('{{#no}}{{missing}}{{/no}}{{^yes}}{{missing}}{{/yes}}', variables)).toBe('');
  });

  test('a name may hold what begins a comment', () => {
    expect(rendered('{{a!b}} {{! a }}{{#a!b}}x{{/a!b}}', { 'a!b': 1 })).toBe('1 x');
  });

  test('the part of a dotted name that is nearest counts', () => {
    const values = { a: { b: {} }, b: { c: 'outer' } };
    expect(refusalOf(() => rendered('{{#a}}{{b.c}}{{/a}}', values))).toBe('variables.b.c is required');
  });
});

describe('what is no template', () => {
  const none = (place: number): string =>
    `the tag at ${place} is none of {{name}} {{{name}}} {{&name}} {{#name}} {{^name}} {{/name}} {{! comment}}`;
  test.each([
    ['{{name', none(1)],
    ['x{{{name}}', none(2)],
    ['{{! name', none(1)],
    ['a{{> partial}}', none(2)],
    ['{{=<% %>=}}', none(1)],
    ['{{}}', none(1)],
    ['{{#}}', none(1)],
    ['{{a b}}', none(1)],
    ['{{a{{b}}', none(1)],
    [`{{${'a'.repeat(256)}}}`, none(1)],
    ['{{#yes}}x', 'Unclosed section "yes"'],
    ['{{name}}'.repeat(10_001), 'more than 10000 tags'],
    ['{{/yes}}', 'Unopened section "yes"'],
    ['{{#yes}}{{#no}}{{/yes}}{{/no}}', 'Unclosed section "no"'],
    [`${'{{#yes}}'.repeat(21)}${'{{/yes}}'.repeat(21)}`, 'sections are nested more than 20 deep'],
  ])('%s', (template, reason) => {
    expect(refusalOf(() => rendered(template, variables))).toBe(`mail_template cannot be rendered: ${reason}`);
  });
});

/** Milliseconds of processor time that this process has taken: what others do on the machine does not count. */
function taken(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test('nothing of the largest size takes long or grows', () => {
  const size = 512 * 1024;
  const fill = (unit: string): string => unit.repeat(Math.floor(size / unit.length));
  const line = `${fill(' ').slice(20)}\n`;
  const many = { a: 'x', l: Array.from({ length: 3_000 }, () => 1), big: '<'.repeat(300_000) };
  const inputs = [
    fill('<p>Hello {{a}}, some text of a usual length stands here</p>\n'),
    fill('{{a}}'),
    fill(' '),
    fill('\n'),
    fill('\n \n'),
    `{{#a}}${line}{{/a}}`,
    fill('{{a}} \n'),
    `{{${fill(' ')}a`,
    fill(`{{${' '.repeat(1_000)}a}}`),
    fill(`{{!${' '.repeat(1_000)}}}`),
    fill('{{{'),
    fill('{{#a}}'),
    fill(`{{${'a.'.repeat(120)}a}}`),
    `${'{{#l}}'.repeat(15)}x${'{{/l}}'.repeat(15)}`,
    fill('{{#l}}{{/l}}'),
    fill('{{big}}'),
    fill('{{#big}}{{/big}}'),
  ];
  for (const input of inputs) {
    let length = 0;
    // 70 ms at most where it was measured, 410 on a machine that others held up; unbounded, white space takes a second, some for ever.
    expect(taken(() => refusalOf(() => (length = rendered(input, many).length)))).toBeLessThan(800);
    expect(length).toBeLessThanOrEqual(size);
  }
  expect(refusalOf(() => rendered('{{#l}}{{#l}}{{a}}{{/l}}{{/l}}', many))).toContain('more than 100000 tags and texts');
});

describe('the content of an e-mail', () => {
  const message = {
    from_email: 'a@b.co',
    to_email: 'c@d.co',
    subject: 'Hi {{name}}',
    mail_template: '<p>{{name}}</p>',
  };

  test('without variables nothing is evaluated, with them both texts are', () => {
    expect(emailContent(message)).toEqual({ subject: 'Hi {{name}}', html: '<p>{{name}}</p>' });
    expect(emailContent({ ...message, variables: { name: 'R&D' } })).toEqual({
      subject: 'Hi R&D',
      html: '<p>R&amp;D</p>',
    });
    expect(refusalOf(() => emailContent({ ...message, variables: {} }))).toBe('variables.name is required');
  });

  test.each([
    ['subject must be at most 900 bytes', { name: 'ü'.repeat(449) }],
    ['subject contains invalid characters', { name: 'a\nBcc: x@y.zz' }],
    ['mail_template must be at most 524288 bytes', { name: 'x'.repeat(530_000), short: 'x' }],
    ['mail_template and variables together must be at most 716800 bytes', { name: 'x', more: '"'.repeat(360_000) }],
    ['mail_template is required', { name: ' ' }],
    ['subject is required', { name: '', body: 'x' }],
  ])('%s', (refusal, values) => {
    const own = {
      ...message,
      ...('short' in values ? { subject: '{{short}}' } : {}),
      ...(values.name === ' ' ? { subject: 'x', mail_template: '{{name}}\n' } : {}),
      ...(values.name === '' ? { subject: '{{name}} ' } : {}),
    };
    expect(refusalOf(() => emailContent({ ...own, variables: values }))).toBe(refusal);
  });
});
