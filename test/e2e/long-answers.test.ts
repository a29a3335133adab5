/** Requests for long answers that wait: a client that leaves, and a stop. */
import http from 'node:http';
import { expect, test } from 'vitest';
import { someAddress, unique } from '../support/answers.js';
import { eventually, startService, type Service } from '../support/service.js';

/** Makes a list whose answer is larger than what a connection buffers. Returns the path of that answer. */
async function largeList(service: Service): Promise<string> {
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const tag_name = Array.from({ length: 100 }, (_, number) => `${number} ${'😀'.repeat(250)}`);
  const lines = Array.from({ length: 100 }, (_, number) =>
    JSON.stringify({ email: someAddress(`m${number}`), status: 'Subscribed', tag_name }),
  );
  // A body has at most 10 MiB.
  for (const part of [lines.slice(0, 50), lines.slice(50)]) {
    const answer = await service.request('POST', `/v1/contacts/${list}/bulk`, {
      raw: `${part.join('\n')}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(answer.status).toBe(200);
  }
  return `/v1/audit/lists/${list}/at?time=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`;
}

/** Begins a request whose answer is not read. */
function ask(service: Service, path: string) {
  const headers = { authorization: `Bearer ${service.key}` };
  const request = http.get(`${service.url()}${path}`, { headers, agent: false });
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  answered.catch(() => undefined);
  return { answered, leave: () => request.destroy() };
}

const waiting = async (service: Service): Promise<number> => {
  const { text } = await service.get('/metrics');
  return Number(/^audience_slots_waiting\{slots="lists_at"\} (\d+)$/m.exec(text)?.[1]);
};
const untilWaiting = (service: Service, count: number): Promise<true> =>
  eventually(async () => (await waiting(service)) === count || undefined, { what: `${count} waiting` });

test('a client that leaves gives up its place, and a stop answers those that wait with 503', async () => {
  const service = await startService();
  try {
    const path = await largeList(service);
    const first = ask(service, path);
    expect((await first.answered).statusCode).toBe(200);
    const leaving = ask(service, path);
    await untilWaiting(service, 1);
    leaving.leave();
    await untilWaiting(service, 0);
    const staying = ask(service, path);
    await untilWaiting(service, 1);
    const exit = service.kill('SIGTERM');
    const { statusCode, headers } = await staying.answered;
    expect([statusCode, headers['retry-after'], headers.connection]).toEqual([503, '5', 'close']);
    first.leave();
    expect(await exit).toMatchObject({ code: 0 });
  } finally {
    await service.close();
  }
});
