import { spawnSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { createLogDestination, type Send } from '../../src/flow/log-destination.js';

/** Keeps what is sent until it is told the outcome. */
function slowOutput() {
  const sent: string[] = [];
  let finish: Parameters<Send>[1] = () => undefined;
  const send: Send = (bytes, done) => {
    sent.push(bytes.toString());
    finish = done;
  };
  return { sent, send, finish: (error: Error | null, written: number) => finish(error, written) };
}

test('lines leave in order and whole, in pieces of about 8 KiB, and the rest when it closes', async () => {
  const pieces: string[] = [];
  const lines = createLogDestination((bytes, done) => {
    pieces.push(bytes.toString());
    setImmediate(done, null, bytes.length);
  });
  const all = Array.from({ length: 500 }, (_, index) => `${'x'.repeat(100)} ${index}\n`);
  for (const line of all) lines.write(line);
  expect(pieces).toHaveLength(1);
  expect(pieces[0]?.length).toBeGreaterThanOrEqual(8_192);
  await lines.close();
  expect(pieces.join('')).toBe(all.join(''));
});

test('what a write left over is written again', () => {
  vi.useFakeTimers();
  try {
    const { sent, send, finish } = slowOutput();
    const lines = createLogDestination(send);
    lines.write('one\n');
    vi.advanceTimersByTime(100);
    finish(null, 2);
    finish(new Error('no space left on device'), 0);
    expect(sent).toEqual(['one\n', 'e\n']);
    vi.advanceTimersByTime(1_000);
    finish(null, 2);
    expect(sent).toEqual(['one\n', 'e\n', 'e\n']);
    expect(lines.dropped()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('lines beyond what is held are dropped, counted, and told of in their place', () => {
  const { sent, send, finish } = slowOutput();
  const lines = createLogDestination(send);
  const kept = `${'x'.repeat(8_192)}\n`;
  for (let count = 0; count < 100; count += 1) lines.write(kept);
  const dropped = lines.dropped();
  expect(dropped).toBeGreaterThan(50);
  lines.write('two\nlines\n');
  expect(lines.dropped()).toBe(dropped + 2);
  finish(null, kept.length);
  lines.write('later\n');
  finish(null, String(sent[1]).length);
  void lines.close();
  const [, , last] = sent;
  expect(last).toMatch(
    new RegExp(`^{.*"dropped":${dropped + 2},"msg":"${dropped + 2} log lines were dropped"}\nlater\n$`),
  );
  expect(lines.dropped()).toBe(dropped + 2);
});

// A process that ended of a fault took the lines of its last moment with it.
test.each([
  { end: 'throw new Error("unforeseen")' },
  { end: 'await Promise.reject(new Error("unforeseen"))' },
  { end: 'process.exit(3)' },
])('no line is lost when the process ends by $end', ({ end }) => {
  const logs = new URL('../../dist/app/logs.js', import.meta.url).href;
  const script = `import { openObservers } from ${JSON.stringify(logs)};
    const { lines, logger } = await openObservers({ logLevel: 'info' });
    lines.write('first\\n');
    logger.info('second');
    lines.write('third\\n');
    ${end}`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stdout).toMatch(/^first\n.*"msg":"second".*\nthird\n$/);
});
