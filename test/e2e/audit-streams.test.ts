/** What the auditor gets piece by piece: lists at a time, and the event feed. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal, refusals, someAddress, someRequestId, strangerId, unauthorized, unique } from '../support/answers.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const now = (): string => encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
const linesOf = ({ text }: Answer): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function listOf(members: number) {
  const name = unique('List');
  const list = await service.make('/v1/lists/create', { list_name: name }, 'list_id');
  const emails: string[] = [];
  for (let number = 0; number < members; number += 1) {
    const email = someAddress(`m${number}`);
    await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
    emails.push(email);
  }
  return { list, name, emails };
}

describe('GET /v1/audit/lists/{list_id}/at', () => {
  const at = (list: string, query: string): Promise<Answer> => service.get(`/v1/audit/lists/${list}/at${query}`);

  test('NDJSON: the list, each member, and the end', async () => {
    const { list, name, emails } = await listOf(3);
    const requestId = someRequestId();
    const change = { contact_email: emails[1], status: 'Unsubscribed' };
    await service.post(`/v1/contacts/${list}/updatestatus`, change, { 'x-request-id': requestId });
    const tagName = unique('a;b,"c"');
    await service.post(`/v1/contacts/tags/${list}/add`, { contact_email: emails[2], tag_name: [tagName] });
    const answer = await at(list, `?time=${now()}`);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(linesOf(answer)).toMatchObject([
      {
        line: 'list',
        list_id: list,
        list_name: name,
        state: 'living',
        because: { type: 'ListCreated', actor: 'test' },
      },
      { line: 'member', email: emails[0], status: 'Subscribed', tags: [] },
      { line: 'member', email: emails[1], status: 'Unsubscribed', because: { request_id: requestId, actor: 'test' } },
      { line: 'member', email: emails[2], tags: [{ tag_name: tagName }] },
      { line: 'end', members: 3, seal: null },
    ]);
    expect(linesOf(await at(list, '?time=2020-01-01'))).toMatchObject([
      { line: 'list', list_name: null, state: 'not_created', because: null },
      { line: 'end', members: 0, seal: null },
    ]);
    await service.request('DELETE', `/v1/lists/${list}/delete`);
    expect(linesOf(await at(list, `?time=${now()}`))).toMatchObject([{ state: 'deleted' }, { members: 0 }]);
  });

  test('CSV: a head, a row a member, no formulas', async () => {
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const email = `=cmd.${randomBytes(6).toString('hex')}@example.com`;
    const tagName = unique('a,"b"');
    const body = { email, status: 'Subscribed', tag_name: [tagName] };
    await service.post(`/v1/contacts/${list}/upsertcontact`, body);
    const answer = await at(list, `?time=${now()}&format=csv`);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    const [head, row, ...rest] = answer.text.split('\r\n');
    expect(head).toBe(
      'contact_id,email,status,tags,since,event_id,type,actor,request_id,position,created_at,erased_at',
    );
    const tags = `"${JSON.stringify([tagName]).replaceAll('"', '""')}"`;
    expect(row).toContain(`,'${email},Subscribed,${tags},`);
    expect(rest).toEqual(['']);
    expect((await at(list, '?time=2020-01-01&format=csv')).text).toBe(`${head ?? ''}\r\n`);
  });

  test('refusals come in the envelope: key, method, unknown list, time, format, parameter', async () => {
    const target = `/v1/audit/lists/${strangerId('lst')}/at?time=2026-03-01`;
    const keyless = await service.get(target, { authorization: 'Bearer nobody' });
    expect(keyless).toMatchObject({ status: 401, body: unauthorized({}) });
    expect(keyless.headers['www-authenticate']).toBe('Bearer');
    expect(await service.post(target, {})).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect((await service.get(target)).body).toEqual(refusals.list);
    const { list } = await listOf(0);
    expect((await at(list, '')).body).toEqual(refusal('time is required', {}));
    expect((await at(list, '?time=2026-03-01&format=xml')).body).toEqual(refusal('format must be ndjson or csv', {}));
    expect((await at(list, '?time=2026-03-01&limit=1')).body).toEqual(refusal('Unknown query parameter limit', {}));
    const head = await service.request('HEAD', `/v1/audit/lists/${list}/at?time=2026-03-01`);
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-type': 'application/x-ndjson' } });
  });

  test('24 at once wait for each other, and so do reports and exports of a person', async () => {
    const { list, emails } = await listOf(3);
    const email = encodeURIComponent(emails[0] ?? '');
    for (const path of [
      `/v1/audit/lists/${list}/at?time=${now()}`,
      `/v1/audit/contacts/${email}/report`,
      `/v1/privacy/export?email=${email}`,
    ]) {
      const answers = await Promise.all(Array.from({ length: 24 }, () => service.get(path)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
  });

  test('a client that leaves in the middle takes nothing with it', async () => {
    const { list } = await listOf(1);
    for (let round = 0; round < 5; round += 1) {
      const stream = await open(`/v1/audit/lists/${list}/at?time=${now()}`);
      stream.leave();
    }
    // Only two may run at once: were those still running, this one would wait in vain.
    expect(linesOf(await at(list, `?time=${now()}`)).at(-1)).toEqual({ line: 'end', members: 1, seal: null });
  });
});

interface Open {
  readonly response: http.IncomingMessage;
  /** What has come so far, once it fits. */
  until(fits: (text: string) => boolean): Promise<string>;
  ended(): Promise<void>;
  leave(): void;
}

/** A request whose answer is read as it comes. */
function open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Open> {
  return new Promise((resolve, reject) => {
    const all = { authorization: `Bearer ${service.key}`, ...headers };
    const request = http.get(`${service.url()}${path}`, { headers: all, agent: false }, (response) => {
      let text = '';
      let look = (): void => undefined;
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        look();
      });
      response.on('error', () => undefined);
      const ended = new Promise<void>((done) => response.once('close', done));
      resolve({
        response,
        until: (fits) =>
          new Promise((found) => {
            look = () => {
              if (fits(text)) found(text);
            };
            look();
          }),
        ended: () => ended,
        leave: () => request.destroy(),
      });
    });
    request.on('error', reject);
  });
}

describe('GET /v1/lists/{list_id}/diff', () => {
  const diff = (list: string, query: string): Promise<Answer> => service.get(`/v1/lists/${list}/diff${query}`);

  test('who joined, left and changed, with the reason, and the read on record', async () => {
    const { list, emails } = await listOf(3);
    const from = new Date().toISOString();
    await expect.poll(() => new Date().toISOString() > from).toBe(true);
    const [gone, changed] = emails;
    const requestId = someRequestId();
    const change = { contact_email: changed, status: 'Unsubscribed' };
    await service.post(`/v1/contacts/${list}/updatestatus`, change, { 'x-request-id': requestId });
    await service.post('/v1/privacy/erasures', { email: gone });
    const email = someAddress('joined');
    await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
    await expect
      .poll(async () => linesOf(await diff(list, `?from=${from}&to=${now()}`)))
      .toMatchObject([
        { line: 'list', list_id: list, from, state_before: 'living', state: 'living' },
        {
          email: changed,
          change: 'changed',
          status_before: 'Subscribed',
          status: 'Unsubscribed',
          because: { type: 'ContactUnsubscribed', request_id: requestId },
        },
        { email, change: 'joined', status_before: null, because: { type: 'ContactSubscribed' } },
        { email: null, change: 'left', status: null, because: { type: 'ContactErased' } },
        { line: 'end', joined: 1, left: 1, changed: 1, seal: null },
      ]);
    const csv = await diff(list, `?from=${from}&to=${now()}&format=csv`);
    expect(csv.text.split('\r\n')).toHaveLength(5);
    const reads = (await service.get(`/v1/audit/access?from=${from}&limit=200`)).items();
    expect(reads).toContainEqual(expect.objectContaining({ what: 'list', subject: list, from }));
  });

  test('refusals: order of times, unknown list, what is missing', async () => {
    const { list } = await listOf(0);
    expect((await diff(list, '?from=2026-03-02&to=2026-03-01')).status).toBe(400);
    expect((await diff(list, '?from=2026-03-01')).body).toMatchObject({ message: 'to is required' });
    expect((await diff(strangerId('lst'), '?from=2026-03-01&to=2026-03-02')).status).toBe(404);
  });
});

describe('GET /v1/audit/events', () => {
  const feed = (query: string): Promise<Answer> => service.get(`/v1/audit/events${query}`);
  const positionNow = async (): Promise<string> => {
    const answer = await service.post('/v1/groups/create', { group_name: unique('Group') });
    return String(answer.headers['x-position']);
  };

  test('pages of JSON tell every event of the log, once and in order', async () => {
    await listOf(5);
    const seen: unknown[] = [];
    let after = '';
    for (;;) {
      const page = await feed(`?limit=7${after}`);
      seen.push(...page.items().map((item) => item['event_id']));
      const { next_after, has_more } = page.body as { next_after: string; has_more: boolean };
      if (!has_more) break;
      after = `&after=${next_after}`;
    }
    const others = (await service.events()).filter(({ type }) => type !== 'RecordRead');
    expect(seen).toEqual(others.map(({ event_id }) => event_id));
  });

  test('an event in full', async () => {
    const after = await positionNow();
    const requestId = someRequestId();
    const groupName = unique('Group');
    await service.post('/v1/groups/create', { group_name: groupName }, { 'x-request-id': requestId });
    const [event] = await service.events(requestId);
    // Only this type: an erasure of an earlier test may be completed in between.
    const page = await feed(`?after=${after}&types=GroupCreated`);
    expect(page.items()).toEqual([
      {
        position: expect.stringMatching(/^\d+$/) as unknown,
        stream: 'groups',
        revision: event?.revision,
        event_id: event?.event_id,
        type: 'GroupCreated',
        at: event?.metadata['at'],
        actor: 'test',
        request_id: requestId,
        correlation_id: event?.metadata['$correlationId'],
        causation_id: event?.metadata['$causationId'],
        schema: 1,
        data: event?.data,
      },
    ]);
    const next = (page.body as { next_after: string }).next_after;
    expect((await feed(`?after=${next}&types=GroupCreated`)).body).toMatchObject({ data: [], has_more: false });
  });

  test('some types only; NDJSON, with and without limit', async () => {
    const after = await positionNow();
    await listOf(3);
    const page = await feed(`?after=${after}&types=ContactCreated,ListCreated`);
    expect(page.items().map((item) => item['type'])).toEqual([
      'ListCreated',
      ...Array<string>(3).fill('ContactCreated'),
    ]);
    const lines = await feed(`?after=${after}&types=ContactCreated,ListCreated&format=ndjson`);
    expect(lines.headers['content-type']).toBe('application/x-ndjson');
    expect(linesOf(lines)).toEqual(page.items());
    expect(linesOf(await feed(`?after=${after}&format=ndjson&limit=2`))).toHaveLength(2);
    expect((await feed(`?after=now&format=ndjson`)).text).toBe('');
    const everything = await feed('?format=ndjson');
    expect(linesOf(everything)).toEqual(expect.arrayContaining([...page.items()]));
  });

  test.for([
    ['?after=x', 'after is not a position of this log'],
    ['?after=1.5', 'after is not a position of this log'],
    ['?types=ContactKidnapped', 'types must be names of events: there is no "ContactKidnapped"'],
    ['?types=ContactCreated,', 'types must be names of events: there is no ""'],
    ['?follow=yes', 'follow must be true or false'],
    ['?format=xml', 'format must be json or ndjson'],
    ['?limit=0', 'limit must be a whole number from 1 to 200'],
    ['?format=ndjson&limit=201', 'limit must be a whole number from 1 to 200'],
    ['?type=ContactCreated', 'Unknown query parameter type'],
    ['?follow=true&limit=3', 'limit cannot be combined with follow=true'],
    ['?follow=true&format=json', 'format cannot be combined with follow=true'],
  ] as const)('refuses %s', async ([query, message]) => {
    const answer = await feed(query);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(refusal(message, {}));
  });

  test('takes a position with or without zeros in front', async () => {
    const first = String((await feed('?limit=1')).items()[0]?.['position']);
    // Each read is recorded, so the log is longer after it.
    const { total: _, ...page } = (await feed(`?after=${first}&limit=3`)).body as { readonly total: number };
    for (const same of [first.replace(/^0+/, ''), `00${first}`])
      expect((await feed(`?after=${same}&limit=3`)).body).toMatchObject(page);
  });

  test('refuses a position beyond the head, however it is asked for: the log is not the one that gave it out', async () => {
    const beyond = '9'.repeat(String((await feed('?limit=1')).items()[0]?.['position']).length);
    for (const query of [`?after=${beyond}`, `?after=${beyond}&format=ndjson`, `?after=${beyond}&follow=true`])
      expect((await feed(query)).body).toEqual(refusal('after is not a position of this log', {}));
    const back = await service.get('/v1/audit/events?follow=true', { 'last-event-id': beyond });
    expect(back.body).toEqual(refusal('after is not a position of this log', {}));
  });

  test('refuses a missing key and another method', async () => {
    for (const query of ['', '?format=ndjson', '?follow=true'])
      expect((await service.get(`/v1/audit/events${query}`, { authorization: undefined })).status).toBe(401);
    expect(await service.post('/v1/audit/events', {})).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  test('follows as server-sent events, and goes on where a client was cut off', async () => {
    const after = await positionNow();
    const stream = await open(`/v1/audit/events?follow=true&types=GroupCreated&after=${after}`);
    expect(stream.response.headers['content-type']).toBe('text/event-stream');
    const first = unique('First');
    await service.post('/v1/groups/create', { group_name: first });
    await listOf(1);
    const second = unique('Second');
    await service.post('/v1/groups/create', { group_name: second });
    const text = await stream.until((so_far) => so_far.includes(second));
    expect(text.match(/^event: .*$/gm)).toEqual(['event: GroupCreated', 'event: GroupCreated']);
    const [id] = /^id: [\d.a-f-]+(?=\nevent)/m.exec(text) ?? [''];
    stream.leave();

    const third = unique('Third');
    const again = await open('/v1/audit/events?follow=true&types=GroupCreated', { 'last-event-id': id.slice(4) });
    await service.post('/v1/groups/create', { group_name: third });
    const more = await again.until((so_far) => so_far.includes(third));
    expect(more).not.toContain(first);
    expect(more).toContain(second);
    again.leave();
  });

  test('an event reaches its followers without being asked for again', async () => {
    const stream = await open('/v1/audit/events?follow=true&after=now');
    const name = unique('Group');
    const [text] = await Promise.all([
      stream.until((so_far) => so_far.includes(name)),
      service.post('/v1/groups/create', { group_name: name }),
    ]);
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? '';
    expect(JSON.parse(data)).toMatchObject({ type: 'GroupCreated', data: { group_name: name } });
    stream.leave();
  });

  test('a follower that wants nothing of what happens is told how far the log has come', async () => {
    const stream = await open('/v1/audit/events?follow=true&after=now&types=TagDeleted');
    const position = await positionNow();
    await stream.until((so_far) => new RegExp(`^id: ${position}\\.[0-9a-f-]{36}\n\n`, 'm').test(so_far));
    stream.leave();
  });

  test('a key has at most 25 followers and a process 100, and the log line of a refused one has no stack', async () => {
    const route = '/v1/audit/events';
    const follow = `${route}?follow=true&after=now`;
    const keys = await Promise.all(
      ['A', 'B', 'C', 'D', 'E'].map(async (name) => {
        const secret = await service.make('/v1/keys', { name: unique(name), scopes: ['audit:read'] }, 'secret');
        return { authorization: `Bearer ${secret}` };
      }),
    );
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    for (const key of keys.slice(0, 4)) {
      streams.push(...(await Promise.all(Array.from({ length: 25 }, () => open(follow, key)))));
      expect(await service.get(follow, key)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    }
    expect(streams.map(({ response }) => response.statusCode)).toEqual(Array(100).fill(200));
    const refused = await service.get(follow, keys[4]);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect(refused.body).toMatchObject({ type: 'unavailable' });
    for (const stream of streams) stream.leave();
    const requestId = String(refused.headers['x-request-id']);
    const line = await eventually(async () =>
      service
        .output()
        .split('\n')
        .find((one) => one.includes(requestId)),
    );
    expect(JSON.parse(line)).toMatchObject({ level: 40, route, status: 503 });
    expect(line).not.toMatch(/"err"|stack/);
    // Places are free again.
    await eventually(async () => {
      const stream = await open(`${route}?follow=true&after=now`);
      stream.leave();
      return stream.response.statusCode === 200 ? true : undefined;
    });
  });

  test('a stop does not wait for followers', async () => {
    const stream = await open('/v1/audit/events?follow=true&after=now');
    const started = Date.now();
    const exit = await service.kill('SIGTERM');
    await stream.ended();
    expect(exit.code).toBe(0);
    expect(Date.now() - started).toBeLessThan(5_000);
    await service.start();
  });

  test('nothing of an event is logged', async () => {
    const { emails, list } = await listOf(1);
    await feed('?format=ndjson');
    await service.get(`/v1/audit/lists/${list}/at?time=${now()}`);
    await service.kill('SIGTERM');
    const output = service.output();
    for (const route of ['/v1/audit/events', '/v1/audit/lists/{list_id}/at'])
      expect(output).toContain(`"route":"${route}"`);
    expect(output).not.toContain(emails[0]);
  });
});
