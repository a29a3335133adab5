/** The links in e-mails: the button of mail programs, the pages, and the link to all lists; as mail programs, scanners, browsers and strangers use them. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveStreamKeys, deriveUnsubscribeKey } from '../../src/events/streams.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';
import { unique } from '../support/answers.js';
import { eventually, startService, type LoggedEvent, type Service } from '../support/service.js';

const secret = 'a secret of these tests, long enough for a key';
const keys = deriveStreamKeys(secret);
const tokens = createUnsubscribeTokens(deriveUnsubscribeKey(secret));
const emailId = 'eml_01KQPH1RM0W7X9YABCDEFGHJKM';
const folder = mkdtempSync(path.join(os.tmpdir(), 'pages-'));

let service: Service;
beforeAll(async () => {
  writeFileSync(path.join(folder, 'style.css'), ':root { --accent: #7a1fa2; }');
  writeFileSync(path.join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(path.join(folder, 'en.json'), '{ "sender": "Ada <Books>" }');
  writeFileSync(path.join(folder, 'fr.json'), '{ "unsubscribe_title": "Se désabonner" }');
  const own = { PUBLIC_URL: 'https://mail.example.com/x', MAIL_FROM: 'Ada <ada@example.com>', PAGES_DIR: folder };
  const proxy = { TRUST_PROXY: 'loopback', RATE_LIMIT_PAGES: '100', CONSENT_IP: 'on' };
  service = await startService({ env: { SECRET: secret, ...own, ...proxy } });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const newList = (name = unique('List')): Promise<string> =>
  service.make('/v1/lists/create', { list_name: name }, 'list_id');

/** Somebody who is subscribed to new lists; the link is of an e-mail of the first. */
async function someone(count = 1) {
  const email = `${unique('ada')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')}@example.com`;
  const names = Array.from({ length: count }, () => unique('News'));
  const lists = await Promise.all(names.map((name) => newList(name)));
  const contactKey = keys.contactKey(email);
  const token = tokens.make({ emailId, contactKey, listId: lists[0] ?? '' });
  return { email, names, lists, token, contactKey, contactId: await subscribe(email, lists) };
}

/** Returns the id of the contact. */
async function subscribe(email: string, lists: readonly string[], status = 'Subscribed'): Promise<string> {
  let contactId = '';
  for (const list of lists) {
    const saved = await service.post(`/v1/contacts/${list}/upsertcontact`, { email, status });
    expect(saved.status).toBe(200);
    contactId = saved.field('contact_id');
  }
  return contactId;
}

/** Erases the person and waits until the address is unknown. */
async function erase(email: string): Promise<void> {
  expect((await service.post('/v1/privacy/erasures', { email })).status).toBe(202);
  await eventually(async () => {
    const { body } = await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
    return JSON.stringify(body).includes('"Error"') ? true : undefined;
  });
}

/** A link to all lists that works for a minute. */
const linkToAll = ({ contactKey, contactId }: { readonly contactKey: string; readonly contactId: string }): string =>
  tokens.makeForLists({ emailId, contactKey, contactId, until: Date.now() + 60_000 });

interface Visit {
  readonly method?: string;
  readonly form?: Record<string, string> | URLSearchParams | FormData | Blob | string;
  readonly headers?: Record<string, string>;
}

/** Their request ids. */
const visits: string[] = [];

/** Each from a network of its own, so that the limit is only met where it is tested. */
async function visit(token: string, { form, method = form === undefined ? 'GET' : 'POST', headers }: Visit = {}) {
  const requestId = randomBytes(12).toString('hex');
  const network = visits.push(requestId);
  const response = await fetch(`${service.url()}/u/${token}`, {
    method,
    redirect: 'manual',
    headers: {
      'x-request-id': requestId,
      'x-forwarded-for': `10.0.${Math.floor(network / 250)}.${1 + (network % 250)}`,
      ...headers,
    },
    ...(form === undefined
      ? {}
      : {
          body:
            form instanceof FormData || form instanceof Blob || typeof form === 'string'
              ? form
              : new URLSearchParams(form),
        }),
  });
  return { status: response.status, headers: response.headers, text: await response.text(), requestId };
}

/** What the visits since then have written. Other requests write meanwhile: mail is sent. */
const writtenSince = async (start: number): Promise<readonly LoggedEvent[]> =>
  (await Promise.all(visits.slice(start).map((requestId) => service.events(requestId)))).flat();

const title = (text: string): string | undefined => /<h1>(.*)<\/h1>/.exec(text)?.[1];
const oneClick = { 'List-Unsubscribe': 'One-Click' };
const statusIn = async (email: string, list: string): Promise<unknown> => {
  const { body } = await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
  const { subscriptions } = (body as { data: { subscriptions: { list_id: string; status: string }[] } }).data;
  return subscriptions.find(({ list_id }) => list_id === list)?.status;
};
const briefly = (events: readonly LoggedEvent[]): unknown =>
  events.map(({ type, data }) => [
    type,
    (data as Record<string, unknown>)['scope'] ?? (data as Record<string, unknown>)['list_id'],
  ]);

describe('the button of a mail program', () => {
  test.each([
    ['as a form', new URLSearchParams(oneClick)],
    [
      'as multipart',
      Object.entries(oneClick).reduce((form, [name, value]) => (form.append(name, value), form), new FormData()),
    ],
  ])('unsubscribes at once, %s, without cookie, redirect or key; again it changes nothing', async (_, form) => {
    const { email, lists, token, contactKey } = await someone();
    const [list = ''] = lists;
    const first = await visit(token, { form, headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(first.status).toBe(200);
    expect(first.headers.get('set-cookie')).toBeNull();
    expect(first.headers.get('location')).toBeNull();
    expect(await statusIn(email, list)).toBe('Unsubscribed');
    expect(await service.events(first.requestId)).toMatchObject([
      {
        stream: `suppression-${contactKey}`,
        type: 'AddressSuppressed',
        data: {
          reason: 'unsubscribe',
          scope: list,
          email_id: emailId,
          by: { kind: 'one_click', token_hash: tokens.hash(token) },
          person: { email, ip: '203.0.113.7' },
        },
        metadata: { actor: 'recipient' },
      },
      {
        type: 'ContactUnsubscribed',
        data: { by: { kind: 'one_click', email_id: emailId } },
        metadata: { actor: 'recipient' },
      },
    ]);
    const again = await visit(token, { form });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(await service.events(again.requestId)).toEqual([]);
  });

  test('pressed many times at once it is one refusal', async () => {
    const { token } = await someone();
    const before = visits.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => visit(token, { form: oneClick })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await writtenSince(before)).map(({ type }) => type).sort()).toEqual([
      'AddressSuppressed',
      'ContactUnsubscribed',
    ]);
  });

  test('works when the list is deleted: the refusal is kept', async () => {
    const { lists, token } = await someone();
    await service.post(`/v1/lists/${lists[0]}/delete`);
    expect((await visit(token)).text).toContain('does not exist any more');
    const answer = await visit(token, { form: oneClick });
    expect(answer.status).toBe(200);
    expect(title(answer.text)).toBe('You are unsubscribed');
    expect(briefly(await service.events(answer.requestId))).toEqual([['AddressSuppressed', lists[0]]]);
  });

  const bytes = (content: string | Uint8Array<ArrayBuffer>, type: string): Blob => new Blob([content], { type });
  const part = (name: string, value: string): string =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  test.each<readonly [string, Visit]>([
    ['no body', { method: 'POST' }],
    ['an empty body with a type', { form: bytes('', 'text/plain') }],
    ['type text/plain', { form: 'List-Unsubscribe=One-Click' }],
    ['a line feed at the end', { form: bytes('List-Unsubscribe=One-Click\r\n', '') }],
    [
      'other letter case',
      { form: bytes('list-unsubscribe=one-click', 'Application/X-WWW-Form-URLEncoded; charset=x') },
    ],
    ['another value', { form: { 'List-Unsubscribe': 'Two-Clicks' } }],
    ['JSON', { form: bytes('{"List-Unsubscribe":"One-Click"}', 'application/json') }],
    [
      'a multipart body without an end',
      { form: bytes(part('List-Unsubscribe', 'One-Click'), 'multipart/form-data; boundary=x') },
    ],
    ['a multipart body of another boundary', { form: bytes('--x', 'multipart/form-data; boundary=y') }],
    ['bytes that are no text', { form: bytes(new Uint8Array(randomBytes(64 * 1024)), 'image/png') }],
    ['both fields', { form: { ...oneClick, do: 'other' } }],
  ])('unsubscribes with %s', async (_case, given) => {
    const { email, lists, token } = await someone();
    const answer = await visit(token, given);
    expect([answer.status, title(answer.text)]).toEqual([200, 'You are unsubscribed']);
    expect(await statusIn(email, lists[0] ?? '')).toBe('Unsubscribed');
    expect(await service.events(answer.requestId)).toMatchObject([
      { type: 'AddressSuppressed', data: { by: { kind: 'one_click', token_hash: tokens.hash(token) } } },
      { type: 'ContactUnsubscribed' },
    ]);
  });

  test('changes nothing if the field do has a value that the page does not send', async () => {
    const { token } = await someone();
    const before = visits.length;
    for (const form of [
      ...[{ do: 'nothing' }, { do: '' }, { DO: 'save', 'List-Unsubscribe': 'no' }, 'do=nothing', 'a=b\ndo=c\n'],
      ...[
        bytes(`${part('do', 'save')}--x--`, 'multipart/form-data; boundary="x"'),
        bytes('{"do":"save"}', 'text/json'),
      ],
    ]) {
      const { status, text } = await visit(token, { form });
      expect([status, title(text)]).toEqual([400, 'Unsubscribe']);
    }
    expect(await writtenSince(before)).toEqual([]);
  });

  test('changes nothing with a body of more than 64 KiB', async () => {
    const { token } = await someone();
    const before = visits.length;
    expect((await visit(token, { form: { ...oneClick, more: 'x'.repeat(70_000) } })).status).toBe(413);
    expect(await writtenSince(before)).toEqual([]);
  });
});

describe('a link that a mail program has altered', () => {
  test.each(['.', ']', '>', '/', '%3E', '%20', '%zz', '?utm_source=news', '/?utm_source=news', '%3Futm_source%3Dnews'])(
    'works with %s behind it, for the page and for the button',
    async (tail) => {
      const { email, lists, token } = await someone();
      const page = await visit(token + tail);
      expect([page.status, title(page.text)]).toEqual([200, 'Unsubscribe']);
      // The forms of the page send to the link without what was behind it.
      const { pathname } = new URL(`${service.url()}/u/${token}${tail}`);
      const target = /action="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&#x2F;', '/') ?? 'none';
      expect(new URL(target, service.url() + pathname).pathname).toBe(`/u/${token}`);
      const answer = await visit(token + tail, { method: 'POST' });
      expect([answer.status, await statusIn(email, lists[0] ?? '')]).toEqual([200, 'Unsubscribed']);
      expect(await service.events(answer.requestId)).toMatchObject([
        { data: { by: { token_hash: tokens.hash(token) } } },
        {},
      ]);
    },
  );

  test('works with percent-encoded letters', async () => {
    const someoneNew = await someone();
    for (const link of [someoneNew.token, linkToAll(someoneNew)]) {
      const [first = '', ...others] = link;
      for (const path of [
        `u/%${first.charCodeAt(0).toString(16)}${others.join('')}`,
        `%75/${link.replace(/[a-f]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)}`,
      ]) {
        const page = await visit(`../${path}`);
        expect([page.status, title(page.text)]).toEqual([200, link.startsWith('p') ? 'Your lists' : 'Unsubscribe']);
      }
    }
  });
});

describe('the page of an e-mail', () => {
  test('is shown, and nothing changes, whoever looks', async () => {
    const { token, names } = await someone(2);
    const before = visits.length;
    const page = await visit(token);
    expect([page.status, title(page.text)]).toEqual([200, 'Unsubscribe']);
    expect(page.text).toContain(names[0]);
    // Of the list of this e-mail alone: e-mails are forwarded.
    expect(page.text).not.toContain(names[1]);
    expect(page.text).not.toContain('@');
    for (const headers of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' }])
      expect((await visit(token, { headers })).text).toBe(page.text);
    const head = await visit(token, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const method of ['OPTIONS', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await visit(token, { method });
      expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'GET, HEAD, POST']);
    }
    expect(await writtenSince(before)).toEqual([]);
  });

  test('runs no script, is cached, indexed and framed nowhere, and names itself to nobody', async () => {
    const { token } = await someone();
    for (const { headers, text } of [await visit(token), await visit('forged')]) {
      expect(text).not.toMatch(/<script|onclick|javascript:/i);
      expect(headers.get('content-security-policy')?.split(';').sort()).toEqual([
        "base-uri 'none'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "style-src 'self'",
      ]);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toContain('noindex');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('ends this list, then all; an e-mail without a list still comes', async () => {
    const { email, token, lists, contactKey } = await someone(2);
    const [list = '', other = ''] = lists;
    const left = await visit(token, { form: { do: 'list' } });
    expect([left.status, title(left.text)]).toEqual([200, 'You are unsubscribed']);
    expect(await service.events(left.requestId)).toMatchObject([
      { type: 'AddressSuppressed', data: { scope: list, by: { kind: 'page', token_hash: tokens.hash(token) } } },
      { type: 'ContactUnsubscribed', data: { list_id: list, by: { kind: 'page', email_id: emailId } } },
    ]);
    expect(await statusIn(email, other)).toBe('Subscribed');
    const none = await visit(token, { form: { do: 'none' } });
    expect([none.status, title(none.text)]).toEqual([200, 'You are unsubscribed from everything']);
    expect(briefly(await service.events(none.requestId))).toEqual([
      ['AddressSuppressed', 'all'],
      ['ContactUnsubscribed', other],
    ]);
    expect(title((await visit(token)).text)).toBe('You are unsubscribed from everything');
    const reset = { from_email: 'a@example.com', to_email: email, subject: 'New password', mail_template: 'x' };
    expect((await service.post('/v1/email/send', reset)).status).toBe(200);
    expect((await service.events()).some(({ stream }) => stream === `suppression-${contactKey}`)).toBe(true);
  });

  test('offers to go on where only the refusal is written, and writes the rest', async () => {
    const { email, token, lists } = await someone();
    const [scope = ''] = lists;
    // As a process leaves it that dies between the two.
    expect((await service.post('/v1/suppressions', { email, reason: 'unsubscribe', scope })).status).toBe(200);
    expect(title((await visit(token)).text)).toBe('Unsubscribe');
    const left = await visit(token, { form: oneClick });
    expect(title(left.text)).toBe('You are unsubscribed');
    expect(briefly(await service.events(left.requestId))).toEqual([['ContactUnsubscribed', scope]]);
  });

  test('where all mail is stopped by others, no link is offered that would not come', async () => {
    const { email, token, ...recipient } = await someone();
    expect((await visit(token)).text).toContain('value="other"');
    await service.post('/v1/suppressions', { email, reason: 'complaint' });
    expect((await visit(token)).text).not.toContain('value="other"');
    const link = linkToAll(recipient);
    const page = await visit(link, { form: { do: 'save', shown: 'all', list: 'all' } });
    expect(page.text).toContain('We send nothing to your address');
    expect(await service.events(page.requestId)).toEqual([]);
  });

  test('a list that is switched off while others stop all mail is refused, and none is switched on', async () => {
    const { email, lists, ...recipient } = await someone(2);
    const [off = '', on = ''] = lists;
    const link = linkToAll(recipient);
    await visit(link, { form: { do: 'save', shown: on } });
    await service.post('/v1/suppressions', { email, reason: 'hard_bounce' });
    const shown = lists.map((id): [string, string] => ['shown', id]);
    const page = await visit(link, { form: new URLSearchParams([['do', 'save'], ...shown, ['list', on]]) });
    expect(page.text).toContain('We send nothing to your address');
    expect(briefly(await service.events(page.requestId))).toEqual([
      ['AddressSuppressed', off],
      ['ContactUnsubscribed', off],
    ]);
  });

  test('says it again where the API has subscribed the contact meanwhile', async () => {
    const { email, token, lists } = await someone();
    await visit(token, { form: oneClick });
    await service.post(`/v1/contacts/${lists[0]}/updatestatus`, { contact_email: email, status: 'Subscribed' });
    expect(title((await visit(token)).text)).toBe('Unsubscribe');
    const again = await visit(token, { form: oneClick });
    expect(briefly(await service.events(again.requestId))).toEqual([['ContactUnsubscribed', lists[0]]]);
  });

  test('the history says by whom and with what', async () => {
    const { email, token, names } = await someone();
    await visit(token, { form: oneClick });
    const { text } = await service.get(`/v1/audit/contacts/${encodeURIComponent(email)}/history`);
    expect(text).toContain(
      `Unsubscribed from the list \\"${names[0]}\\" by the person, with the button in the e-mail of 3 May 2026.`,
    );
    expect(text).toContain('"actor":"recipient"');
  });
});

test('one and the same page for a forged, cut, foreign or erased token, which changes nothing', async () => {
  const { email, token, contactKey, contactId, lists } = await someone();
  const [listId = ''] = lists;
  await erase(email);
  const foreign = createUnsubscribeTokens(deriveUnsubscribeKey('another secret, as long as the first one'));
  const before = visits.length;
  const pages = [];
  for (const wrong of [
    token,
    linkToAll({ contactKey, contactId }),
    `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    token.slice(0, 60),
    foreign.make({ emailId, contactKey, listId }),
    'x',
    '',
    '%zz',
  ])
    for (const given of [{}, { form: oneClick }, { form: { do: 'none' } }]) pages.push(await visit(wrong, given));
  const [first] = pages;
  expect(title(first?.text ?? '')).toBe('This link does not work');
  for (const { status, text } of pages) expect([status, text]).toEqual([404, first?.text]);
  expect(await writtenSince(before)).toEqual([]);
});

describe('languages and looks', () => {
  test.each([
    ['de-AT,en;q=0.5', 'de', 'Abmelden'],
    ['de', 'de', 'Abmelden'],
    ['en-GB', 'en', 'Unsubscribe'],
    ['ja,*;q=0.1', 'en', 'Unsubscribe'],
    ['fr', 'fr', 'Se désabonner'],
  ])('Accept-Language: %s', async (asked, language, heading) => {
    const { token } = await someone();
    const { text, headers } = await visit(token, { headers: { 'accept-language': asked } });
    expect(title(text)).toBe(heading);
    expect(text).toContain(`<html lang="${language}">`);
    expect(headers.get('content-language')).toBe(language);
  });

  test('the operator’s colours, logo and name', async () => {
    const { token } = await someone();
    const { text } = await visit(token);
    expect(text).toContain('<img class="logo" src="logo" alt="Ada &lt;Books&gt;">');
    const style = await visit('style.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.text).toMatch(/--accent: #0b57d0[^]*--accent: #7a1fa2/);
    const logo = await visit('logo');
    expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test('the name of a list is text', async () => {
    const name = `<b>${unique('Bold')}</b>`;
    const { contactKey } = await someone();
    const listId = await newList(name);
    const { text } = await visit(tokens.make({ emailId, contactKey, listId }));
    expect(text).not.toContain('<b>');
    expect(text).toContain('&lt;b&gt;');
  });
});

describe('the link to all lists', () => {
  /** The links in the outbox to this person. */
  async function mailed(email: string): Promise<readonly string[]> {
    const outbox = path.join(service.dataDir, 'outbox');
    const files = readdirSync(outbox).filter((name) => name.endsWith('.eml'));
    const emails = await Promise.all(files.map((name) => PostalMime.parse(readFileSync(path.join(outbox, name)))));
    return emails
      .filter(({ to, from }) => to?.[0]?.address === email && from?.address === 'ada@example.com')
      .map(({ html = '' }) => /href="https:\/\/mail\.example\.com\/x\/u\/([^"]+)"/.exec(html)?.[1] ?? html);
  }

  test('goes to the address, once an hour, also over a restart; its page has a switch for each list', async () => {
    const { email, lists, names, token } = await someone(3);
    const [list = '', other = '', third = ''] = lists;
    const asked = await visit(token, { form: { do: 'other' } });
    expect([asked.status, title(asked.text)]).toEqual([200, 'Look into your mailbox']);
    expect(asked.text).not.toContain('@');
    const [link = ''] = await eventually(async () => {
      const links = await mailed(email);
      return links.length > 0 ? links : undefined;
    });
    await service.kill('SIGKILL');
    await service.start();
    const again = await visit(token, { form: { do: 'other' } });
    expect([again.status, again.text]).toEqual([200, asked.text]);
    expect(await service.events(again.requestId)).toEqual([]);

    const page = await visit(link);
    expect([page.status, title(page.text)]).toEqual([200, 'Your lists']);
    for (const name of names) expect(page.text).toContain(name);
    expect(page.text.match(/ checked/g)).toHaveLength(3);

    const shown = lists.map((id): [string, string] => ['shown', id]);
    const save = (...wanted: readonly string[]) =>
      visit(link, {
        form: new URLSearchParams([['do', 'save'], ...shown, ...wanted.map((id): [string, string] => ['list', id])]),
      });
    const off = await save(other, third);
    expect(off.text).toContain('Your choice is saved.');
    expect(off.text.match(/ checked/g)).toHaveLength(2);
    expect(briefly(await service.events(off.requestId))).toEqual([
      ['AddressSuppressed', list],
      ['ContactUnsubscribed', list],
    ]);
    const none = await visit(link, { form: { do: 'none' } });
    expect(none.text).not.toContain(' checked');
    // One of them back: the others stay refused, one by one.
    const back = await save(list);
    expect(back.text.match(/ checked/g)).toHaveLength(1);
    const events = await service.events(back.requestId);
    expect(briefly(events)).toEqual([
      ['AddressSuppressed', other],
      ['AddressSuppressed', third],
      ['ContactSubscribed', list],
      ['AddressReleased', list],
      ['AddressReleased', 'all'],
    ]);
    expect(events[2]).toMatchObject({
      data: {
        by: { kind: 'page', email_id: emailId },
        person: { consent: { source: 'page', statement: `I want to get the e-mails of these lists: ${names[0]}` } },
      },
    });
    expect(await statusIn(email, list)).toBe('Subscribed');
    expect(await service.events((await save(list)).requestId)).toEqual([]);
  });

  test('ends after an hour', async () => {
    const { contactKey, contactId } = await someone();
    const before = visits.length;
    // A link that ends later than an hour from now was made while the clock was ahead.
    for (const until of [Date.now() - 1_000, Date.now() + 7_200_000])
      for (const given of [{}, { form: { do: 'none' } }]) {
        const page = await visit(tokens.makeForLists({ emailId, contactKey, contactId, until }), given);
        expect([page.status, title(page.text)]).toEqual([410, 'This link has expired']);
      }
    expect(await writtenSince(before)).toEqual([]);
  });

  test('changes nothing by a POST without do', async () => {
    const link = linkToAll(await someone());
    for (const given of [{ method: 'POST' }, { form: oneClick }, { form: 'List-Unsubscribe=One-Click' }]) {
      const answer = await visit(link, given);
      expect([answer.status, title(answer.text)]).toEqual([400, 'Your lists']);
      expect(await service.events(answer.requestId)).toEqual([]);
    }
  });

  test('from before an erasure neither shows nor changes the next contact of its address', async () => {
    const { email, lists, token } = await someone();
    const [list = ''] = lists;
    const newLink = async (known?: string): Promise<string> => {
      await visit(token, { form: { do: 'other' } });
      return await eventually(async () => (await mailed(email)).find((link) => link !== known));
    };
    const link = await newLink();
    await erase(email);
    await subscribe(email, lists, 'Unsubscribed');
    for (const given of [{}, { form: { do: 'save', shown: list, list } }, { form: { do: 'none' } }]) {
      const page = await visit(link, given);
      expect([page.status, title(page.text)]).toEqual([404, 'This link does not work']);
      expect(await service.events(page.requestId)).toEqual([]);
    }
    expect(await statusIn(email, list)).toBe('Unsubscribed');
    // The next contact gets a link of its own within the same hour.
    expect(title((await visit(await newLink(link))).text)).toBe('Your lists');
  });

  test('knows only the lists of the person', async () => {
    const link = linkToAll(await someone());
    const foreign = await newList();
    const form = new URLSearchParams([
      ['do', 'save'],
      ['shown', foreign],
      ['list', foreign],
    ]);
    const answer = await visit(link, { form });
    expect(answer.status).toBe(200);
    expect(await service.events(answer.requestId)).toEqual([]);
  });
});

test('the clicks of many people from one address of their provider are all taken', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => someone()));
  const headers = { 'x-forwarded-for': '198.51.100.3' };
  for (const { token } of people) {
    const answers = await Promise.all(Array.from({ length: 60 }, () => visit(token, { form: oneClick, headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
});

test('the limit is one of its own, for each network, in words', async () => {
  const { token } = await someone();
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  const answers = await Promise.all(Array.from({ length: 110 }, () => visit('forged', { headers })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
  const limited = answers.find(({ status }) => status === 429);
  expect(limited?.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(title(limited?.text ?? '')).toBe('That did not work');
  expect((await visit(token, { headers: { 'x-forwarded-for': '198.51.100.2' } })).status).toBe(200);
});

test('no path of a link reaches the log of the service', () => {
  const output = service.output();
  expect(output).toContain('"route":"/u/{token}"');
  expect(output).not.toMatch(/\/u\/[^{"]|(?:1|p2)[0-9A-Z]{26}[0-9a-f]{32}/);
});
