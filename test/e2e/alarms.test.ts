/** Each alarm of deploy/prometheus/alerts.yml: its trouble is made on a running service, and its metric passes the threshold. */
import { rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { someAddress, unique } from '../support/answers.js';
import { realTime } from '../support/real-time.js';
import { eventually, startService, type Service, type ServiceOptions } from '../support/service.js';
import { openSmtp } from '../support/smtp.js';
import { onServers } from '../support/stores.js';
import { append, fires, firing, freePort, scrape, sum, type Series } from './alarming.js';
import { pipe, requests } from './log-destinations.js';

const services: Service[] = [];
afterAll(async () => {
  for (const service of services) await service.close();
});

async function started(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  services.push(service);
  return service;
}

const requestCount = 'audience_http_request_duration_seconds_count';
const newGroup = (service: Service): Promise<unknown> => service.post('/v1/groups/create', { group_name: unique('G') });
const send = (service: Service): Promise<unknown> =>
  service.post('/v1/email/send', {
    from_email: 'a@example.com',
    to_email: someAddress(),
    subject: 'Hello',
    mail_template: 'Hello',
  });

/** The highest value of the bucket in which this share of the requests since the scrape before ends. */
function quantile(share: number, before: readonly Series[], after: readonly Series[], method: string): number {
  const name = 'audience_http_request_duration_seconds_bucket';
  const within = (le: string): number =>
    sum(after, name, (of) => of['le'] === le && of['method'] === method) -
    sum(before, name, (of) => of['le'] === le && of['method'] === method);
  const bounds = [...new Set(after.filter((one) => one.name === name).map(({ labels }) => labels['le'] ?? ''))];
  const found = bounds.find((le) => within(le) >= share * within('+Inf'));
  return Number(found?.replace('+Inf', 'Infinity'));
}

test.skipIf(onServers)('the clock is more than a day ahead of the last note: AudienceClockNotTrusted', async () => {
  const service = await started();
  await service.kill('SIGTERM');
  writeFileSync(path.join(service.dataDir, 'clock.json'), '{"noted_at":"2026-01-01T00:00:00.000Z"}');
  await service.start();
  const trusted = async (): Promise<number> => sum(await scrape(service), 'audience_clock_trusted');
  await firing('AudienceClockNotTrusted', trusted);
  await service.post('/v1/clock/confirm');
  expect(fires('AudienceClockNotTrusted', await trusted())).toBe(false);
});

test('the mail server is away: AudienceRelayRefuses', async () => {
  const service = await started({ env: { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` } });
  for (let count = 0; count < 6; count += 1) await send(service);
  await firing('AudienceRelayRefuses', async () => sum(await scrape(service), 'audience_relay_refuses'));
  // The first scrape was before.
  await eventually(
    async () => sum(await scrape(service), 'audience_emails', ({ state }) => state === 'deferred') > 0 || undefined,
  );
});

test('recipients are refused, and an erasure waits for an e-mail: AudienceEmailsFail, AudienceErasureWaits', async () => {
  const server = await openSmtp(['recipient 550', 'hang after dot']);
  const service = await started({ env: { SMTP_URL: server.url } });
  await send(service);
  await firing('AudienceEmailsFail', async () => {
    const now = await scrape(service);
    const name = 'audience_email_attempts_total';
    return sum(now, name, ({ outcome }) => outcome === 'failed' || outcome === 'held') / sum(now, name);
  });
  const email = someAddress();
  await service.post('/v1/email/send', {
    from_email: 'a@example.com',
    to_email: email,
    subject: 'Hello',
    mail_template: 'Hello',
  });
  await eventually(() => Promise.resolve(server.messages.length > 0 || undefined));
  const from = Date.now() / 1_000 - 1;
  await service.post('/v1/privacy/erasures', { email });
  await firing('AudienceErasureWaits', async () => sum(await scrape(service), 'audience_erasures_waiting'));
  const now = await scrape(service);
  expect(sum(now, 'audience_erasures_oldest_timestamp_seconds')).toBeGreaterThan(from);
  expect(sum(now, 'audience_email_transport_seconds_count', ({ outcome }) => outcome === 'failed')).toBe(1);
  expect(sum(now, 'audience_addresses_suppressed_total')).toBe(
    sum(now, 'audience_events_appended_total', ({ type }) => type === 'AddressSuppressed'),
  );
  await server.close();
});

test('wrong keys, and a client that asks too often: AudienceKeysRefused, AudienceRateLimited', async () => {
  const service = await started({ env: { RATE_LIMIT: '50' } });
  const reader = await service.make('/v1/keys', { name: 'Reader', scopes: ['lists:read'] }, 'secret');
  const before = await scrape(service);
  const start = performance.now();
  const rate = async (code: string): Promise<number> => {
    const count = (all: readonly Series[]): number => sum(all, requestCount, (of) => of['code'] === code);
    return (count(await scrape(service)) - count(before)) / ((performance.now() - start) / 1_000);
  };
  for (let count = 0; count < 40; count += 1)
    await service.get('/v1/lists', { authorization: `Bearer wrong-${count}` });
  await firing('AudienceKeysRefused', () => rate('401'));
  for (let count = 0; count < 100; count += 1) await service.get('/v1/lists', { authorization: `Bearer ${reader}` });
  await firing('AudienceRateLimited', () => rate('429'));
});

test('clients send requests and do not read the answers: AudienceClientsDoNotRead', async () => {
  const service = await started();
  const { hostname, port } = new URL(service.url());
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
  for (let count = 0; count < 180; count += 1) {
    const socket = net.connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    socket.write(request.repeat(101));
    onTestFinished(() => void socket.destroy());
  }
  await firing('AudienceClientsDoNotRead', async () => sum(await scrape(service), 'audience_http_waiting_bytes'));
  const now = await scrape(service);
  expect(sum(now, 'audience_http_connections')).toBeGreaterThan(100);
  expect(sum(now, 'audience_http_connections_cut_total')).toBe(0);
});

test('nobody reads the lines of the log: AudienceLogLinesDropped', async () => {
  const { writer } = pipe();
  const service = await started({ stdout: writer });
  await requests(service, 1_500);
  await firing('AudienceLogLinesDropped', async () => sum(await scrape(service), 'audience_log_lines_dropped_total'));
});

test('the main thread stands: AudienceMainThreadBusy', async () => {
  const service = await started();
  const late = async (): Promise<number> =>
    sum(await scrape(service), 'audience_event_loop_delay_seconds', (of) => of['quantile'] === '0.99');
  await firing('AudienceMainThreadBusy', async () => {
    await late();
    // The first timer after a scrape is what the next ones are compared with; then the time in which it stands is what is tested.
    await realTime(100);
    process.kill(service.pid(), 'SIGSTOP');
    await realTime(800);
    process.kill(service.pid(), 'SIGCONT');
    return await late();
  });
});

describe.skipIf(onServers)('with the embedded stores', { concurrent: true }, () => {
  test('another program holds the log: AudienceLogNotWritable, AudienceServerErrors, AudienceSlow', async () => {
    const service = await started();
    const before = await scrape(service);
    const other = new DatabaseSync(path.join(service.dataDir, 'events.db'));
    other.exec('BEGIN IMMEDIATE');
    await newGroup(service);
    await firing('AudienceLogNotWritable', async () => sum(await scrape(service), 'audience_log_failed_commits_total'));
    other.close();
    const after = await scrape(service);
    const share = (wanted: RegExp): number =>
      sum(after, requestCount, ({ code = '' }) => wanted.test(code)) / sum(after, requestCount);
    expect(fires('AudienceServerErrors', share(/^5../))).toBe(true);
    expect(fires('AudienceSlow', quantile(0.99, before, after, 'POST'))).toBe(true);
  });

  test('the views cannot be written: AudienceViewsFailing, AudienceViewsLag', async () => {
    const service = await started();
    const views = new DatabaseSync(path.join(service.dataDir, 'views.db'));
    const table = z
      .object({ name: z.string() })
      .parse(views.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'groups*'`).get()).name;
    views.exec(`CREATE TRIGGER broken BEFORE INSERT ON "${table}" BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    await newGroup(service);
    await firing('AudienceViewsFailing', async () => sum(await scrape(service), 'audience_projection_failing'));
    expect(sum(await scrape(service), 'audience_projection_lag_events')).toBe(1);
    await firing('AudienceViewsLag', async () => sum(await scrape(service), 'audience_projection_lag_seconds'));
    views.exec('DROP TRIGGER broken');
    views.close();
    await eventually(async () => sum(await scrape(service), 'audience_projection_lag_seconds') === 0 || undefined);
  });

  test('a corrupt document raises AudienceViewsDamaged', async () => {
    const service = await started();
    await newGroup(service);
    await service.get('/v1/groups');
    const views = new DatabaseSync(path.join(service.dataDir, 'views.db'));
    views.exec(`UPDATE groups_v1 SET document = replace(document, 'G', 'H')`);
    views.close();
    await service.get('/v1/groups');
    await firing('AudienceViewsDamaged', async () => sum(await scrape(service), 'audience_projection_damage_total'));
  });

  test('an event cannot be folded: AudienceParkedStream', async () => {
    const service = await started();
    await service.kill('SIGKILL');
    const data = JSON.stringify({ contact_id: 'con_1', person: { firstName: 7 } });
    await append(service, [{ type: 'ContactProfileChanged', data }]);
    await service.start();
    await firing('AudienceParkedStream', async () => sum(await scrape(service), 'audience_projection_parked_streams'));
  });

  test('the folder of the seals is in the way: AudienceSubscriberFails', async () => {
    const service = await started({ env: { SEAL_EVERY: '1s' } });
    const folder = path.join(service.dataDir, 'seals');
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, '');
    await firing('AudienceSubscriberFails', async () => {
      await newGroup(service);
      return sum(await scrape(service), 'audience_subscriber_failures_total', (of) => of['subscriber'] === 'seals');
    });
  });
});
