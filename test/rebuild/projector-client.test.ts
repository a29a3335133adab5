/** The line between a rebuild and the projector: whose answers count. */
import { expect, it } from 'vitest';
import { createOrderLine, everyFeed } from '../../src/rebuild/projector-client.js';
import { FeedLostError, type Given } from '../../src/rebuild/rebuild.js';

const lineOf = (id: string) => {
  const given: Given[] = [];
  return { given, line: createOrderLine(id, (order) => given.push(order)) };
};

it('lets late answers to an earlier rebuild pass: they neither answer its orders nor end it', async () => {
  const { given, line } = lineOf('second');
  const order: Given = { type: 'switch', id: 'second' };
  const answered = line.command(order);
  line.answer({ type: 'discarded', id: 'first' });
  line.answer({ type: 'lost', id: 'first', reason: 'of the first' });
  expect(line.signal.aborted).toBe(false);
  const answer = { type: 'switched', id: 'second' } as const;
  line.answer(answer);
  expect(await answered).toEqual(answer);
  expect(given).toEqual([order]);
});

it.each(['second', everyFeed])('ends when what it feeds is lost: id %j', async (id) => {
  const { line } = lineOf('second');
  const answered = line.command({ type: 'switch', id: 'second' });
  line.answer({ type: 'lost', id, reason: 'gone' });
  await expect(answered).rejects.toThrow(FeedLostError);
  expect(line.signal.aborted).toBe(true);
  await expect(line.command({ type: 'discard', id: 'second' })).rejects.toThrow('gone');
});
