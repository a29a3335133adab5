/** Hostile input for every parser of foreign text. No request and no email may stall the service. */
import express, { type Request, type Response } from 'express';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultTextMapGetter, ROOT_CONTEXT } from '@opentelemetry/api';
import { createSecretKey } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { clientAddressBehind } from '../../src/api/http/client-address.js';
import { parseObject } from '../../src/api/http/body.js';
import { createParser } from '../../src/api/http/parse.js';
import { prefersStrict, wantsPage } from '../../src/api/http/request-headers.js';
import { readForm } from '../../src/api/pages/form.js';
import { contactBodies } from '../../src/api/resources/contacts-bodies.js';
import { emailEndpoints } from '../../src/api/resources/email.js';
import { parsers } from '../../src/app/parsers.js';
import { parseTime } from '../../src/audit/times.js';
import { createReportReader } from '../../src/bounces/report-reader.js';
import { parseMailbox } from '../../src/commands/address.js';
import { emailContent } from '../../src/commands/mustache.js';
import { contactLines } from '../../src/copy/contact-columns.js';
import { readCsv } from '../../src/copy/csv-reader.js';
import { parseLine } from '../../src/copy/line.js';
import { openTimeZone } from '../../src/copy/local-time.js';
import { comparedAddress, isAddress } from '../../src/events/address.js';
import { nameKey } from '../../src/events/catalogues.js';
import { emailOfHeader } from '../../src/events/email-proof.js';
import { classifyRefusal } from '../../src/events/refusal-kind.js';
import { emailOfReturnPath, namesReturnPath } from '../../src/events/return-path.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';
import { plainText } from '../../src/mailer/plain-text.js';
import { beforeHandOver } from '../../src/mailer/smtp-outcome.js';
import { comparedText } from '../../src/projections/compared-text.js';

type ParserName = keyof typeof parsers;

interface Hostile {
  /** Parses the text. May throw, because a refusal is an answer. */
  readonly parse: (text: string) => unknown;
  /** Pieces for this parser, in addition to those for all parsers. */
  readonly pieces?: readonly string[];
  /** Pairs of texts that open and close a level. */
  readonly nests?: readonly (readonly [open: string, close: string])[];
  /** Puts the text where the parser meets it. */
  readonly around?: readonly ((text: string) => string)[];
}

const emailParser = createParser(emailEndpoints.send.body);
const contactParser = createParser(contactBodies(Date.now).upsert);
const jsonPieces = ['{"a":1},', '[],', '1,', '"a":1,', '\\u0000', '\\"', '-', '1e9', '"\\'];
const jsonNests = [
  ['[', ']'],
  ['{"a":', '1}'],
  ['{"a":[', ']}'],
] as const;

/** Returns a JSON object with as many distinct members as fit. */
const members = (bound: number): string =>
  `{${Array.from({ length: Math.floor(bound / 12) }, (_, at) => `"${at.toString(36).padStart(6, 'k')}":1`).join(',')}}`;

const app = express();
const router = express.Router();
for (const route of [
  '/v1/contacts/:list_id/create',
  '/v1/email/:email_id',
  '/u/:token',
  '/v1/audit/contacts/:id/history',
])
  router.get(route, () => undefined);

/** Returns a request with these headers, as the handlers of the service get it. */
const requestWith = (headers: Record<string, string>): Request =>
  Object.assign(Object.create(app.request) as Request, {
    ...{ headers, method: 'GET', url: '/', app },
    res: Object.assign(Object.create(app.response) as Response, {
      vary: () => undefined,
      statusCode: 200,
      get: () => '"x"',
    }),
  });

const tokens = createUnsubscribeTokens(createSecretKey(Buffer.alloc(32)));
const addressBehind = clientAddressBehind(() => true);
const macOf = (): string => 'a'.repeat(20);
const reader = createReportReader((error) => {
  throw new Error(error);
});
afterAll(() => reader.close());

const linesOf = [['tag_name'], ['consent.occurred_at']].map((fields) =>
  contactLines(fields, { timeZone: openTimeZone('Europe/Berlin') }),
);

/** Reads the text as rows, and makes the lines that are sent for them. */
async function readRows(text: string): Promise<void> {
  for await (const row of readCsv(Readable.from([Buffer.from(text)]), { encoding: 'utf-8' }))
    for (const lineOf of linesOf) lineOf(row);
}

const email = { from_email: 'a@example.com', to_email: 'a@example.com', subject: 'x' };

const hostile: Readonly<Record<ParserName, Hostile>> = {
  emailBody: {
    parse: (text) => emailParser.parse(parseObject(Buffer.from(text)), false),
    pieces: jsonPieces,
    nests: jsonNests,
    around: [
      (text) => text,
      (text) => `${JSON.stringify({ ...email, mail_template: 'x' }).slice(0, -1)},"variables":{"a":${text}}}`,
    ],
  },
  body: {
    parse: (text) => contactParser.parse(parseObject(Buffer.from(text)), true),
    pieces: jsonPieces,
    nests: jsonNests,
    around: [
      (text) => text,
      (text) => `{"email":"a@example.com","status":"Subscribed","tag_name":[${text}],"data":{"firstName":"${text}"}}`,
    ],
  },
  template: {
    parse: (text) =>
      emailContent({ ...email, mail_template: text, variables: { a: [[1]], b: 1, list: Array.from('abcdefgh') } }),
    pieces: [
      '{{b}}',
      '{{{b}}}',
      '{{#a}}x{{/a}}',
      '{{#a}}{{/a}}\n',
      '{{!',
      '{{! ',
      '{{ ',
      '{{#list}}{{#list}}{{.}}{{/list}}{{/list}}',
    ],
    nests: [
      ['{{#a}}', '{{/a}}'],
      ['{{^x}}\n', '{{/x}}\n'],
      ['{{#list}}', '{{/list}}'],
    ],
  },
  html: {
    parse: plainText,
    pieces: [
      '<p>',
      '<br>',
      '<a href=',
      '<a href="x">',
      '<li>',
      '<tr><td>',
      '<!--',
      '<![CDATA[',
      '&nbsp;',
      '&#1;',
      '<p a=b c=d>',
      '<style>',
      '<script>',
      'x ',
    ],
    nests: [
      ['<div>', '</div>'],
      ['<b>', '</b>'],
      ['<ul><li>', '</li></ul>'],
      ['<blockquote><p>', '</p></blockquote>'],
      ['<table><tr><td>', '</td></tr></table>'],
      ['<a href=x>', '</a>'],
    ],
  },
  address: {
    parse: (text) => isAddress(text) && comparedAddress(text),
    pieces: ['ä.', 'xn--', 'א', '١', '\u0939\u094d'],
    around: [(text) => text, (text) => `${text}@ä.de`, (text) => `ä@${text}.de`, (text) => `ä@xn--${text}.de`],
  },
  sender: {
    parse: parseMailbox,
    pieces: ['\\"', '" <'],
    around: [
      (text) => text,
      (text) => `${text} <a@example.com>`,
      (text) => `"${text}" <a@example.com>`,
      (text) => `"${text}`,
    ],
  },
  searchText: { parse: comparedText, pieces: ['\u3099', 'İ'] },
  form: {
    parse: async (text) => {
      const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' };
      const multipart = { 'content-type': 'multipart/form-data; boundary=b' };
      for (const headers of [urlEncoded, multipart])
        await readForm(Object.assign(Readable.from([Buffer.from(text)]), { headers }) as unknown as IncomingMessage);
    },
    pieces: ['a=1&', '%', '%41', '--b\r\n', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'],
    around: [(text) => text, (text) => `--b\r\nContent-Disposition: form-data; name="${text}"\r\n\r\n\r\n--b--`],
  },
  path: {
    parse: (text) =>
      (router as unknown as (request: object, response: object, next: () => void) => void)(
        { url: text, method: 'GET' },
        {},
        () => undefined,
      ),
    pieces: ['%41', '%', '/v1/', '../'],
    around: [(text) => `/${text}`, (text) => `/v1/contacts/${text}/create`, (text) => `/u/${text}`],
  },
  query: {
    parse: (text) => {
      const query = Object.assign(requestWith({}), { url: `/?${text}` }).query;
      for (const value of [text, ...Object.values({ ...query, ...parseQuery(text) })])
        if (typeof value === 'string') nameKey(value + String(parseTime(value, 'end')));
    },
    pieces: ['a=1&', '%', '%41', 'a[b]=', 'a[', '2026-01-01T'],
    around: [(text) => text, (text) => `time=2026-01-01T${text}`],
  },
  filter: { parse: (text) => JSON.parse(text) as unknown, pieces: jsonPieces, nests: jsonNests },
  negotiation: {
    parse: (text) => {
      const request = requestWith({
        ...{ accept: text, 'accept-encoding': text, range: `bytes=${text}`, 'if-none-match': text },
        'if-modified-since': text,
      });
      wantsPage(request);
      request.acceptsEncodings(['gzip', 'identity']);
      request.range(1_000);
      return request.fresh;
    },
    pieces: ['a/b,', 'text/html;q=0.1,', '*/*;', 'gzip,', '0-1,', '"a",', 'W/"a",', ';q='],
    around: [(text) => text, (text) => `text/html;${text}`],
  },
  preferences: {
    parse: (text) => [prefersStrict(text), /^bearer +(\S+) *$/i.test(text), /^[\x21-\x7e]{1,255}$/.test(text)],
    pieces: ['handling=', 'handling = strict;', 'bearer  '],
    around: [
      (text) => text,
      (text) => `handling${text}`,
      (text) => `handling=strict${text}x`,
      (text) => `bearer ${text}`,
    ],
  },
  forwarded: {
    parse: (text) =>
      addressBehind({
        socket: { remoteAddress: '10.0.0.1' },
        headers: { forwarded: text, 'x-forwarded-for': text },
      } as unknown as IncomingMessage),
    pieces: ['for=1.1.1.1,', 'for="', '1.1.1.1,', '[::1]:9,'],
    around: [(text) => text, (text) => `for=${text}`, (text) => `for="${text}`, (text) => `[${text}`],
  },
  traceContext: {
    parse: (text) =>
      new W3CTraceContextPropagator().extract(
        ROOT_CONTEXT,
        { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: text },
        defaultTextMapGetter,
      ),
    pieces: ['a=b,', 'a@b=c,'],
  },
  unsubscribeToken: {
    parse: (text) => tokens.read(text),
    around: [(text) => text, (text) => `1${text}`, (text) => `p2${text}`, (text) => text.replaceAll(/./gs, '%41')],
  },
  returnPath: {
    parse: (text) => [namesReturnPath(text), emailOfReturnPath(text, macOf)],
    pieces: ['+eml_', '+eml_0123456789ABCDEFGHJKMNPQRS.'],
  },
  emailHeader: {
    parse: (text) => emailOfHeader(text, macOf),
    pieces: ['eml_0123456789ABCDEFGHJKMNPQRS.'],
    around: [(text) => text, (text) => `eml_0123456789ABCDEFGHJKMNPQRS.aaaaaaaaaaaaaaaa${text}`],
  },
  reply: {
    parse: (text) => [
      classifyRefusal({ reply: `550 ${text}` }),
      ...['RCPT TO', 'MAIL FROM', 'CONN'].map((command) =>
        beforeHandOver(
          { error: { code: 'EENVELOPE', command, response: `550 ${text}`, responseCode: 550 } },
          'recipient',
        ),
      ),
    ],
    pieces: ['a<', 'sender ', '5.1.1 ', '550 5.1.1', 'user ', 'a.a', '<a@', 'mailbox a '],
  },
  report: {
    parse: (text) => reader.run(Buffer.from(text)),
    pieces: ['--b\n', '=\n', '=41', 'Action: failed\n', 'X: a\n ', 'smtp.mailfrom= ', '\nReturn-Path: +eml_'],
    around: [
      (text) =>
        `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nAction: failed\n${text}`,
      (text) =>
        `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\n${text}`,
      (text) => `Subject: message/delivery-status\nContent-Type: text/html\n\n${text}`,
      (text) =>
        `Content-Type: multipart/mixed; boundary=b\n\n${`--b\nContent-Type: message/rfc822\n\nX: message/rfc822\n`.repeat(3)}\n${text}`,
      (text) =>
        `From: staff@hotmail.com\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\nX-HmXmrOriginalRecipient: a\nAuthentication-Results: ${text}`,
    ],
  },
  csv: {
    parse: readRows,
    pieces: ['"a",', '""', '""a"",', 'a;', '"\n', '["a",', 'PK\u0003\u0004', 'sep=;\n', '2026-03-01 01:02'],
    nests: [['[', ']']],
    around: [
      (text) => text,
      (text) => `"${text}`,
      (text) => `a${text}a`,
      // Tags in JSON, tags in quotes, and a time, with the text in the middle.
      (text) => `"[${text}]"`,
      (text) => `"""${text.replaceAll('"', '""')}"""`,
      (text) => `"2026-03-01 ${text.replaceAll('"', '')}"`,
    ],
  },
  exportLine: { parse: parseLine, pieces: jsonPieces, nests: jsonNests },
};

const pieces = [
  'a',
  ' ',
  '\n',
  '\0',
  '0',
  '.',
  ',',
  ';',
  '=',
  '"',
  '\\',
  '<',
  '&',
  '%',
  '@',
  '-',
  '/',
  'é',
  'Σ',
  '\u0301',
  '😀',
  'a@',
  'a=',
  'Aa ',
];
/** Pieces for parsers beside the main thread, which may be slow. */
const fewPieces = ['a=', '\n', ' ', '<', '"', 'é'];
const nests = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
  ['{{', '}}'],
] as const;

const filled = (piece: string, bytes: number): string =>
  piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))));

/** Returns texts that fill the room with nesting that is deep or repeated, closed or open. */
function nested([open, close]: readonly [string, string], room: number): readonly string[] {
  const deep = Math.floor(room / (open.length + close.length));
  const repeated = [20, 100].map((levels) => filled(open.repeat(levels) + close.repeat(levels), room));
  return [filled(open, room), open.repeat(deep) + close.repeat(deep), ...repeated];
}

/** A cost that grows faster than its input is over the limits at this size, too. */
const briefBytes = 128 * 1024;

/** Generates repeated prefixes, runs of one character, and nesting. */
function* inputsFor(name: ParserName): Generator<string> {
  const { bound, where } = parsers[name];
  const isBrief = where !== 'main thread';
  const { pieces: ownPieces = [], nests: ownNests = [], around = [(text: string) => text] } = hostile[name];
  for (const put of around) {
    const whole = Math.max(1, bound - Buffer.byteLength(put('')));
    const room = isBrief ? Math.min(whole, briefBytes) : whole;
    const repeated = isBrief
      ? fewPieces.map((piece) => filled(piece, room))
      : pieces.flatMap((piece) => [filled(piece, room), filled(piece, Math.min(room, 64 * 1024))]);
    const others = ownPieces.map((piece) => filled(piece, room));
    const deep = [...(isBrief ? [] : nests), ...ownNests].flatMap((nest) => nested(nest, room));
    for (const text of new Set([...repeated, ...others, ...deep, members(whole)])) yield put(text);
  }
}

/** Returns the CPU milliseconds of this thread, which do not depend on how busy the machine is. */
async function costOf(parse: Hostile['parse'], text: string): Promise<number> {
  const before = process.threadCpuUsage();
  try {
    await parse(text);
  } catch (error) {
    // A refusal is fine; a stack that overflows is not.
    expect(error).not.toBeInstanceOf(RangeError);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns the lowest cost of a few runs, because the first run may compile code. */
async function bestCost(parse: Hostile['parse'], text: string, limit: number): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < 5 && best >= limit; run += 1) best = Math.min(best, await costOf(parse, text));
  return best;
}

/** The most CPU milliseconds of the main thread. A command stalls nothing, but must end: 2 s for an input of the largest size. */
const most = { 'main thread': () => 50, 'worker thread': () => 50, command: (share: number) => 50 + 2_000 * share };

test.each(Object.keys(parsers) as ParserName[])('hostile input for %s stalls nothing', async (name) => {
  const { where, bound } = parsers[name];
  for (const text of inputsFor(name)) {
    const limit = most[where](text.length / bound);
    const cost = await bestCost(hostile[name].parse, text, limit);
    expect(cost, `${text.slice(0, 80)}… of ${text.length} characters`).toBeLessThan(limit);
  }
});

/** Files that parse only templates of this project. */
const own: ReadonlySet<string> = new Set([
  'src/api/pages/lists-mail.ts',
  'src/api/pages/page.ts',
  'src/privacy/export-page.ts',
  'src/report/page.ts',
]);

test('every file that imports a parsing library is in the list', () => {
  const listed = new Set(Object.values(parsers).flatMap(({ files }): readonly string[] => files));
  const libraries = ['postal-mime', 'html-to-text', 'mustache', 'forwarded-parse', 'tr46'];
  const parses = new RegExp(`(?:from|import\\() ?'(?:${libraries.join('|')})[/']`);
  const found = globSync('src/**/*.ts').filter((file) => parses.test(readFileSync(file, 'utf8')));
  expect(found.filter((file) => !listed.has(file) && !own.has(file))).toEqual([]);
  expect([...own].filter((file) => !found.includes(file))).toEqual([]);
});
