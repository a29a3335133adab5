/** `X-Min-Position`: what it may be, and that a position which the views do not show yet is waited for. */
import { expect, test, vi } from 'vitest';
import { minPositionOf } from '../../src/api/http/request-headers.js';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import { startAuditedService } from '../support/audited-service.js';

const positions = (shown: string, head: string) => ({ shown: () => shown, head: vi.fn(async () => head) });

test.each(['7', '007', '00007', '0000000007'])('zeros in front make no difference: %s', async (header) => {
  expect(await minPositionOf(header, positions('00003', '00009'))).toBe('00007');
});

test('what the views show is not waited for, and the log is not asked', async () => {
  for (const header of ['', '0', '3', '00003']) {
    const log = positions('00003', '00009');
    expect(await minPositionOf(header, log), header).toBeUndefined();
    expect(log.head).not.toHaveBeenCalled();
  }
});

test.each(['10', '000010', '99999999', 'x', '-1', '1.5', '0x7', ' ', '7,8'])(
  '%s is no position of the log',
  async (header) => {
    for (const shown of ['', '00003'])
      await expect(minPositionOf(header, positions(shown, '00009'))).rejects.toMatchObject({
        code: 'invalid_position',
      });
  },
);

test('a position of the log that the views do not show yet is waited for, and 503 after 2 seconds', async () => {
  const ownWrites = createOwnWrites({ projections: [], head: '', now: () => 0 });
  const queries = { groups: { get: async () => undefined, page: async () => ({ items: [], isIncomplete: false }) } };
  const service = await startAuditedService({ ownWrites, queries });
  await service.post('/v1/groups/create', { group_name: 'Friends' });
  const head = await service.store.head();
  const read = () => service.get('/v1/groups', { 'x-min-position': head.replace(/^0+/, '') });

  const started = performance.now();
  expect(await read()).toMatchObject({ status: 503, message: 'Service temporarily unavailable, please retry.' });
  expect(performance.now() - started).toBeGreaterThan(1_900);

  const waiting = read();
  await vi.waitUntil(() => ownWrites.isAwaited());
  ownWrites.advance(head);
  expect(await waiting).toMatchObject({ status: 200, data: [] });
});
