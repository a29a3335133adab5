import { expect, test } from 'vitest';
import { gatherLines } from '../src/request-lines.js';

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
