/** How a scavenge is asked for, and what is said where the server refuses it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startScavenges } from '../../../src/eventstore/eventstoredb/redactions.js';

test.each([401, 403])('a user who may not is told whose it is: %i', async (status) => {
  // As EventStoreDB does: the reason is in the status alone.
  const server = createServer(({ headers }, answer) => {
    const isAllowed = headers.authorization === `Basic ${btoa('ops:secret')}`;
    answer.writeHead(isAllowed ? 200 : status).end(isAllowed ? 'ScavengeId: one' : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = (username: string): Promise<readonly string[]> =>
    startScavenges({ nodes: [`esdb://${host}?tls=false`], credentials: { username, password: 'secret' } }, 5_000);
  await expect(start('reader')).rejects.toThrow(
    `EventStoreDB: no scavenge was started on ${host}: the credentials do not allow it, those of a user in the group $ops or $admins do`,
  );
  expect(await start('ops')).toEqual(['one']);
  server.close();
});

test('the nodes of a cluster are scavenged one after the other: at once, all but one would fail', async () => {
  const asked: string[] = [];
  const servers = ['one', 'two'].map((name) => {
    let looks = 0;
    return createServer(({ method, url }, answer) => {
      asked.push(`${name}: ${method} ${url}`);
      const isRunning = method === 'POST' || (looks += 1) < 3;
      answer.end(`ScavengeId: ${isRunning ? name : ''}, ScavengeLink: `);
    }).listen(0, '127.0.0.1');
  });
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const nodes = servers.map((server) => `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`);
  expect(await startScavenges({ nodes, credentials: undefined }, 5_000)).toEqual(['one', 'two']);
  const look = 'one: GET /admin/scavenge/current';
  expect(asked).toEqual(['one: POST /admin/scavenge', look, look, look, 'two: POST /admin/scavenge']);
  for (const server of servers) server.close();
});
