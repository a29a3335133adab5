import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { gatherLines } from '../../src/app/logs.js';

test('lines leave in order and whole, in pieces of about 4 KiB, or when they are asked for', () => {
  const written: string[] = [];
  const lines = gatherLines({ write: (piece) => written.push(piece) });
  lines.pass();
  expect(written).toEqual([]);
  lines.write('one\n');
  lines.write('two\n');
  expect(written).toEqual([]);
  lines.pass();
  lines.pass();
  expect(written).toEqual(['one\ntwo\n']);
  const all = Array.from({ length: 100 }, (_, index) => `${'x'.repeat(100)} ${index}\n`);
  for (const line of all) lines.write(line);
  expect(written.slice(1).every((piece) => piece.length >= 4096 && piece.length < 4300)).toBe(true);
  lines.pass();
  expect(written.slice(1).join('')).toBe(all.join(''));
});

// A process that ended of a fault took the lines of its last moment with it.
test.each([
  { end: 'throw new Error("unforeseen")' },
  { end: 'await Promise.reject(new Error("unforeseen"))' },
  { end: 'process.exit(3)' },
])('no line is lost when the process ends by $end', ({ end }) => {
  const logs = new URL('../../dist/app/logs.js', import.meta.url).href;
  const script = `import { openLogs } from ${JSON.stringify(logs)};
    const { lines, logger } = openLogs({ logLevel: 'info' });
    lines.write('first\\n');
    logger.info('second');
    lines.write('third\\n');
    ${end}`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stdout).toMatch(/^first\n.*"msg":"second".*\nthird\n$/);
});
