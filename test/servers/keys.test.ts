/** API keys where several processes serve: what one is told holds in all of them within a second. */
import http from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newDeployment, noServers, type Deployment } from './deployment.js';
import { eventually, type Service } from '../support/service.js';

describe.skipIf(noServers !== undefined)(`keys${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  let deployment: Deployment;
  let one: Service;
  let other: Service;
  beforeAll(async () => {
    deployment = newDeployment();
    one = await deployment.start();
    other = await deployment.start({ ROLES: 'api' });
  }, 60_000);
  afterAll(() => deployment.close(), 60_000);

  const bearer = (secret: string): { authorization: string } => ({ authorization: `Bearer ${secret}` });
  async function issue(name: string): Promise<{ id: string; secret: string }> {
    const answer = await one.post('/v1/keys', { name, scopes: ['lists:read', 'audit:read'] });
    return { id: answer.field('key_id'), secret: answer.field('secret') };
  }
  /** Milliseconds until the other process answers with this status. */
  async function until(status: number, secret: string): Promise<number> {
    const began = performance.now();
    await eventually(async () => (await other.get('/v1/lists', bearer(secret))).status === status || undefined);
    return performance.now() - began;
  }

  test('a key that was created on one is good on the other within a second; a revoked one is refused, and its streams end', async () => {
    for (const round of [1, 2, 3]) {
      const { id, secret } = await issue(`shop ${round}`);
      expect((await one.get('/v1/lists', bearer(secret))).status).toBe(200);
      expect(await until(200, secret)).toBeLessThan(1_000);
      const feed = http.get(new URL('/v1/audit/events?follow=true&after=now', other.url()), {
        headers: bearer(secret),
      });
      const [stream] = (await once(feed, 'response')) as [http.IncomingMessage];
      stream.on('error', () => undefined).resume();
      const cut = new Promise<number>((resolve) => stream.once('close', () => resolve(performance.now())));
      const revoked = await one.post(`/v1/keys/${id}/revoke`);
      const began = performance.now();
      expect(revoked.status).toBe(200);
      expect((await one.get('/v1/lists', bearer(secret))).status).toBe(401);
      expect(await until(401, secret)).toBeLessThan(1_000);
      expect((await cut) - began).toBeLessThan(1_000);
    }
  }, 60_000);

  test('a rotation holds on the other, whichever of them the next one asks', async () => {
    const { id, secret } = await issue('rotated');
    expect(await until(200, secret)).toBeLessThan(1_000);
    const rotated = (await one.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 0 })).field('secret');
    expect(await until(401, secret)).toBeLessThan(1_000);
    expect((await other.get('/v1/lists', bearer(rotated))).status).toBe(200);
    const again = (await other.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 0 })).field('secret');
    expect((await other.get('/v1/lists', bearer(again))).status).toBe(200);
    expect((await other.post('/v1/keys', { name: 'ROTATED', scopes: ['keys'] })).body).toMatchObject({
      message: 'Key name already exist!',
    });
  }, 60_000);

  test('both see the keys as they are now, and when they were last used', async () => {
    const { id, secret } = await issue('used');
    const seen = async (service: Service) =>
      (await service.get('/v1/keys?limit=200')).items().find((key) => key['key_id'] === id);
    expect(await seen(other)).toMatchObject({ name: 'used', state: 'active', last_used_at: null });
    await one.get('/v1/lists', bearer(secret));
    await eventually(async () => (await seen(other))?.['last_used_at'] ?? undefined);
  }, 60_000);
});
