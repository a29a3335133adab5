/** Metrics of a running service: what they count, in which form, and who may read them. */
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someAddress } from '../support/answers.js';
import { onServers } from '../support/stores.js';
import { eventually, startService, type Service } from '../support/service.js';
import { scrape, sum } from './alarming.js';

/** Of ten thousand, run by hand, the outcome was the same. */
const loadRequests = 1_000;

let service: Service;
let figures: string;

beforeAll(async () => {
  service = await startService({ env: { METRICS_PORT: '0' } });
  const address = await eventually(async () => /"metrics":"(http:[^"]+)"/.exec(service.output())?.[1]);
  figures = `${address}/metrics`;
});
afterAll(() => service.close());

async function read(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string; text: string }> {
  const request = http.get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return { status: response.statusCode ?? 0, type: String(response.headers['content-type']), text };
}

/** The value of a series; 0 where there is none yet. */
async function value(series: string): Promise<number> {
  const { text } = await read(figures);
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

const requests = (route: string, code: number, method = 'POST'): string =>
  `audience_http_request_duration_seconds_count{method="${method}",route="${route}",code="${code}"}`;

describe('what is counted', () => {
  test('each request once, by the pattern of its path', async () => {
    const route = '/v1/contacts/{list_id}/create';
    const listId = (await service.post('/v1/lists/create', { list_name: 'Counted' })).field('list_id');
    const before = await value(requests(route, 200));
    for (let count = 0; count < 5; count += 1)
      await service.post(`/v1/contacts/${listId}/create`, { email: someAddress(), status: 'Subscribed' });
    await service.post(`/v1/contacts/${listId}/create`, { email: 'nobody', status: 'Subscribed' });
    expect(await value(requests(route, 200))).toBe(before + 5);
    expect(await value(requests(route, 400))).toBe(1);
  });

  test('paths that there are not, odd methods and unknown keys make no series of their own', async () => {
    for (let count = 0; count < 20; count += 1) {
      await service.get(`/v1/nothing-${count}`);
      await service.request('PROPFIND', `/v1/odd-${count}`);
      await service.get('/v1/lists', { authorization: `Bearer wrong-${count}` });
    }
    const { text } = await read(figures);
    expect(text).not.toMatch(/nothing-|odd-|wrong-|PROPFIND/);
    expect(await value(requests('-', 404, 'GET'))).toBe(20);
    expect(await value(requests('-', 404, 'other'))).toBe(20);
    expect(await value(requests('/v1/lists', 401, 'GET'))).toBe(20);
  });

  test('commands by outcome, and events by type', async () => {
    const [changed, refused, created] = [
      'audience_commands_total{outcome="changed"}',
      'audience_commands_total{outcome="refused"}',
      'audience_events_appended_total{type="GroupCreated"}',
    ];
    const before = [await value(changed), await value(refused), await value(created)];
    await service.post('/v1/groups/create', { group_name: 'Once' });
    await service.post('/v1/groups/create', { group_name: 'Once' });
    expect([await value(changed), await value(refused), await value(created)]).toEqual(
      before.map((count) => count + 1),
    );
  });

  test('attempts to send, by outcome and reason', async () => {
    await service.post('/v1/email/send', {
      from_email: 'a@example.com',
      to_email: someAddress(),
      subject: 'Hello',
      mail_template: 'Hello',
    });
    await expect
      .poll(() => value('audience_email_attempts_total{outcome="sent",reason="written"}'), { timeout: 10_000 })
      .toBe(1);
    expect(await value('audience_email_transport_seconds_count{outcome="sent"}')).toBe(1);
  });

  test('how the parts are', async () => {
    expect(await value('audience_log_writable')).toBe(1);
    expect(await value('audience_projection_role{role="leading"}')).toBe(1);
    expect(await value('audience_subscriber_can_look{subscriber="mailer"}')).toBe(1);
    await expect.poll(() => value('audience_subscriber_lag_seconds{subscriber="mailer"}')).toBe(0);
    expect(await value('audience_relay_refuses')).toBe(0);
    expect(await value('audience_process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    await expect.poll(() => value('audience_projection_lag_seconds'), { timeout: 10_000 }).toBe(0);
  });

  test('the position of the views counts on, in a number that holds it exactly', async () => {
    await service.post('/v1/groups/create', { group_name: 'Position' });
    const before = await value('audience_projection_position');
    await service.post('/v1/groups/create', { group_name: 'Position and on' });
    await expect.poll(() => value('audience_projection_position'), { timeout: 10_000 }).toBeGreaterThan(before);
    expect(await value('audience_projection_position')).toSatisfy(Number.isSafeInteger);
  });

  test('what runs and waits: slots, subscribers, threads, seals, verification', async () => {
    const all = await scrape(service);
    const slots = all.filter(({ name }) => name === 'audience_slots_waiting').map(({ labels }) => labels['slots']);
    expect(slots.sort()).toEqual([
      'contacts_bulks',
      'email_reports',
      'exports',
      'feeds',
      'lists_at',
      'replays',
      'reports',
      'suppressions_bulks',
    ]);
    expect(sum(all, 'audience_subscriber_leads', (of) => of['subscriber'] === 'mailer')).toBe(1);
    for (const thread of onServers ? ['main', 'projector'] : ['main', 'projector', 'event-log-writer'])
      expect(sum(all, 'audience_thread_heap_bytes', (of) => of['thread'] === thread)).toBeGreaterThan(1_000_000);
    if (onServers) {
      for (const store of ['eventstoredb', 'mongodb'])
        expect(
          sum(all, 'audience_store_request_duration_seconds_count', (of) => of['store'] === store),
          store,
        ).toBeGreaterThan(0);
      return;
    }
    expect(sum(all, 'audience_log_events')).toBe(await service.countEvents());
    expect(sum(all, 'audience_log_waiting_appends')).toBe(0);
    expect(sum(all, 'audience_log_commit_seconds_count')).toBeGreaterThan(0);
    expect(sum(all, 'audience_log_verified_events')).toBeGreaterThan(0);
  });

  test('what a bulk request holds up', async () => {
    const listId = await service.make('/v1/lists/create', { list_name: 'Bulk' }, 'list_id');
    const bulk = http.request(`${service.url()}/v1/contacts/${listId}/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
    });
    bulk.on('error', () => undefined);
    bulk.write('{');
    const running = async (): Promise<number> =>
      sum(await scrape(service), 'audience_slots_running', (of) => of['slots'] === 'contacts_bulks');
    await eventually(async () => (await running()) === 1 || undefined, { what: 'a bulk request that runs' });
    bulk.destroy();
    await eventually(async () => (await running()) === 0 || undefined, { what: 'its end' });
  });

  test('as many requests as clients sent, to the last, and no more series for ten thousand of them', async () => {
    const before = await scrape(service);
    const sent = new Map<string, number>();
    const listId = await service.make('/v1/lists/create', { list_name: 'Load' }, 'list_id');
    const create = `/v1/contacts/${listId}/create`;
    const kinds: readonly ((at: number) => Promise<{ readonly status: number }>)[] = [
      () => service.post(create, { email: someAddress(), status: 'Subscribed' }),
      (at) => service.post('/v1/groups/create', { group_name: `Group of load ${at}` }),
      (at) => service.get(`/v1/load-${at}/${at}`),
      (at) => service.get('/v1/lists', { authorization: `Bearer load-${at}-${at}` }),
      (at) => service.get(`/v1/contacts/${listId}?cursor=load-${at}`),
    ];
    let next = 0;
    const client = async (): Promise<void> => {
      for (let at = (next += 1); at <= loadRequests; at = next += 1) {
        const { status } = (await kinds[at % kinds.length]?.(at)) ?? { status: 0 };
        sent.set(String(status), (sent.get(String(status)) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    const after = await scrape(service);
    const name = 'audience_http_request_duration_seconds_count';
    for (const [code, count] of sent) {
      const of = (all: typeof after): number =>
        sum(all, name, (labels) => labels['code'] === code && labels['route'] !== '/metrics');
      expect({ code, count: of(after) - of(before) }).toEqual({ code, count: count + (code === '200' ? 1 : 0) });
    }
    // Of each new pair of pattern and code a histogram, and no more.
    expect(after.length - before.length).toBeLessThan(150);
    expect(JSON.stringify(after)).not.toMatch(/load-|Group of load|@/);
  });

  test('nothing personal', async () => {
    const email = someAddress();
    const listId = (await service.post('/v1/lists/create', { list_name: 'Nobody reads this name' })).field('list_id');
    await service.post(`/v1/contacts/${listId}/create`, { email, status: 'Subscribed', firstName: 'Wilhelmina' });
    const { text } = await read(figures);
    for (const secret of [email, listId, 'Wilhelmina', 'Nobody reads', service.key]) expect(text).not.toContain(secret);
  });
});

describe('who may read, and how', () => {
  test('the main port asks for a key with the scope `metrics`', async () => {
    expect((await service.request('GET', '/metrics', { headers: { authorization: undefined } })).status).toBe(401);
    const answer = await service.get('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const made = await service.post('/v1/keys', { name: 'reads lists', scopes: ['lists:read'] });
    const other = await service.get('/metrics', { authorization: `Bearer ${made.field('secret')}` });
    expect(other.status).toBe(403);
  });

  test('both forms, one after the other and at once, name the same series', async () => {
    const openmetrics = { accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' };
    const [one, other, again] = await Promise.all([read(figures), read(figures, openmetrics), read(figures)]);
    expect(other.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(other.text).toMatch(/# TYPE audience_commands counter[^]*audience_commands_total\{[^]*# EOF\n$/);
    for (const { type, text } of [one, again]) {
      expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(text).toContain('# TYPE audience_commands_total counter');
      expect(text).toContain('audience_commands_total{outcome="changed"}');
    }
  });

  test('the port of its own answers nothing else', async () => {
    expect((await read(figures.replace('/metrics', '/v1/lists'))).status).toBe(404);
    expect((await read(figures)).status).toBe(200);
  });

  test('a request whose path is no URL is 404 there, and ends nothing', async () => {
    const { port } = new URL(figures);
    for (const path of ['//', 'http://[', '*']) {
      const [response] = (await once(http.get({ port, path, agent: false }), 'response')) as [http.IncomingMessage];
      expect([path, response.resume().statusCode]).toEqual([path, 404]);
    }
    expect((await read(figures)).status).toBe(200);
  });
});
