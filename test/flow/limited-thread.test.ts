/** A thread for jobs that may cost too much: limits of time and memory, the queue, and the job after one that was stopped. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createLimitedThread, type LimitedThread } from '../../src/flow/limited-thread.js';
import { slotsByName } from '../../src/flow/slots.js';

const folder = mkdtempSync(path.join(tmpdir(), 'limited-'));
afterAll(() => rmSync(folder, { recursive: true }));

const compiled = pathToFileURL(path.resolve('dist/flow/limited-thread.js')).href;
writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
writeFileSync(
  path.join(folder, 'job-worker.js'),
  `import { answerJobs } from '${compiled}';
answerJobs(async (job) => {
  if (job === 'endless') for (;;);
  if (job === 'endless expression') return /(a+)+b/.test('a'.repeat(60));
  if (job === 'greedy') for (const all = []; ;) all.push([...'0123456789']);
  if (job === 'dies') process.exit(3);
  return job.toUpperCase();
});`,
);
writeFileSync(path.join(folder, 'broken-worker.js'), `throw new Error('no such thread');`);

const faults: string[] = [];
let opened: LimitedThread<string, string> | undefined;
afterEach(async () => {
  await opened?.close();
  faults.length = 0;
});

function open({ name = 'job', timeLimitMs = 60_000, waiting = 5, heapLimitMb = 64 } = {}) {
  opened = createLimitedThread<string, string>({
    ...{ name, beside: pathToFileURL(path.join(folder, 'beside.js')).href, timeLimitMs, heapLimitMb },
    ...{ queue: 'test_jobs', waiting, patience: 60_000, retryAfter: 7, onFault: (error) => faults.push(error) },
  });
  return opened;
}

test('jobs are done one after the other', async () => {
  const thread = open();
  expect(await Promise.all(['a', 'b', 'c'].map((job) => thread.run(job)))).toEqual(['A', 'B', 'C']);
});

test.each(['endless', 'endless expression'])(
  'a job that is %s is stopped in time, and the next one is done',
  async (job) => {
    const thread = open({ timeLimitMs: 400 });
    const stopped = thread.run(job);
    const next = thread.run('next');
    await expect(stopped).rejects.toMatchObject({ name: 'JobLimitError', limit: 'time' });
    expect(await next).toBe('NEXT');
    expect(faults).toEqual([]);
  },
);

test('a job that takes too much memory is stopped, and the next one is done', async () => {
  const thread = open({ heapLimitMb: 16 });
  const stopped = thread.run('greedy');
  const next = thread.run('next');
  await expect(stopped).rejects.toMatchObject({ name: 'JobLimitError', limit: 'memory' });
  expect(await next).toBe('NEXT');
  expect(faults).toEqual([]);
});

test('a thread that dies for another reason is reported as a fault, and the next job is done', async () => {
  const thread = open();
  const [died, next] = await Promise.allSettled([thread.run('dies'), thread.run('next')]);
  expect(died).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', retryAfter: 7 } });
  expect(next).toEqual({ status: 'fulfilled', value: 'NEXT' });
  expect(faults).toHaveLength(1);
  await expect(open({ name: 'broken' }).run('a')).rejects.toMatchObject({ code: 'unavailable' });
  expect(faults.at(-1)).toContain('no such thread');
});

test('when too many jobs wait, a further one is refused', async () => {
  const thread = open({ waiting: 2 });
  const running = [thread.run('a'), thread.run('b'), thread.run('c')];
  expect(new Map(slotsByName()).get('test_jobs')).toEqual({ running: 1, waiting: 2 });
  await expect(thread.run('d')).rejects.toMatchObject({ code: 'too_many_at_once', retryAfter: 7 });
  expect(await Promise.all(running)).toEqual(['A', 'B', 'C']);
});

test('closing stops an endless job', async () => {
  const thread = open();
  const job = expect(thread.run('endless')).rejects.toMatchObject({ code: 'unavailable' });
  await thread.close();
  await job;
});
