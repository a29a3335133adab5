/** Clients that do not read: a streamed answer to them is given up, and what it holds is free for others. */
import net from 'node:net';
import { expect, test, vi } from 'vitest';
import { startAuditedService, type AuditedService } from '../support/audited-service.js';

const stallTimeout = 600;

/** With a list whose members take more than a connection holds: 100 tags with names of a kilobyte each. */
async function startWithLargeList(): Promise<{ service: AuditedService; path: string }> {
  const service = await startAuditedService({ stallTimeout });
  const { data } = await service.post('/v1/lists/create', { list_name: 'News' });
  const { list_id } = data as { list_id: string };
  const tag_name = Array.from({ length: 100 }, (_, number) => `${number} ${'😀'.repeat(250)}`);
  for (let number = 0; number < 100; number += 1) {
    const body = { email: `m${number}@example.com`, status: 'Subscribed', tag_name };
    expect((await service.post(`/v1/contacts/${list_id}/upsertcontact`, body)).status).toBe(200);
  }
  return { service, path: `/v1/audit/lists/${list_id}/at?time=2030-01-01` };
}

/** A request of whose answer nothing is read but the first piece; `closed` when the service has cut it off. */
async function ask(
  service: AuditedService,
  path: string,
): Promise<{ readonly socket: net.Socket; readonly closed: Promise<void> }> {
  const socket = net.connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  expect(String(socket.read(15))).toBe('HTTP/1.1 200 OK');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed };
}

test('two clients that do not read do not block lists at a time for others, one that reads slowly gets everything', async () => {
  const { service, path } = await startWithLargeList();
  const stuck = await Promise.all([ask(service, path), ask(service, path)]);
  // It waits until they are given up.
  expect(await service.text(path)).toContain('"line":"end"');
  const { socket } = await ask(service, path);

  let last = '';
  let pauses = 0;
  let size = 0;
  socket.on('data', (chunk) => {
    last = chunk.toString('utf8');
    size += chunk.length;
    if (size < (pauses + 1) * 2_000_000) return;
    pauses += 1;
    socket.pause();
    setTimeout(() => socket.resume(), stallTimeout / 3);
  });
  await vi.waitUntil(() => last.includes('"line":"end"'), 15_000);
  expect(pauses).toBe(5);
  for (const one of [...stuck, { socket }]) one.socket.destroy();
});

test('a client of the event feed that does not read is cut off', async () => {
  const service = await startAuditedService({ stallTimeout: 100 });
  const message = { from_email: 'a@example.com', to_email: 'b@example.com', subject: 'Hello' };
  for (let number = 0; number < 20; number += 1) {
    const sent = await service.post('/v1/email/send', { ...message, mail_template: 'x'.repeat(500_000) });
    expect(sent.status).toBe(200);
  }
  for (const query of ['format=ndjson', 'follow=true']) {
    const { socket, closed } = await ask(service, `/v1/audit/events?${query}`);
    // Only who reads on sees the end of a connection.
    await vi.waitUntil(() => service.hasClosed(socket.localPort), 15_000);
    let received = 0;
    socket.on('data', (chunk) => (received += chunk.length));
    await closed;
    expect(received, query).toBeLessThan(9_000_000);
  }
});
